//! Who asks for an operation, in which session, until when.

use crate::tables::sessions::SessionId;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use store::{Moment, StatementId};

/// What an operation runs under. Cheap to clone; all clones share the kill flag.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The user's name with its database (`name@db`), where one has logged in.
    pub user: Option<Arc<str>>,
    /// The logical session.
    pub session: Option<SessionId>,
    /// The retryable write's number (`txnNumber`) in the session.
    pub retry_number: Option<i64>,
    /// When the operation must have ended (`maxTimeMS`).
    pub deadline: Option<Instant>,
    /// The moment that is read, from [`Engine::moment`](crate::engine::Engine::moment); none for now.
    pub moment: Option<Weak<Moment>>,
    killed: Arc<AtomicBool>,
}

impl Context {
    /// The same context with a time limit from now.
    #[must_use]
    pub fn within(mut self, limit: Option<Duration>) -> Context {
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        self
    }

    /// Asks the operation to end as soon as it looks.
    pub fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked the operation to end.
    pub fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
    }

    /// What a running query looks at to know that it must end.
    pub fn interruption(&self) -> query::execute::Interruption {
        query::execute::Interruption {
            deadline: self.deadline,
            killed: self.killed.clone(),
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
