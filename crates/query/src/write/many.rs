//! One statement that changes all documents that match.

use super::change::{Change, ChangeOne, Missing};
use super::lookup::Lookup;
use super::report::Report;
use super::single::{Done, done};
use super::{CHANGED_BYTES_PER_COMMIT_MAX, CHANGES_PER_COMMIT_MAX, WriteError, WriteOptions};
use crate::execute::FoundRecord;
use std::sync::Arc;
use store::{Collection, CommitOptions, Target, WriteOp};

/// The number of documents in the first commit: few, because their size is not known yet.
const FIRST_PAGE_RECORDS: usize = 64;

/// The numbers of documents that a statement matched and changed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) matched: u64,
    pub(super) changed: u64,
}

/// Changes every document that the lookup finds, one commit a page. The first failure ends it; the changes before it
/// stay, as in MongoDB.
pub(super) async fn change_all(
    collection: &Arc<Collection>,
    change: Arc<Change>,
    lookup: &Lookup,
    options: &WriteOptions,
) -> Result<Counts, WriteError> {
    let mut counts = Counts::default();
    let mut cursor = lookup.all(collection, &options.interruption).await?;
    let mut page_records = FIRST_PAGE_RECORDS;
    loop {
        options.interruption.check()?;
        let page = cursor.next_page(page_records).await?;
        if page.is_empty() {
            return Ok(counts);
        }
        page_records = next_page_records(&page);
        let mut reports = Vec::with_capacity(page.len());
        let mut ops = Vec::with_capacity(page.len());
        for found in page {
            let report = Report::default();
            let one = ChangeOne {
                change: change.clone(),
                missing: Missing::Stays,
                drawn: change.drawn(&found.document),
                report: report.clone(),
            };
            ops.push(WriteOp::modify(Target::Record(found.record), one));
            reports.push(report);
        }
        let commit = CommitOptions {
            ordered: true,
            ..options.commit(Vec::new())
        };
        for (outcome, report) in collection.commit(ops, commit).await?.into_iter().zip(&reports) {
            match done(outcome, report)? {
                Done::Changed { .. } | Done::Deleted(_) => {
                    counts.matched += 1;
                    counts.changed += 1;
                }
                Done::Unchanged(_) => counts.matched += 1,
                Done::NothingMatched | Done::Upserted(_) | Done::Replayed(_) => {}
            }
        }
    }
}

/// The number of documents, of the size seen so far, that one commit may take.
fn next_page_records(page: &[FoundRecord]) -> usize {
    let bytes: usize = page.iter().map(|found| found.document.bytes().len()).sum();
    let mean_bytes = (bytes / page.len().max(1)).max(1);
    (CHANGED_BYTES_PER_COMMIT_MAX / mean_bytes).clamp(1, CHANGES_PER_COMMIT_MAX)
}
