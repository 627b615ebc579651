//! Counting.

use super::execution::Paused;
use super::find::FindSpec;
use super::run::{Run, Task};
use crate::Result;
use language::filter::Node;
use language::metrics;
use std::sync::Arc;
use store::{Collection, Snapshot};

/// The number of results that a plan must return to win.
const TRIAL_RESULTS: usize = 1000;

/// The number of documents that match, within skip and limit.
pub async fn count(collection: &Arc<Collection>, spec: FindSpec) -> Result<u64> {
    let snapshot = spec.snapshot(collection).await?;
    if let Some(known) = known_count(&snapshot, &spec) {
        metrics::note(|metrics| metrics.planned(Arc::new("RECORD_STORE_FAST_COUNT")));
        return Ok(known);
    }
    let task = Task {
        records_only: true,
        ..Task::new(spec)
    };
    let spec = &task.spec;
    let trial = Run {
        snapshot: &snapshot,
        task: &task,
        wanted: TRIAL_RESULTS,
    };
    let mut execution = trial.prepare(collection).await?.execution;
    let enough = spec.results_max().unwrap_or(u64::MAX);
    let mut counted = 0u64;
    let mut records = Vec::new();
    loop {
        let wanted = usize::try_from(enough - counted)
            .unwrap_or(usize::MAX)
            .min(TRIAL_RESULTS);
        let run = Run { wanted, ..trial };
        let is_end = if execution.only_looks_up() && !execution.plan().residual {
            // Only the number of entries matters.
            records.clear();
            execution.next_records(&run, &mut records).await?;
            execution.note_given(0, records.len());
            counted += records.len() as u64;
            execution.is_finished()
        } else {
            let paused = execution.fill(&run).await?;
            while execution.take().is_some() {
                counted += 1;
            }
            paused == Paused::Exhausted
        };
        if is_end || counted >= enough {
            return Ok(within(counted, spec));
        }
    }
}

/// The count of all documents, which is known without reading them; `None` if the request selects only some.
pub(crate) fn known_count(snapshot: &Snapshot, spec: &FindSpec) -> Option<u64> {
    let everything = matches!(spec.filter.root(), Node::AlwaysTrue);
    let is_known = everything && spec.hint.is_none() && spec.min.is_none() && spec.max.is_none();
    is_known.then(|| within(snapshot.count(), spec))
}

/// The number of matches that remain after the skip and within the limit.
fn within(matches: u64, spec: &FindSpec) -> u64 {
    matches
        .saturating_sub(spec.skip)
        .min(spec.limit.unwrap_or(u64::MAX))
}
