//! Calling a visitor with documents one by one where they lie, for callers that need each of them only for a moment.

use super::execution::Paused;
use super::find::PlanCursor;
use super::run::Run;
use super::stream::{StreamState, visit_all};
use super::visitor::Visitor;
use crate::Result;
use language::metrics;

impl PlanCursor {
    /// Calls a visitor with about `documents_max` documents; see [`super::DocumentStream::visit`].
    pub(super) async fn visit(
        &mut self,
        visitor: &mut dyn Visitor,
        documents_max: usize,
        bytes_max: usize,
    ) -> Result<StreamState> {
        if !(self.gives_whole_documents() && self.execution.only_scans()) {
            let mut batch = Vec::new();
            let state = self.next_batch(&mut batch, documents_max, bytes_max).await?;
            visit_all(&batch, visitor)?;
            return Ok(state);
        }
        let snapshot = self.next_snapshot().await?;
        metrics::note(|metrics| metrics.planned(self.execution.plan().clone()));
        let run = Run {
            snapshot: &snapshot,
            task: &self.task,
            wanted: documents_max,
        };
        let paused = self.execution.visit(&run, visitor).await?;
        self.execution.suspend();
        Ok(match paused {
            Paused::Exhausted => StreamState::Exhausted,
            Paused::Filled | Paused::Spent => {
                tokio::task::yield_now().await;
                StreamState::More
            }
        })
    }
}
