//! How far the work has come, and how it goes on.

use indices::Index;
use indices::error::{ElasticError, Result, kinds};
use indices::write::{Write, Written};
use rest::tasks::Task;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The longest rest between two batches, as Elasticsearch has it: a mistyped rate would otherwise hold the snapshot for years.
const REST_MAX: Duration = Duration::from_secs(3600);

/// How the work goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Whether it goes on where others have changed a document.
    pub(super) proceeds: bool,
    /// Documents at most.
    pub(super) most: Option<u64>,
    /// Seconds that a document takes at least.
    pub(super) pause: f64,
    /// Documents of one batch.
    pub(super) batch: usize,
}

/// What was done until now.
pub(super) struct Progress {
    pace: Pace,
    begun: Instant,
    total: u64,
    done: u64,
    created: u64,
    updated: u64,
    deleted: u64,
    batches: u64,
    conflicts: u64,
    noops: u64,
    search_retries: u64,
    throttled: Duration,
    failures: Vec<Value>,
}

impl Progress {
    pub(super) fn new(pace: Pace) -> Progress {
        Progress {
            pace,
            begun: Instant::now(),
            total: 0,
            done: 0,
            created: 0,
            updated: 0,
            deleted: 0,
            batches: 0,
            conflicts: 0,
            noops: 0,
            search_retries: 0,
            throttled: Duration::ZERO,
            failures: Vec::new(),
        }
    }

    /// Takes a batch on, the first of which says how many documents there are; how many of its own are wanted.
    pub(super) fn take(&mut self, batch: usize, found: u64) -> usize {
        if self.batches == 0 {
            self.total = self.pace.most.map_or(found, |most| found.min(most));
        }
        let left = usize::try_from(self.total.saturating_sub(self.done)).unwrap_or(usize::MAX);
        let wanted = batch.min(left);
        self.batches += u64::from(wanted > 0);
        wanted
    }

    /// Counts what became of documents of this index.
    pub(super) fn wrote(&mut self, index: &Index, writes: &[Write], results: Vec<Result<Written>>) {
        for (write, result) in writes.iter().zip(results) {
            self.done += 1;
            match result {
                Ok(written) => match written.result {
                    "created" => self.created += 1,
                    "deleted" => self.deleted += 1,
                    "not_found" => self.conflicts += 1,
                    "noop" => self.noops += 1,
                    _ => self.updated += 1,
                },
                Err(error) => self.failed(index, write, &error),
            }
        }
    }

    /// Counts a document of which nothing was to become anything.
    pub(super) fn passed(&mut self) {
        self.done += 1;
        self.noops += 1;
    }

    fn failed(&mut self, index: &Index, write: &Write, error: &ElasticError) {
        let is_conflict = error.kind == kinds::CONFLICT;
        self.conflicts += u64::from(is_conflict);
        if !is_conflict || !self.pace.proceeds {
            self.failures.push(json!({
                "index": index.name, "type": "_doc", "id": write.id, "cause": error.to_json(), "status": error.status.as_u16(),
            }));
        }
    }

    /// A batch was asked for again.
    pub(super) fn retried(&mut self) {
        self.search_retries += 1;
    }

    /// Whether nothing more is to be done after a batch of n documents.
    pub(super) fn is_over(&self, task: &Task, batch: usize) -> bool {
        !self.failures.is_empty() || task.is_cancelled() || batch < self.pace.batch || self.done >= self.total
    }

    /// Waits as long as documents are to take beyond the work itself. A task that is told to be faster meanwhile is so at once.
    pub(super) async fn rest(&mut self, task: &Task, documents: usize) {
        let begun = Instant::now();
        let mut pauses = task.pause();
        let mut due = REST_MAX;
        loop {
            let pause = *pauses.borrow_and_update();
            if pause != self.pace.pause {
                self.pace.pause = pause;
                task.set_status(self.status());
            }
            due = due.min(Duration::from_secs_f64(
                (pause * documents as f64).min(REST_MAX.as_secs_f64()),
            ));
            let left = due.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            tokio::select! {
                () = tokio::time::sleep(left) => break,
                // The task keeps the other end as long as it is there.
                _ = pauses.changed() => {}
            }
        }
        self.throttled += due.min(begun.elapsed());
    }

    /// The progress as tasks show it.
    pub(super) fn status(&self) -> Value {
        let pause = self.pace.pause;
        let rate = if pause > 0.0 { 1.0 / pause } else { -1.0 };
        json!({
            "total": self.total, "updated": self.updated, "created": self.created, "deleted": self.deleted,
            "batches": self.batches, "version_conflicts": self.conflicts, "noops": self.noops,
            "retries": {"bulk": 0, "search": self.search_retries}, "throttled_millis": self.throttled.as_millis() as u64,
            "requests_per_second": rate, "throttled_until_millis": 0,
        })
    }

    /// What is said at the end.
    pub(super) fn answer(self, task: &Task) -> Value {
        let mut answer = json!({"took": self.begun.elapsed().as_millis() as u64, "timed_out": false});
        if let (Value::Object(answer), Value::Object(status)) = (&mut answer, self.status()) {
            answer.extend(status);
        }
        if task.is_cancelled() {
            answer["canceled"] = json!("by user request");
        }
        answer["failures"] = json!(self.failures);
        answer
    }
}
