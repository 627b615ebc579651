//! Work that goes on while others ask after it: changes of all documents that a query finds. Each is an operation of the engine
//! as well, listed and ended like others.

use crate::node::NODE_ID;
use code::Code;
use engine::Context;
use http::StatusCode;
use indices::error::{ElasticError, Result};
use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Ended tasks whose outcomes are remembered.
const ENDED_MAX: usize = 1000;
/// Tasks that run at a time at most.
pub const RUNNING_MAX: usize = 100;

/// All tasks.
#[derive(Debug, Default)]
pub struct Tasks {
    last: AtomicU64,
    all: Mutex<BTreeMap<u64, Arc<Task>>>,
    under_way: Mutex<JoinSet<()>>,
}

/// What a task is.
#[derive(Debug)]
pub struct About {
    /// What is done, by Elasticsearch's name.
    pub action: &'static str,
    /// What it is done with, for people.
    pub description: String,
    /// What the client calls its request.
    pub opaque_id: Option<String>,
    /// What it runs under, by which it is ended, too.
    pub context: Context,
}

/// One task.
#[derive(Debug)]
pub struct Task {
    /// Its number.
    pub id: u64,
    about: About,
    started_ms: u64,
    started: Instant,
    status: Mutex<Value>,
    /// Seconds that a document takes at least.
    pause: watch::Sender<f64>,
    is_cancelled: AtomicBool,
    ended: Mutex<Option<Ended>>,
}

#[derive(Clone, Debug)]
struct Ended {
    outcome: Result<Value>,
    nanos: u64,
}

impl Tasks {
    /// Begins a task.
    pub fn begin(&self, about: About, now_ms: u64) -> Result<Arc<Task>> {
        let mut all = self.all.lock();
        let running = all.values().filter(|task| task.ended.lock().is_none()).count();
        if running >= RUNNING_MAX {
            let reason =
                format!("{RUNNING_MAX} tasks are running already; wait until one has ended, or cancel one");
            return Err(ElasticError::new(
                StatusCode::TOO_MANY_REQUESTS,
                "es_rejected_execution_exception",
                reason,
            ));
        }
        if all.len() - running >= ENDED_MAX
            && let Some(oldest) = all
                .values()
                .find(|task| task.ended.lock().is_some())
                .map(|task| task.id)
        {
            all.remove(&oldest);
        }
        let task = Arc::new(Task {
            id: self.last.fetch_add(1, Ordering::Relaxed) + 1,
            about,
            started_ms: now_ms,
            started: Instant::now(),
            status: Mutex::new(json!({})),
            pause: watch::Sender::new(0.0),
            is_cancelled: AtomicBool::new(false),
            ended: Mutex::new(None),
        });
        all.insert(task.id, task.clone());
        Ok(task)
    }

    /// Does the work of a task beside its request.
    pub fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let mut under_way = self.under_way.lock();
        // Those that have ended are forgotten.
        while under_way.try_join_next().is_some() {}
        under_way.spawn(work);
    }

    /// Waits until no work is done any more, but not for long.
    pub async fn end(&self, time_max: Duration) {
        let mut under_way = std::mem::take(&mut *self.under_way.lock());
        let ended = async { while under_way.join_next().await.is_some() {} };
        if tokio::time::timeout(time_max, ended).await.is_err() {
            tracing::warn!("tasks were cut off that went on long after the stop");
        }
    }

    /// A number for a request that is shown among tasks.
    pub fn number(&self) -> u64 {
        self.last.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The task of this number.
    pub fn one(&self, id: u64) -> Option<Arc<Task>> {
        self.all.lock().get(&id).cloned()
    }

    /// Those that run.
    pub fn running(&self) -> Vec<Arc<Task>> {
        let all = self.all.lock();
        all.values()
            .filter(|task| task.ended.lock().is_none())
            .cloned()
            .collect()
    }
}

impl Task {
    /// Its id as clients name it.
    pub fn name(&self) -> String {
        format!("{NODE_ID}:{}", self.id)
    }

    /// Says how far it is.
    pub fn set_status(&self, status: Value) {
        *self.status.lock() = status;
    }

    /// Says how many seconds a document is to take at least.
    pub fn set_pause(&self, seconds: f64) {
        self.pause.send_replace(seconds);
    }

    /// How many seconds a document is to take at least, as it changes.
    pub fn pause(&self) -> watch::Receiver<f64> {
        self.pause.subscribe()
    }

    /// What it runs under.
    pub fn context(&self) -> &Context {
        &self.about.context
    }

    /// Asks it to end.
    pub fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
        self.about.context.kill(Code::INTERRUPTED);
    }

    /// Whether it was asked to end.
    pub fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    /// It has ended with this.
    pub fn end(&self, outcome: Result<Value>) {
        let nanos = self.started.elapsed().as_nanos() as u64;
        *self.ended.lock() = Some(Ended { outcome, nanos });
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.ended.lock().is_some()
    }

    /// The task as `_tasks` shows it.
    pub fn shown(&self, detailed: bool) -> Value {
        let nanos = match &*self.ended.lock() {
            Some(ended) => ended.nanos,
            None => self.started.elapsed().as_nanos() as u64,
        };
        let mut shown = described(
            self.id,
            self.about.action,
            self.started_ms,
            nanos,
            self.about.opaque_id.as_deref(),
        );
        shown["cancellable"] = json!(true);
        shown["cancelled"] = json!(self.is_cancelled());
        shown["status"] = self.status.lock().clone();
        if detailed {
            shown["description"] = json!(self.about.description);
        }
        shown
    }

    /// The task as `_tasks/{id}` shows it: with its outcome once it has one.
    pub fn whole(&self) -> Value {
        let mut answer = json!({"completed": self.has_ended(), "task": self.shown(true)});
        match self.ended.lock().as_ref().map(|ended| &ended.outcome) {
            Some(Ok(outcome)) => answer["response"] = outcome.clone(),
            Some(Err(error)) => answer["error"] = error.to_json(),
            None => {}
        }
        answer
    }
}

/// What is told of every task.
pub fn described(id: u64, action: &str, started_ms: u64, nanos: u64, opaque_id: Option<&str>) -> Value {
    let headers: Map<String, Value> = opaque_id
        .map(|id| ("X-Opaque-Id".to_owned(), json!(id)))
        .into_iter()
        .collect();
    json!({
        "node": NODE_ID, "id": id, "type": "transport", "action": action, "start_time_in_millis": started_ms,
        "running_time_in_nanos": nanos, "cancellable": false, "headers": headers,
    })
}
