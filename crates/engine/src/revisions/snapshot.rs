//! Reading revisions, changes and local documents as of one moment.

use super::{Change, ChangePage, DocumentHistory, Order, PageLimit, Record, RecordId, Revision};
use crate::error::{Error, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use std::ops::Bound;
use std::sync::Arc;
use store::{Collection, Index, IndexEntry, KeyRange, PartitionStats, Sequence, Snapshot};
use value::key::{self, Direction};
use value::{DocumentBuf, Value, ValueRef};

/// A collection with its revisions at one moment.
#[derive(Debug)]
pub struct RevisionedSnapshot {
    pub(super) snapshot: Snapshot,
    ids: Arc<Index>,
}

/// The form of the tokens of positions, their first byte: tokens of another form are refused.
const TOKEN_FORM: u8 = 1;

/// A position in an index of a collection, in the order of its ascending keys. Only the store knows what it is made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DocumentPosition(Vec<u8>);

impl DocumentPosition {
    pub(super) fn of_key(key: Vec<u8>) -> DocumentPosition {
        DocumentPosition(key)
    }

    /// The position of a token that a client sends back; `None` if the text is not a token. A made-up token is a position between
    /// two documents.
    pub fn from_token(token: &str) -> Option<DocumentPosition> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        match bytes.split_first() {
            Some((&TOKEN_FORM, key)) => Some(DocumentPosition(key.to_vec())),
            _ => None,
        }
    }

    /// The position as a token for clients, which means nothing to them.
    pub fn to_token(&self) -> String {
        let mut bytes = vec![TOKEN_FORM];
        bytes.extend_from_slice(&self.0);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position of an `_id` among all.
    pub fn of_id(id: ValueRef<'_>) -> DocumentPosition {
        let mut bytes = Vec::new();
        key::encode(id, Direction::Ascending, &mut bytes);
        DocumentPosition(bytes)
    }
}

impl RevisionedSnapshot {
    /// The revisions in a snapshot of this collection.
    pub(super) fn new(collection: &Collection, snapshot: Snapshot) -> Result<RevisionedSnapshot> {
        let ids =
            collection.indexes().into_iter().next().ok_or_else(|| {
                Error::new(code::Code::INTERNAL_ERROR, "a collection without its _id_ index")
            })?;
        Ok(RevisionedSnapshot { snapshot, ids })
    }

    /// The position after the last change in it.
    pub fn head(&self) -> Sequence {
        self.snapshot.head()
    }

    /// The number of documents that are not deleted. Documents of a time series that repeat an `_id` are not counted.
    pub fn count(&self) -> u64 {
        self.snapshot.ids_count()
    }

    /// The mean length of its documents, in bytes.
    pub fn mean_bytes(&self) -> usize {
        self.snapshot.mean_bytes()
    }

    /// What a partition of a partitioned collection holds.
    pub async fn partition(&self, name: &str) -> Result<PartitionStats> {
        Ok(self.snapshot.partition(name).await?)
    }

    /// The winning revision of a document that is not deleted.
    pub async fn document(&self, id: ValueRef<'_>) -> Result<Option<Record>> {
        Ok(self.snapshot.by_id(id).await?)
    }

    /// The revision of a deleted document's deletion, and what was written with it.
    pub async fn deletion(&self, id: ValueRef<'_>) -> Result<Option<(Revision, Option<DocumentBuf>)>> {
        Ok(self.snapshot.deletion(id).await?)
    }

    /// All revisions of a document, deleted or not; `None` if it has never existed.
    pub async fn history(&self, id: ValueRef<'_>) -> Result<Option<DocumentHistory>> {
        Ok(self.snapshot.history(id).await?)
    }

    /// All revisions of a document that was read.
    pub async fn history_of(&self, record: &Record) -> Result<DocumentHistory> {
        Ok(self.snapshot.history_of(record).await?)
    }

    /// The content of the revision at a place of the history; `None` if it is no longer kept.
    pub async fn body(&self, history: &DocumentHistory, at: usize) -> Result<Option<DocumentBuf>> {
        Ok(self.snapshot.body(history, at).await?)
    }

    /// The changes after `from` in this order, or before it if backward: at most `limit`, fewer if their documents are long. Empty
    /// at the end of the log.
    pub async fn changes(&self, from: &Sequence, order: Order, limit: usize) -> Result<Vec<Change>> {
        Ok(self.snapshot.changes(from, order, limit).await?)
    }

    /// As [`RevisionedSnapshot::changes`], limited by the bytes of the documents too. Also returns whether these are the last.
    pub async fn change_page(&self, from: &Sequence, order: Order, limit: PageLimit) -> Result<ChangePage> {
        Ok(self.snapshot.change_page(from, order, limit).await?)
    }

    /// Documents in the order of their `_id`s, and the position after which to continue, to be given as `after`; `None` if there are no
    /// more. The bytes of the last document may go beyond the limit.
    pub async fn documents(
        &self,
        range: (Bound<Value>, Bound<Value>),
        after: Option<&DocumentPosition>,
        order: Order,
        limit: PageLimit,
    ) -> Result<(Vec<Record>, Option<DocumentPosition>)> {
        let mut keys = KeyRange {
            low: bound(range.0),
            high: bound(range.1),
        };
        if !go_on(&mut keys, after, order) {
            return Ok((Vec::new(), None));
        }
        let page = self
            .snapshot
            .entries(&self.ids, &keys, order, entries_of(limit))
            .await?;
        let records: Vec<_> = page.iter().map(|entry| entry.record).collect();
        let found = self.snapshot.by_records_within(&records, limit.bytes).await?;
        let last = found.len().checked_sub(1);
        let is_last = page.exhausted() && found.len() == records.len();
        let next = last.filter(|_| !is_last).map(|last| page.position(last));
        Ok((found.into_iter().flatten().collect(), next.map(DocumentPosition)))
    }

    /// The `_id`s of documents in order, with their records, read from the index alone. Also the position after which to continue, to be
    /// given as `after`; `None` if there are no more.
    pub async fn ids(
        &self,
        range: (Bound<Value>, Bound<Value>),
        after: Option<&DocumentPosition>,
        limit: PageLimit,
    ) -> Result<(Vec<(Value, RecordId)>, Option<DocumentPosition>)> {
        let mut keys = KeyRange {
            low: bound(range.0),
            high: bound(range.1),
        };
        if !go_on(&mut keys, after, Order::Forward) {
            return Ok((Vec::new(), None));
        }
        let page = self
            .snapshot
            .entries(&self.ids, &keys, Order::Forward, limit)
            .await?;
        let id = |entry: IndexEntry<'_>| {
            let (mut key, mut bits) = (entry.key, entry.bits);
            Some((
                key::decode(&mut key, &mut bits, Direction::Ascending)?,
                entry.record,
            ))
        };
        let ids: Option<Vec<_>> = page.iter().map(id).collect();
        let corrupt = || Error::new(code::Code::INTERNAL_ERROR, "an entry of _id_ that is no _id");
        let next = page.last_position().filter(|_| !page.exhausted());
        Ok((ids.ok_or_else(corrupt)?, next.map(DocumentPosition)))
    }

    /// The documents of the first of these records, until their bytes reach a limit.
    pub async fn numbered(&self, records: &[RecordId], bytes_max: usize) -> Result<Vec<Option<Record>>> {
        Ok(self.snapshot.by_records_within(records, bytes_max).await?)
    }

    /// A local document by its name without `_local/`; `None` if there is none.
    pub async fn local(&self, name: &str) -> Result<Option<DocumentBuf>> {
        Ok(self.snapshot.local(name).await?)
    }

    /// Local documents after `after` in the order of their names; false if there are more.
    pub async fn locals(
        &self,
        after: Option<&str>,
        order: Order,
    ) -> Result<(Vec<(String, DocumentBuf)>, bool)> {
        let page = self.snapshot.locals(after, order, PageLimit::default()).await?;
        Ok((page.documents, page.exhausted))
    }
}

/// The limit for reading an index whose documents are read within a limit.
pub(super) fn entries_of(limit: PageLimit) -> PageLimit {
    let default = PageLimit::default();
    PageLimit {
        entries: limit.entries.clamp(1, default.entries),
        ..default
    }
}

/// Narrows a range to what is after a position. Returns false if nothing is left of it.
pub(super) fn go_on(keys: &mut KeyRange, after: Option<&DocumentPosition>, order: Order) -> bool {
    if let Some(DocumentPosition(position)) = after {
        let side = match order {
            Order::Forward => &mut keys.low,
            Order::Backward => &mut keys.high,
        };
        let is_behind = match (&*side, order) {
            (Bound::Unbounded, _) => true,
            (Bound::Included(end) | Bound::Excluded(end), Order::Forward) => position >= end,
            (Bound::Included(end) | Bound::Excluded(end), Order::Backward) => {
                position <= end || position.starts_with(end)
            }
        };
        if is_behind {
            *side = Bound::Excluded(position.clone());
        }
    }
    match (&keys.low, &keys.high) {
        (Bound::Included(low) | Bound::Excluded(low), Bound::Included(high) | Bound::Excluded(high)) => {
            low <= high || low.starts_with(high)
        }
        _ => true,
    }
}

fn bound(bound: Bound<Value>) -> Bound<Vec<u8>> {
    bound.map(|id| {
        let mut bytes = Vec::new();
        key::encode(id.as_ref(), Direction::Ascending, &mut bytes);
        bytes
    })
}
