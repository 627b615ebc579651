//! Running JavaScript: QuickJS, with limits on time, memory and stack.
//!
//! A [`Sandbox`] is one runtime with one set of global variables. It may be used by several threads, one at a time. Whoever
//! starts it says what is seen there ([`Sandbox::run`] hands out the context), how much memory it takes, and until when it runs:
//! the watch is asked every few thousand steps of a script.
//!
//! What must hold: only the crates that bring functions of their own see `rquickjs`, and by this name; a script sees nothing of
//! the process but what it is handed; one that was stopped cannot go on.
//!
//! Left to others: values and functions of MongoDB's (`language`), of CouchDB's (`view`), of Riak's (`riak`).

mod log_allowance;

pub use log_allowance::LogAllowance;
pub use rquickjs;

use rquickjs::{CaughtError, Context, Ctx, Error};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a script may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For all that the sandbox holds.
    pub memory_bytes: usize,
    /// Of the stack of the thread that runs it.
    pub stack_bytes: usize,
}

/// What a run came to, other than a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The watch said so.
    #[error("the script was stopped")]
    Stopped,
    /// More memory than the limit was wanted.
    #[error("out of memory")]
    OutOfMemory,
    /// An `Error` was thrown.
    #[error("{name}: {message}")]
    Exception {
        /// The name of its class, such as `TypeError`.
        name: String,
        /// Its message.
        message: String,
    },
    /// Another value was thrown.
    #[error("uncaught exception: {json}")]
    Thrown {
        /// The value as JSON text; empty where it has none.
        json: String,
    },
    /// The sandbox cannot be used.
    #[error("JavaScript cannot be run: {0}")]
    Unavailable(String),
}

/// One runtime and its global variables.
pub struct Sandbox {
    context: Context,
    is_stopped: Arc<AtomicBool>,
}

impl std::fmt::Debug for Sandbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Sandbox")
            .field("is_stopped", &self.is_stopped)
            .finish_non_exhaustive()
    }
}

impl Sandbox {
    /// Starts a runtime. While a script runs, `must_stop` is asked now and then.
    pub fn start(
        limits: Limits,
        mut must_stop: impl FnMut() -> bool + Send + 'static,
    ) -> Result<Sandbox, Failure> {
        let unavailable = |error: Error| Failure::Unavailable(error.to_string());
        let runtime = rquickjs::Runtime::new().map_err(unavailable)?;
        runtime.set_memory_limit(limits.memory_bytes);
        runtime.set_max_stack_size(limits.stack_bytes);
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stopped = is_stopped.clone();
        runtime.set_interrupt_handler(Some(Box::new(move || {
            if must_stop() {
                stopped.store(true, Ordering::Relaxed);
            }
            stopped.load(Ordering::Relaxed)
        })));
        Ok(Sandbox {
            context: Context::full(&runtime).map_err(unavailable)?,
            is_stopped,
        })
    }

    /// Runs something in it. Once a script was stopped there, every run fails.
    pub fn run<T>(&self, work: impl FnOnce(&Ctx<'_>) -> Result<T, Error>) -> Result<T, Failure> {
        self.context
            .with(|ctx| work(&ctx).map_err(|error| self.failure(&ctx, error)))
    }

    fn failure(&self, ctx: &Ctx<'_>, error: Error) -> Failure {
        let caught = CaughtError::from_error(ctx, error);
        if self.is_stopped.load(Ordering::Relaxed) {
            return Failure::Stopped;
        }
        match caught {
            CaughtError::Exception(exception) => {
                let message = exception.message().unwrap_or_default();
                if message == "out of memory" {
                    return Failure::OutOfMemory;
                }
                let name = exception.as_object().get("name").unwrap_or_default();
                Failure::Exception { name, message }
            }
            // QuickJS throws null where not even an error can be made.
            CaughtError::Value(value) if value.is_null() => Failure::OutOfMemory,
            CaughtError::Value(value) => {
                let text = ctx.json_stringify(value).ok().flatten();
                let json = text.and_then(|text| text.to_string().ok()).unwrap_or_default();
                Failure::Thrown { json }
            }
            CaughtError::Error(Error::Allocation) => Failure::OutOfMemory,
            CaughtError::Error(error) => Failure::Unavailable(error.to_string()),
        }
    }
}
