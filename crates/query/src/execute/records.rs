//! Finding records to change: one snapshot for the whole statement.

use super::execution::{Execution, Found, Paused};
use super::find::{FIRST_BATCH, FindSpec};
use super::prepare::{Prepared, prepare};
use crate::Result;
use std::sync::Arc;
use store::{Collection, Snapshot};

/// The records that a statement is to change. It reads one snapshot, so that no document is met again after the
/// statement itself has changed it.
#[derive(Debug)]
pub struct RecordCursor {
    snapshot: Snapshot,
    spec: FindSpec,
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
    let Prepared { execution, .. } = prepare(collection, &snapshot, &spec, &spec.task(), wanted).await?;
    let limit_left = spec.limit.unwrap_or(u64::MAX);
    Ok(RecordCursor {
        snapshot,
        execution,
        skip_left: spec.skip,
        limit_left,
        spec,
    })
}

impl RecordCursor {
    /// The next records with whole documents, at most the given number; empty at the end.
    pub async fn next_page(&mut self, records_max: usize) -> Result<Vec<Found>> {
        let task = self.spec.task();
        let mut page = Vec::new();
        while page.len() < records_max && self.limit_left > 0 {
            let within_limit = usize::try_from(self.limit_left).unwrap_or(usize::MAX);
            let skipped = usize::try_from(self.skip_left).unwrap_or(usize::MAX);
            let wanted = (records_max - page.len())
                .min(within_limit)
                .saturating_add(skipped);
            let mut budget = u64::MAX;
            let paused = self
                .execution
                .run(&self.snapshot, &task, wanted, &mut budget)
                .await?;
            while page.len() < records_max && self.limit_left > 0 {
                let Some(found) = self.execution.take() else { break };
                if self.skip_left > 0 {
                    self.skip_left -= 1;
                    continue;
                }
                self.limit_left -= 1;
                page.push(found);
            }
            if paused == Paused::Exhausted {
                break;
            }
        }
        Ok(page)
    }

    /// What was examined so far.
    pub fn execution(&self) -> &Execution {
        &self.execution
    }
}
