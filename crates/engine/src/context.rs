//! Who asks for an operation, in which session, until when.

use crate::error::Result;
use crate::tables::sessions::SessionId;
use language::Interruption;
use language::interruption::{Client, Kill};
use language::metrics::Metrics;
use memory::Budget;
use query::Code;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use store::{Moment, StatementId};
use value::Value;

/// What an operation runs under. Cheap to clone; all clones share the kill flag.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The user's name with its database (`name@db`), if one has logged in.
    pub user: Option<Arc<str>>,
    /// The logical session.
    pub session: Option<SessionId>,
    /// The retryable write's number (`txnNumber`) in the session.
    pub retry_number: Option<i64>,
    /// The command's comment, which stands with the later batches of its cursor, too.
    pub comment: Option<Arc<Value>>,
    /// When the operation must have ended (`maxTimeMS`).
    pub deadline: Option<Instant>,
    /// The moment that is read, from [`Engine::moment`](crate::engine::Engine::moment); `None` reads the present state.
    pub moment: Option<Weak<Moment>>,
    /// Who waits for the answer, if that can be known.
    pub client: Option<Arc<dyn Client>>,
    /// What the operation has done so far.
    pub metrics: Arc<Metrics>,
    /// From what the operation takes memory; without a limit where nobody says.
    pub memory: Budget,
    /// The connection that asks, where there is one.
    pub origin: Option<Origin>,
    kill: Kill,
}

/// Where an operation came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The connection's number.
    pub connection: i32,
    /// The client's address.
    pub address: IpAddr,
}

impl Context {
    /// The same context with a time limit from now.
    #[must_use]
    pub fn within(mut self, limit: Option<Duration>) -> Context {
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        self
    }

    /// What is left of the time limit.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Asks the operation to end with this error as soon as it looks.
    pub fn kill(&self, code: Code) {
        self.kill.with(code);
    }

    /// Whether somebody asked the operation to end.
    pub fn is_killed(&self) -> bool {
        self.kill.code().is_some()
    }

    /// Whether nobody waits for the answer any more.
    pub fn is_abandoned(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.is_gone())
    }

    /// What a running query looks at to know that it must end.
    pub fn interruption(&self) -> Interruption {
        Interruption {
            deadline: self.deadline,
            kill: self.kill.clone(),
            client: self.client.clone(),
            make_room: Some(kv::make_room),
            metrics: Some(self.metrics.clone()),
            memory: self.memory.clone(),
        }
    }

    /// What makes the write's statement of this number exactly-once; none outside retryable writes.
    pub fn statement(&self, statement: i32) -> Option<StatementId> {
        let session = self.session.as_ref()?.digest();
        Some(StatementId {
            session,
            number: self.retry_number?,
            statement,
        })
    }
}

/// Counts work of the operation that runs here, a step being what a small operator takes; fails once it must end.
pub fn steps(count: usize) -> Result<()> {
    Ok(language::interruption::steps(count)?)
}
