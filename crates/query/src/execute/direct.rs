//! Documents of index entries that go into the batch as they are found, as in most finds by an index. No hits and no results are made
//! in between, and projections read documents where they lie in their page.

use super::find::{FindSpec, FoundAt, PlanCursor, project, wanted};
use super::lookup::{CHUNK_BYTES, chunk_max};
use super::ready::FoundRecord;
use super::run::Run;
use super::stream::Batch;
use crate::Result;
use bytes::Bytes;
use language::projection::{Projection, RECORD_ID};
use store::{RecordId, Snapshot};
use value::RawDocument;

impl PlanCursor {
    /// Whether all that is left is to read the records of index entries and return their documents.
    pub(super) fn gives_directly(&self) -> bool {
        let Self { task, execution, .. } = self;
        let shows_record_id = task.spec.show_record_id
            || task
                .spec
                .projection
                .as_ref()
                .is_some_and(|projection| projection.needs_metadata(RECORD_ID));
        !task.positions && !task.keys && !shows_record_id && execution.only_looks_up()
    }

    /// Moves the documents of some more entries into the batch; those that do not fit are ready for the next one. To be called only if
    /// [`PlanCursor::gives_directly`].
    pub(super) async fn give_directly(&mut self, snapshot: &Snapshot, batch: &mut Batch<'_>) -> Result<()> {
        let missing = batch.room().min(chunk_max(snapshot));
        let run = Run {
            snapshot,
            task: &self.task,
            wanted: wanted(self.limit_left, self.skip_left, missing),
        };
        let mut records = Vec::new();
        self.execution.next_records(&run, &mut records).await?;
        let is_whole = self.task.spec.projection.is_none() && !self.execution.plan().residual;
        let mut left = records.as_slice();
        while !left.is_empty() && self.execution.ready() == 0 {
            let looked_up = match is_whole {
                true => self.give_whole(snapshot, left, batch).await?,
                false => self.give_written(snapshot, left, batch).await?,
            };
            left = &left[looked_up..];
        }
        self.execution.leave(left);
        Ok(())
    }

    /// Adds whole documents of the first of these records, all of which match. Returns how many were looked up.
    async fn give_whole(
        &mut self,
        snapshot: &Snapshot,
        records: &[RecordId],
        batch: &mut Batch<'_>,
    ) -> Result<usize> {
        let (in_hand, interruption) = (&mut self.execution.in_hand, &self.task.spec.interruption);
        in_hand.wait(batch.bytes(), snapshot, interruption).await?;
        let documents = snapshot.documents_within(records, CHUNK_BYTES).await?;
        let bytes = documents.iter().flatten().map(|document| document.bytes().len());
        in_hand.take(interruption, bytes.sum());
        let looked_up = documents.len();
        batch.reserve(batch.room().min(documents.len()));
        let (mut is_full, mut matches) = (false, 0);
        for (&record, document) in records.iter().zip(documents) {
            let Some(document) = document else { continue };
            matches += 1;
            if self.is_left_out(is_full) {
                continue;
            }
            is_full |= batch.room() == 0 || !batch.fits(&document);
            match is_full {
                true => self.execution.push_ready(FoundRecord::whole(record, document)),
                false => {
                    self.limit_left -= 1;
                    batch.push(document);
                }
            }
        }
        self.execution.note_given(looked_up, matches);
        Ok(looked_up)
    }

    /// Adds those documents of the first of these records that match, projected if there is a projection. They are written into one
    /// buffer, which they share. Returns how many were looked up.
    async fn give_written(
        &mut self,
        snapshot: &Snapshot,
        records: &[RecordId],
        batch: &mut Batch<'_>,
    ) -> Result<usize> {
        let (in_hand, interruption) = (&mut self.execution.in_hand, &self.task.spec.interruption);
        in_hand.wait(batch.bytes(), snapshot, interruption).await?;
        let documents = snapshot.raw_documents_within(records, CHUNK_BYTES).await?;
        in_hand.take(interruption, documents.bytes());
        let projection = self.task.spec.projection.clone();
        let mut buffer = Vec::new();
        let mut ends = Vec::with_capacity(batch.room().min(records.len()));
        let (mut is_full, mut matches) = (false, 0);
        for (&record, document) in records.iter().zip(documents.iter()) {
            let Some(document) = document else { continue };
            if self.execution.plan().residual && !self.task.spec.filter.matches(document.into())? {
                continue;
            }
            matches += 1;
            if self.is_left_out(is_full) {
                continue;
            }
            let start = buffer.len();
            if !is_full && batch.room() > ends.len() {
                write(&self.task.spec, projection.as_deref(), document, &mut buffer)?;
                is_full = !batch.fits_after(ends.len(), start, buffer.len() - start);
            } else {
                is_full = true;
            }
            if is_full {
                buffer.truncate(start);
                self.execution
                    .push_ready(FoundRecord::whole(record, document.to_buf()));
            } else {
                self.limit_left -= 1;
                ends.push(buffer.len());
            }
        }
        batch.push_all(Bytes::from(buffer), &ends);
        self.execution.note_given(documents.len(), matches);
        Ok(documents.len())
    }

    /// Whether a match is skipped or beyond the limit. If the batch is full, the next one decides.
    fn is_left_out(&mut self, is_full: bool) -> bool {
        if is_full {
            return false;
        }
        if self.skip_left > 0 {
            self.skip_left -= 1;
            return true;
        }
        self.limit_left == 0
    }
}

fn write(
    spec: &FindSpec,
    projection: Option<&Projection>,
    document: RawDocument<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    match projection {
        Some(projection) => project(spec, projection, document.into(), FoundAt::default(), out),
        None => {
            out.extend_from_slice(document.as_bytes());
            Ok(())
        }
    }
}
