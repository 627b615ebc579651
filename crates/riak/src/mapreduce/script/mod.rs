//! Functions in JavaScript: the sandboxes of a job, on threads that may wait.
//!
//! Large pages of objects are shared among a few sandboxes, each with all functions of the job; reduce functions run in the
//! first. A script that needs more memory is started anew with more, up to a limit, and does its page again.

mod worker;

use super::failure::Failure;
use super::object::FoundObject;
use crate::error::RiakError;
use http::StatusCode;
use memory::{Budget, Holder, WAIT_MAX};
use parking_lot::Mutex;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use worker::{MEMORY_BYTES_FIRST, Worker};

/// The objects that are worth a sandbox of their own.
const ROWS_OF_WORKER: usize = 100;
/// The sandboxes of one job.
const WORKERS_MAX: usize = 4;
/// What a script has done between two looks whether it is still wanted: enough to look.
const STEPS_OF_LOOK: usize = usize::MAX;

/// A function with the number of its phase.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) phase: usize,
    pub(super) text: SourceText,
}

/// Where its source is.
#[derive(Clone, Debug)]
pub(super) enum SourceText {
    Own(String),
    /// It is one of those that are there.
    Named(String),
}

/// What tells scripts to end: nobody waits for them, or their operation has to end.
#[derive(Debug, Default)]
pub(super) struct Watch {
    is_stopped: AtomicBool,
}

impl Watch {
    fn must_stop(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed) || engine::steps(STEPS_OF_LOOK).is_err()
    }
}

/// The functions of a job.
#[derive(Debug)]
pub(super) struct Scripts {
    sources: Arc<Vec<Source>>,
    watch: Arc<Watch>,
    budget: Budget,
    workers: Vec<Arc<Mutex<Worker>>>,
}

impl Drop for Scripts {
    fn drop(&mut self) {
        self.watch.is_stopped.store(true, Ordering::Relaxed);
    }
}

impl Scripts {
    /// Nothing is compiled before the first call.
    pub(super) fn new(sources: Vec<Source>, budget: Budget) -> Scripts {
        Scripts {
            sources: Arc::new(sources),
            watch: Arc::default(),
            budget,
            workers: Vec::new(),
        }
    }

    /// What the map function of this place gives for objects, in their order.
    pub(super) async fn map(
        &mut self,
        place: usize,
        read: Vec<FoundObject>,
        argument: Option<&Value>,
    ) -> Result<Vec<Value>, Failure> {
        let wanted = read.len() / ROWS_OF_WORKER;
        self.make_workers(wanted.clamp(1, WORKERS_MAX)).await?;
        let workers = self.workers.len().min(wanted.max(1));
        let at_once = read.len().div_ceil(workers).max(1);
        let argument = argument.map(Value::to_string);
        let mut rest = read.into_iter();
        let mut running = Vec::new();
        for worker in &self.workers[..workers] {
            let found: Vec<FoundObject> = rest.by_ref().take(at_once).collect();
            let (worker, argument) = (worker.clone(), argument.clone());
            running.push(engine::on_another_thread(move || {
                worker.lock().map(place, found, argument.as_deref())
            }));
        }
        let mut results = Vec::new();
        for task in running {
            results.extend(task.await.map_err(panicked)??);
        }
        Ok(results)
    }

    /// What the reduce function of this place gives for values.
    pub(super) async fn reduce(
        &mut self,
        place: usize,
        values: Vec<Value>,
        argument: Option<&Value>,
    ) -> Result<Vec<Value>, Failure> {
        self.make_workers(1).await?;
        let worker = self.workers[0].clone();
        let argument = argument.map(Value::to_string);
        let task = engine::on_another_thread(move || {
            let values = Value::Array(values).to_string();
            worker.lock().reduce(place, &values, argument.as_deref())
        });
        task.await.map_err(panicked)?
    }

    /// Makes workers until there are `count`, as far as there is memory for more than one.
    async fn make_workers(&mut self, count: usize) -> Result<(), Failure> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        while self.workers.len() < count.min(threads) {
            let mut share = self.budget.share(Holder::Scripts);
            match self.workers.is_empty() {
                true => {
                    let room = share.wait(MEMORY_BYTES_FIRST, WAIT_MAX).await;
                    room.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))?;
                }
                false if share.set(MEMORY_BYTES_FIRST).is_err() => return Ok(()),
                false => {}
            }
            let worker = Worker::new(self.sources.clone(), self.watch.clone(), share);
            self.workers.push(Arc::new(Mutex::new(worker)));
        }
        Ok(())
    }
}

/// What a thread that ended without a result is told as.
pub(super) fn panicked(error: tokio::task::JoinError) -> RiakError {
    RiakError::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string())
}
