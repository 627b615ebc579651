//! The one place that runs JavaScript: QuickJS, with limits on time and memory.
//!
//! A [`Program`] is the functions of one design document. It runs in threads of its own, each with its own runtime,
//! which are started when they are first called and end when they are idle, so a program that nobody uses costs
//! nothing. Calls carry JSON text both ways, many documents in one; those that follow each other in a long build go to
//! the threads in turn. A list function, which waits for its rows and for its reader, has a thread of its own ([`List`]). What a
//! function sees is in `driver.js` and `render.js`.
//!
//! What must hold: a function that loops or eats memory is stopped at its limit, its runtime is thrown away, and the
//! error says which document it was given; no function sees anything of the process but what it is handed.

mod functions;
mod list;
mod runtime;
mod worker;

pub use functions::{Functions, Refusal};
pub use list::{List, ListStep, Sent};

use crate::ReduceLimit;
use crate::limits::{SCRIPT_IDLE_MS_MAX, SCRIPT_LOOK_MS, SCRIPT_WORKERS_MAX};
use memory::{Budget, Full};
use parking_lot::{Mutex, RwLock};
use std::future::Future;
use std::num::NonZero;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;
use tokio::sync::oneshot;
use worker::Worker;

/// What a call of a program came to, other than an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// A function refused or failed: CouchDB's error name and reason.
    #[error("{kind}: {reason}")]
    Thrown {
        /// The name of the error, such as `compilation_error`.
        kind: String,
        /// Why.
        reason: String,
    },
    /// The function ran longer than its limit and was stopped.
    #[error("the function was stopped since it ran longer than {limit_ms} ms")]
    TimedOut {
        /// Which of the documents (or calls) handed over it was at, counted from 0.
        place: usize,
        /// The limit that it went past.
        limit_ms: u64,
    },
    /// The function needed more memory than its limit and was stopped.
    #[error("the function was stopped since it needed more than {limit_bytes} bytes of memory{}", because(.full.as_ref()))]
    OutOfMemory {
        /// Which of the documents (or calls) handed over it was at, counted from 0.
        place: usize,
        /// The limit that it went past.
        limit_bytes: usize,
        /// Why that was not more, where it is less than a program may have.
        full: Option<Full>,
    },
    /// There is no memory for a thread that runs it.
    #[error("{0}")]
    NoMemory(#[from] Full),
    /// No thread or runtime could be started.
    #[error("JavaScript cannot be run: {0}")]
    Unavailable(String),
}

/// How much a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptLimits {
    /// For one document, or one reduction.
    pub time_ms: u64,
    /// For all that the program holds.
    pub memory_bytes: usize,
}

fn because(full: Option<&Full>) -> String {
    full.map_or_else(String::new, |full| format!(": {full}"))
}

impl Default for ScriptLimits {
    fn default() -> ScriptLimits {
        ScriptLimits {
            time_ms: crate::limits::SCRIPT_TIME_MS,
            memory_bytes: crate::limits::SCRIPT_MEMORY_BYTES,
        }
    }
}

/// What a program is made of.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// What the log calls it: the design document's id.
    pub name: String,
    /// JSON text of the design document, for `require` and for filters and validations.
    pub design: String,
    /// Sources of map functions, in order.
    pub maps: Vec<String>,
    /// Sources of reduce functions, in order.
    pub reduces: Vec<String>,
}

/// A command of the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Map,
    Members,
    Reduce,
    Validate,
    Filter,
    FilterView,
    Show,
    Update,
    List,
    Rewrite,
}

impl Command {
    fn name(self) -> &'static str {
        match self {
            Command::Map => "map",
            Command::Members => "members",
            Command::Reduce => "reduce",
            Command::Validate => "validate",
            Command::Filter => "filter",
            Command::FilterView => "filterView",
            Command::Show => "show",
            Command::Update => "update",
            Command::List => "list",
            Command::Rewrite => "rewrite",
        }
    }
}

struct Call {
    command: Command,
    input: String,
    answer: oneshot::Sender<Result<String, ScriptError>>,
}

/// The functions of one design document.
#[derive(Debug)]
pub struct Program {
    sources: Sources,
    limits: ScriptLimits,
    memory: Budget,
    threads: Vec<Thread>,
    /// What limits its reductions, which may change meanwhile; the default where nothing does.
    reductions: OnceLock<Arc<RwLock<ReduceLimit>>>,
    /// The time that its functions have, which may change meanwhile; that of the limits where nothing says otherwise.
    time_ms: OnceLock<Arc<AtomicU64>>,
}

/// The way to the thread, while there is one. It is taken away before the thread ends, so that no call is sent in vain.
type Thread = Arc<Mutex<Option<Sender<Call>>>>;

impl Program {
    /// A program; nothing is compiled before the first call. The memory of its threads comes out of the budget.
    pub fn new(sources: Sources, limits: ScriptLimits, memory: Budget) -> Program {
        Program {
            sources,
            limits,
            memory,
            threads: (0..workers()).map(|_| Thread::default()).collect(),
            reductions: OnceLock::new(),
            time_ms: OnceLock::new(),
        }
    }

    /// Has its functions be given as much time as this says when a thread begins.
    pub(crate) fn limit_time(&self, time_ms: Arc<AtomicU64>) {
        self.time_ms.get_or_init(|| time_ms);
    }

    /// The limits of a thread that begins now.
    fn limits(&self) -> ScriptLimits {
        let time_ms = self.time_ms.get().map(|time_ms| time_ms.load(Ordering::Relaxed));
        ScriptLimits {
            time_ms: time_ms.unwrap_or(self.limits.time_ms),
            ..self.limits
        }
    }

    /// Has its reductions be limited as this says from time to time.
    pub(crate) fn limit_reductions(&self, limit: Arc<RwLock<ReduceLimit>>) {
        self.reductions.get_or_init(|| limit);
    }

    /// What limits its reductions now.
    pub(crate) fn reduce_limit(&self) -> ReduceLimit {
        let limit = self.reductions.get();
        limit.map_or_else(ReduceLimit::default, |limit| *limit.read())
    }

    /// Compiles all functions; the error is that of the first that does not compile.
    pub async fn compile(&self) -> Result<(), ScriptError> {
        self.call(Command::Map, "[]".to_owned()).await.map(drop)
    }

    /// The members of documents that the map functions look at; `None` if they may look at any.
    pub async fn members(&self) -> Result<Option<Vec<String>>, ScriptError> {
        let answer = self.call(Command::Members, "null".to_owned()).await?;
        Ok(serde_json::from_str(&answer).unwrap_or_default())
    }

    /// How many calls can run at a time.
    pub(crate) fn workers(&self) -> usize {
        self.threads.len()
    }

    /// Runs a command on JSON text. It is under way at once; the future only waits for the answer.
    pub(crate) fn call(
        &self,
        command: Command,
        input: String,
    ) -> impl Future<Output = Result<String, ScriptError>> + Send + use<> {
        self.call_in_turn(0, command, input)
    }

    /// The same in the thread whose turn it is: those of one turn run one after the other.
    pub(crate) fn call_in_turn(
        &self,
        turn: usize,
        command: Command,
        input: String,
    ) -> impl Future<Output = Result<String, ScriptError>> + Send + use<> {
        let (answer, answered) = oneshot::channel();
        let thread = &self.threads[turn % self.threads.len()];
        let sent = self.send(
            thread,
            Call {
                command,
                input,
                answer,
            },
        );
        async move {
            sent?;
            let ended = |_| ScriptError::Unavailable("its thread ended".to_owned());
            answered.await.map_err(ended)?
        }
    }

    /// Hands a call to the thread; one that has ended is started again.
    fn send(&self, way: &Thread, call: Call) -> Result<(), ScriptError> {
        let mut thread = way.lock();
        let call = match &*thread {
            Some(sender) => match sender.send(call) {
                Ok(()) => return Ok(()),
                Err(refused) => refused.0,
            },
            None => call,
        };
        let (sender, calls) = mpsc::channel();
        let way = way.clone();
        let (sources, limits, memory) = (self.sources.clone(), self.limits(), self.memory.clone());
        let started = thread::Builder::new()
            .name("javascript".to_owned())
            .stack_size(runtime::THREAD_STACK_BYTES)
            .spawn(move || serve(Worker::new(sources, limits, memory), &calls, &way));
        started.map_err(|error| ScriptError::Unavailable(error.to_string()))?;
        // The thread holds the other end and waits there, so this is not refused.
        let _ = sender.send(call);
        *thread = Some(sender);
        Ok(())
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Without a way to it a thread ends.
        self.threads.iter().for_each(|thread| *thread.lock() = None);
    }
}

/// As many threads as there are processors, within the limit.
fn workers() -> usize {
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    processors.min(SCRIPT_WORKERS_MAX)
}

/// Answers calls until there is none for a while, or a function had to be stopped.
fn serve(mut worker: Worker, calls: &Receiver<Call>, way: &Thread) {
    while let Some(call) = next_call(calls, way, &worker) {
        let result = worker.call(call.command, &call.input);
        if worker.is_over() {
            *way.lock() = None;
        }
        // The send fails only if the caller was cancelled.
        let _ = call.answer.send(result);
    }
}

/// The next call; `None` if the thread should end, because nobody calls or because others want its memory. Where the way is gone,
/// those are still answered that came on it.
fn next_call(calls: &Receiver<Call>, way: &Thread, worker: &Worker) -> Option<Call> {
    let mut idle_ms = 0;
    loop {
        match calls.recv_timeout(Duration::from_millis(SCRIPT_LOOK_MS)) {
            Ok(call) => return Some(call),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) => {
                idle_ms += SCRIPT_LOOK_MS;
                if idle_ms < SCRIPT_IDLE_MS_MAX && !worker.is_wanted() {
                    continue;
                }
                let mut way = way.lock();
                let late = calls.try_recv().ok();
                if late.is_none() {
                    *way = None;
                }
                return late;
            }
        }
    }
}
