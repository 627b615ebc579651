//! The context of an operation: its user, session, client, time limit and memory.

use crate::error::{Error, Result};
use crate::tables::sessions::SessionId;
use language::Interruption;
use language::interruption::{Client, Kill, within};
use language::metrics::Metrics;
use memory::Budget;
use query::Code;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use store::{Moment, StatementId};
use tokio::task::JoinHandle;
use value::Value;

/// How often a waiting operation checks whether it must end.
const LOOK_INTERVAL: Duration = Duration::from_millis(50);

/// The context of an operation. Cheap to clone; all clones share the kill flag.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// The user's name with its database (`name@db`), if one has logged in.
    pub user: Option<Arc<str>>,
    /// The roles of the user and those that they inherit, as `$$USER_ROLES` gives them.
    pub user_roles: Option<Arc<Value>>,
    /// The logical session.
    pub session: Option<SessionId>,
    /// The retryable write's number (`txnNumber`) in the session.
    pub retry_number: Option<i64>,
    /// The command's comment, which is shown with the later batches of its cursor, too.
    pub comment: Option<Arc<Value>>,
    /// When the operation must have ended (`maxTimeMS`).
    pub deadline: Option<Instant>,
    /// Whether each of its time limits counts as over from the start, as a fail point of tests has it.
    pub is_late: bool,
    /// Whether reads with a condition that no index answers are refused (`notablescan`).
    pub refuses_full_scans: bool,
    /// The moment that is read, from [`Engine::moment`](crate::engine::Engine::moment); `None` reads the present state.
    pub moment: Option<Weak<Moment>>,
    /// Who waits for the answer, if that can be known.
    pub client: Option<Arc<dyn Client>>,
    /// What the operation has done so far.
    pub metrics: Arc<Metrics>,
    /// The budget from which the operation takes memory; without a limit by default.
    pub memory: Budget,
    /// About the memory that the command takes once it is decoded. A cursor that it opens keeps most of it.
    pub command_bytes: usize,
    /// The connection that the operation came from, if there is one.
    pub origin: Option<Origin>,
    /// The command's parameters of the stable API.
    pub api: StableApi,
    kill: Kill,
}

/// The parameters of MongoDB's stable API in a command. All batches of a cursor must be requested with the same ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StableApi {
    /// Whether a version is named; there is only one.
    pub is_named: bool,
    /// Whether anything that is not in that version is refused (`apiStrict`).
    pub strict: Option<bool>,
    /// Whether anything deprecated in that version is refused (`apiDeprecationErrors`).
    pub deprecation_errors: Option<bool>,
}

/// Where an operation came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The connection's number.
    pub connection: i32,
    /// The client's address.
    pub address: IpAddr,
}

/// A client; a function returns whether it is gone.
struct Asker<F>(F);

impl<F> fmt::Debug for Asker<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Asker")
    }
}

impl<F: Fn() -> bool + Send + Sync> Client for Asker<F> {
    fn is_gone(&self) -> bool {
        (self.0)()
    }
}

impl Context {
    /// The same context for a client; `is_gone` returns whether it has stopped waiting.
    #[must_use]
    pub fn asked_by(mut self, is_gone: impl Fn() -> bool + Send + Sync + 'static) -> Context {
        self.client = Some(Arc::new(Asker(is_gone)));
        self
    }

    /// The same context, whose time limits count as over from the start if `is_late`.
    #[must_use]
    pub fn late(mut self, is_late: bool) -> Context {
        self.is_late = is_late;
        self
    }

    /// The same context with a time limit from now.
    #[must_use]
    pub fn within(mut self, limit: Option<Duration>) -> Context {
        let limit = limit.map(|limit| if self.is_late { Duration::ZERO } else { limit });
        self.deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        self
    }

    /// What is left of the time limit.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Makes the operation end with this error at its next check.
    pub fn kill(&self, code: Code) {
        self.kill.with(code);
    }

    /// Whether the operation was asked to end.
    pub fn is_killed(&self) -> bool {
        self.kill.code().is_some()
    }

    /// Whether no client waits for the answer any more.
    pub fn is_abandoned(&self) -> bool {
        self.client.as_ref().is_some_and(|client| client.is_gone())
    }

    /// The interruption of the operation, which running queries check.
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

    /// Does work of the operation. Ends early if the operation must end, whether it is working or waiting for something.
    pub async fn run<T, E: From<Error>>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        let interruption = self.interruption();
        tokio::select! {
            biased;
            done = interruption.run(work) => match (done, interruption.check()) {
                // Whatever error the work itself ended with.
                (Err(_), Err(ended)) => Err(Error::from(ended).into()),
                (done, _) => done,
            },
            error = self.must_end() => Err(error.into()),
        }
    }

    /// Waits until the operation must end.
    async fn must_end(&self) -> Error {
        loop {
            tokio::time::sleep(LOOK_INTERVAL).await;
            if self.is_abandoned() {
                self.kill(Code::CLIENT_DISCONNECT);
            }
            if let Err(error) = self.interruption().check() {
                return error.into();
            }
        }
    }

    /// The id that makes this statement of a retryable write exactly-once; `None` for other writes.
    pub fn statement(&self, statement: i32) -> Option<StatementId> {
        let session = self.session.as_ref()?.digest();
        Some(StatementId {
            session,
            number: self.retry_number?,
            statement,
        })
    }
}

/// Counts work of the operation on this thread in steps, each about the work of a small operator. Fails once the operation must end.
pub fn steps(count: usize) -> Result<()> {
    Ok(language::interruption::steps(count)?)
}

/// The memory budget of the operation on this thread.
pub fn operation_memory() -> Budget {
    language::interruption::memory()
}

/// Does work of the operation on this thread, until this moment at the latest.
pub async fn run_until<T, E: From<Error>>(
    limit: Instant,
    work: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let mut interruption = Interruption::current();
    let deadline = interruption
        .deadline
        .map_or(limit, |deadline| deadline.min(limit));
    interruption.deadline = Some(deadline);
    tokio::select! {
        biased;
        done = interruption.run(work) => done,
        () = tokio::time::sleep_until(deadline.into()) => {
            Err(Error::new(Code::MAX_TIME_MS_EXPIRED, "operation exceeded time limit").into())
        }
    }
}

/// Does work of the operation on this thread on another thread that may block. The operation's limits hold there too.
pub fn on_another_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> JoinHandle<T> {
    let interruption = Interruption {
        // Nothing else waits for that thread.
        make_room: None,
        ..Interruption::current()
    };
    tokio::task::spawn_blocking(move || within(&interruption, work))
}

/// Does work of the operation on this thread in another task, under the same limits.
pub fn beside<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let interruption = Interruption::current();
    tokio::spawn(async move { interruption.run(work).await })
}
