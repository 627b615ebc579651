//! The work itself: batch after batch of one snapshot, each document as it was seen or not at all.

use crate::error::{ElasticError, Result};
use crate::index::Index;
use crate::limits::BULK_COMMIT_MAX;
use crate::scan::{self, Place};
use crate::scripts::Prepared;
use crate::source::SourceFilter;
use crate::tasks::Task;
use crate::write::{Change, Update, Write, document_of, write_all};
use search::{Held, Hit, Request, SortKey};
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// What is to be done with documents that are found.
pub(super) struct Job {
    pub(super) places: Vec<Place>,
    pub(super) request: Request,
    pub(super) work: Work,
    /// Whether it goes on where others have changed a document.
    pub(super) proceeds: bool,
    pub(super) most: Option<u64>,
    /// Seconds that a document takes at least.
    pub(super) pause: f64,
    /// The memory that its batches are of.
    pub(super) held: Held,
    /// Documents of one batch.
    pub(super) batch: usize,
}

/// What becomes of a document.
pub(super) enum Work {
    Delete,
    /// It is written again as it is, so that what has changed in the mapping is true of it.
    /// Where there is a script, it changes it.
    Touch {
        script: Option<Prepared>,
    },
    /// It is put into another index.
    Copy {
        index: Index,
        creates: bool,
        filter: SourceFilter,
    },
}

#[derive(Default)]
struct Counts {
    total: u64,
    done: u64,
    created: u64,
    updated: u64,
    deleted: u64,
    batches: u64,
    conflicts: u64,
    noops: u64,
    throttled: Duration,
    failures: Vec<Value>,
}

impl Job {
    pub(super) async fn run(mut self, task: &Task) -> Result<Value> {
        let begun = Instant::now();
        let mut counts = Counts::default();
        self.request.size = self.batch;
        loop {
            let show = |_: &Hit, _: &[SortKey], _: &Map<String, Value>| Ok(Value::Null);
            let found = scan::run(&self.request, false, &self.places, None, &self.held, &show)
                .await?
                .outcome;
            if counts.batches == 0 {
                counts.total = self.most.map_or(found.total, |most| found.total.min(most));
            }
            let left = counts.total.saturating_sub(counts.done) as usize;
            let hits = &found.hits[..found.hits.len().min(left)];
            let Some(last) = hits.last() else { break };
            counts.batches += 1;
            for part in hits.chunks(BULK_COMMIT_MAX) {
                self.write(part, &mut counts).await?;
            }
            task.set_status(self.status(&counts));
            let is_over = !counts.failures.is_empty() || task.is_cancelled();
            if is_over || hits.len() < self.batch {
                break;
            }
            self.request.after = Some(Box::new(last.place()));
            if self.pause > 0.0 {
                let due = Duration::from_secs_f64((self.pause * hits.len() as f64).min(3600.0));
                counts.throttled += due;
                tokio::time::sleep(due).await;
            }
        }
        let mut answer = json!({"took": begun.elapsed().as_millis() as u64, "timed_out": false});
        if let (Value::Object(answer), Value::Object(status)) = (&mut answer, self.status(&counts)) {
            answer.extend(status);
        }
        if task.is_cancelled() {
            answer["canceled"] = json!("by user request");
        }
        answer["failures"] = json!(counts.failures);
        Ok(answer)
    }

    async fn write(&self, hits: &[Hit], counts: &mut Counts) -> Result<()> {
        for (at, place) in self.places.iter().enumerate() {
            let own: Vec<&Hit> = hits.iter().filter(|hit| hit.index == at).collect();
            if own.is_empty() {
                continue;
            }
            let writes = own
                .iter()
                .map(|hit| self.change(hit))
                .collect::<Result<Vec<_>>>()?;
            let index = match &self.work {
                Work::Copy { index, .. } => index,
                Work::Delete | Work::Touch { .. } => &place.index,
            };
            for (write, result) in writes.iter().zip(write_all(index, &writes).await?) {
                counts.done += 1;
                match result {
                    Ok(written) => match written.result {
                        "created" => counts.created += 1,
                        "deleted" => counts.deleted += 1,
                        "not_found" => counts.conflicts += 1,
                        "noop" => counts.noops += 1,
                        _ => counts.updated += 1,
                    },
                    Err(error) => self.failed(index, write, &error, counts),
                }
            }
        }
        Ok(())
    }

    fn failed(&self, index: &Index, write: &Write, error: &ElasticError, counts: &mut Counts) {
        let is_conflict = error.kind == "version_conflict_engine_exception";
        counts.conflicts += u64::from(is_conflict);
        if !is_conflict || !self.proceeds {
            counts.failures.push(json!({
                "index": index.name, "type": "_doc", "id": write.id, "cause": error.to_json(), "status": error.status.as_u16(),
            }));
        }
    }

    fn change(&self, hit: &Hit) -> Result<Write> {
        let unchanged = Some((hit.sequence, 1));
        let (change, condition) = match &self.work {
            Work::Delete => (Change::Delete, unchanged),
            Work::Touch { script: Some(script) } => {
                let update = Update {
                    script: Some(script.clone()),
                    ..Update::default()
                };
                (Change::Update(update), unchanged)
            }
            Work::Touch { script: None } => {
                let mut document = hit.document.to_document();
                document.remove("_id");
                let create = false;
                (Change::Put { document, create }, unchanged)
            }
            Work::Copy { creates, filter, .. } => {
                let shown = filter.shown(&hit.document);
                let document = match filter.is_all() {
                    true => {
                        let mut document = hit.document.to_document();
                        document.remove("_id");
                        document
                    }
                    false => document_of(shown.to_string().as_bytes())?,
                };
                let create = *creates;
                (Change::Put { document, create }, None)
            }
        };
        Ok(Write {
            id: hit.id.clone(),
            change,
            condition,
            version: None,
        })
    }

    fn status(&self, counts: &Counts) -> Value {
        let rate = if self.pause > 0.0 { 1.0 / self.pause } else { -1.0 };
        json!({
            "total": counts.total, "updated": counts.updated, "created": counts.created, "deleted": counts.deleted,
            "batches": counts.batches, "version_conflicts": counts.conflicts, "noops": counts.noops,
            "retries": {"bulk": 0, "search": 0}, "throttled_millis": counts.throttled.as_millis() as u64,
            "requests_per_second": rate, "throttled_until_millis": 0,
        })
    }
}
