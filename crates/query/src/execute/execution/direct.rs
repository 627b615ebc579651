//! Documents that are returned as they are found, without the hits that an execution keeps otherwise.

use super::{Execution, KEYS_BETWEEN_CHECKS, Paused};
use crate::Result;
use crate::execute::hit::Hit;
use crate::execute::lookup::chunk_max;
use crate::execute::ready::FoundRecord;
use crate::execute::run::Run;
use crate::execute::source::{Source, Stopped};
use crate::execute::visitor::Visitor;
use language::metrics;
use store::RecordId;

impl Execution {
    /// Whether all that is left is to scan the collection and match its documents.
    pub(in crate::execute) fn only_scans(&self) -> bool {
        matches!(self.source, Source::Collection(_)) && self.keeps_nothing()
    }

    /// Calls a visitor with about as many documents as are wanted, and the filter that they must match. To be called only if
    /// [`Execution::only_scans`].
    pub(in crate::execute) async fn visit(
        &mut self,
        run: &Run<'_>,
        visitor: &mut dyn Visitor,
    ) -> Result<Paused> {
        let Source::Collection(cursor) = &mut self.source else {
            return Ok(Paused::Spent);
        };
        let filter = self.plan.residual.then_some(&*run.task.spec.filter);
        let (mut looked_at, mut matched) = (0, 0);
        let mut paused = Paused::Filled;
        while looked_at < run.wanted {
            run.task.spec.interruption.check()?;
            self.in_hand.wait(0, run.snapshot, run.interruption()).await?;
            let Some((page, places)) = cursor.next_page(run.snapshot).await? else {
                self.in_hand.keep(0);
                self.exhausted = true;
                paused = Paused::Exhausted;
                break;
            };
            self.in_hand.take(run.interruption(), page.bytes());
            looked_at += places.len();
            for at in places {
                matched += u64::from(visitor.visit(page.raw(at), filter)?);
            }
            tokio::task::yield_now().await;
        }
        self.counters.documents += looked_at as u64;
        self.counters.matched += matched;
        self.counters.results += matched;
        metrics::note(|metrics| metrics.examined(0, looked_at as u64));
        Ok(paused)
    }

    /// Whether all that is left is to look up the records of index entries in their order, and match their documents.
    pub(in crate::execute) fn only_looks_up(&self) -> bool {
        self.source.gives_records() && self.keeps_nothing()
    }

    /// Whether the next results are neither sorted nor compared with earlier ones, and none wait before them.
    fn keeps_nothing(&self) -> bool {
        self.seen.is_none()
            && self.plan.sort.is_none()
            && self.ready.is_empty()
            && self.pending.is_empty()
            && !self.exhausted
    }

    /// The records of as many more entries as are expected to have the wanted results. To be called only if
    /// [`Execution::only_looks_up`].
    pub(in crate::execute) async fn next_records(
        &mut self,
        run: &Run<'_>,
        records: &mut Vec<RecordId>,
    ) -> Result<()> {
        run.task.spec.interruption.check()?;
        let max = self.next_chunk(run.wanted, chunk_max(run.snapshot));
        let before = self.counters.keys();
        let mut budget = KEYS_BETWEEN_CHECKS;
        let stopped = self
            .source
            .records(run.snapshot, records, max, &mut budget)
            .await?;
        self.exhausted = stopped == Stopped::Exhausted;
        self.counters.scans = self.source.counters();
        metrics::note(|metrics| metrics.examined(self.counters.keys() - before, 0));
        if stopped == Stopped::Spent {
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Counts documents that were examined, and matches that were returned, without having been ready results.
    pub(in crate::execute) fn note_given(&mut self, documents: usize, matches: usize) {
        self.counters.documents += documents as u64;
        self.counters.matched += matches as u64;
        self.counters.results += matches as u64;
        metrics::note(|metrics| metrics.examined(0, documents as u64));
    }

    /// Adds a result after the ready ones.
    pub(in crate::execute) fn push_ready(&mut self, found: FoundRecord) {
        self.ready.push(found);
    }

    /// Adds records after the ready results, to be looked up later.
    pub(in crate::execute) fn leave(&mut self, records: &[RecordId]) {
        self.pending.extend(records.iter().copied().map(Hit::of_record));
        self.exhausted &= self.pending.is_empty();
    }
}
