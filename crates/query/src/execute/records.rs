//! Finding records to change: one snapshot for the whole statement.

use super::execution::{Execution, Paused};
use super::find::{FIRST_BATCH, FindSpec};
use super::ready::FoundRecord;
use super::run::{Run, Task};
use crate::Result;
use std::sync::Arc;
use store::{Collection, Snapshot};

/// A page ends after this many bytes of documents.
const PAGE_BYTES: usize = 2 << 20;

/// The records that a statement is to change. They are read from one snapshot, so that no document is found again after the
/// statement itself has changed it.
#[derive(Debug)]
pub struct RecordCursor {
    snapshot: Snapshot,
    task: Task,
    execution: Execution,
    skip_left: u64,
    limit_left: u64,
}

/// Begins to find records.
pub async fn find_records(collection: &Arc<Collection>, spec: FindSpec) -> Result<RecordCursor> {
    let snapshot = collection.snapshot().await?;
    let wanted = spec
        .results_max()
        .map_or(FIRST_BATCH, |max| (max as usize).min(FIRST_BATCH))
        .max(1);
    let (skip_left, limit_left) = (spec.skip, spec.limit.unwrap_or(u64::MAX));
    let task = Task::new(spec);
    let run = Run {
        snapshot: &snapshot,
        task: &task,
        wanted,
    };
    let execution = run.prepare(collection).await?.execution;
    Ok(RecordCursor {
        snapshot,
        task,
        execution,
        skip_left,
        limit_left,
    })
}

impl RecordCursor {
    /// The next records with whole documents: at most the given number, fewer if they are long, none at the end.
    pub async fn next_page(&mut self, records_max: usize) -> Result<Vec<FoundRecord>> {
        let mut page = Vec::new();
        let mut bytes = 0;
        while page.len() < records_max && bytes < PAGE_BYTES && self.limit_left > 0 {
            let within_limit = usize::try_from(self.limit_left).unwrap_or(usize::MAX);
            let skipped = usize::try_from(self.skip_left).unwrap_or(usize::MAX);
            let wanted = (records_max - page.len())
                .min(within_limit)
                .saturating_add(skipped);
            let run = Run {
                snapshot: &self.snapshot,
                task: &self.task,
                wanted,
            };
            self.execution.keep(bytes);
            let paused = self.execution.fill(&run).await?;
            while page.len() < records_max && bytes < PAGE_BYTES && self.limit_left > 0 {
                let Some(found) = self.execution.take() else { break };
                if self.skip_left > 0 {
                    self.skip_left -= 1;
                    continue;
                }
                self.limit_left -= 1;
                bytes += found.document.bytes().len();
                page.push(found);
            }
            if paused == Paused::Exhausted {
                break;
            }
        }
        Ok(page)
    }

    /// The execution, with its counters.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }
}
