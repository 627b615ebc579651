//! Listing the files of a bucket, page by page.

use super::access::index_on;
use super::live::encoded;
use super::{FileEntry, FileError, Files};
use std::ops::Bound;
use store::{Index, KeyRange, Order, PageLimit, Snapshot};
use value::{Value, doc};

/// Which files are listed.
#[derive(Clone, Debug, Default)]
pub struct ListRequest {
    /// Only names with this prefix.
    pub prefix: String,
    /// Where to continue: [`FilePage::next`] of the page before.
    pub after: Option<Vec<u8>>,
    /// The most files to return.
    pub limit: usize,
}

/// Some files of a bucket.
#[derive(Debug, Default)]
pub struct FilePage {
    /// The files: by name, versions of one name by date. A bucket without the drivers' index on names gives them by id.
    pub files: Vec<FileEntry>,
    /// Where the next page begins; none at the end.
    pub next: Option<Vec<u8>>,
}

/// The most entries that are read for one page.
const LOOKED_AT_MAX: usize = 10_000;

impl Files {
    /// The files of the bucket, all versions.
    pub async fn list(&self, request: &ListRequest) -> Result<FilePage, FileError> {
        let Some(files) = self.engine.store().collection(&self.bucket.files()) else {
            return Ok(FilePage::default());
        };
        let by_name = index_on(&files, &doc! {"filename": 1, "uploadDate": 1});
        let (index, by_name) = match by_name {
            Some(index) => (index, true),
            None => match files.indexes().into_iter().next() {
                Some(by_id) => (by_id, false),
                None => return Ok(FilePage::default()),
            },
        };
        let snapshot = files.snapshot().await?;
        let mut range = range_of(request, by_name);
        let mut page = FilePage::default();
        let mut looked_at = 0;
        loop {
            let wanted = request.limit.saturating_sub(page.files.len());
            let (found, position) = self.read_entries(&snapshot, &index, &range, wanted).await?;
            looked_at += found.len();
            for entry in found {
                let name = entry.name.as_deref().unwrap_or_default();
                if name.starts_with(&request.prefix) {
                    page.files.push(entry);
                } else if by_name {
                    // Names that begin with the prefix stand together.
                    return Ok(page);
                }
            }
            let Some(position) = position else {
                return Ok(page);
            };
            if page.files.len() >= request.limit || looked_at >= LOOKED_AT_MAX {
                page.next = Some(position);
                return Ok(page);
            }
            range.low = Bound::Excluded(position);
        }
    }

    /// Up to this many entries, and where to continue if there are more.
    async fn read_entries(
        &self,
        snapshot: &Snapshot,
        index: &Index,
        range: &KeyRange,
        count: usize,
    ) -> Result<(Vec<FileEntry>, Option<Vec<u8>>), FileError> {
        let limit = PageLimit {
            entries: count.max(1),
            ..PageLimit::default()
        };
        let page = snapshot.entries(index, range, Order::Forward, limit).await?;
        let records: Vec<_> = page.iter().map(|entry| entry.record).collect();
        let mut entries = Vec::with_capacity(records.len());
        let take = |_, document| -> Result<(), FileError> {
            entries.push(self.entry(&document)?);
            Ok(())
        };
        snapshot.visit_documents(&records, take).await?;
        let position = page.last_position().filter(|_| !page.exhausted());
        Ok((entries, position))
    }
}

fn range_of(request: &ListRequest, by_name: bool) -> KeyRange {
    let low = match &request.after {
        Some(position) => Bound::Excluded(position.clone()),
        None if by_name && !request.prefix.is_empty() => {
            let mut start = encoded(&Value::from(request.prefix.as_str()));
            // Without its end, the key of a text stands before those of all longer texts that begin with it.
            start.pop();
            Bound::Included(start)
        }
        None => Bound::Unbounded,
    };
    KeyRange {
        low,
        high: Bound::Unbounded,
    }
}
