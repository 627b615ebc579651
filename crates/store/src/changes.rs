//! The change log: each live document once, at its last change, and each deletion.
//!
//! A record whose last change is its insertion stands in the log by itself, since its id is the number of that change;
//! only later changes and deletions have entries. So the log is read as two streams that are merged by number. Documents that
//! repeat an `_id` are left out: a follower knows documents by their `_id`s.

use crate::keys::{LOG_DELETED, LOG_PUT};
use crate::record::Tombstone;
use crate::{
    Collection, KeyRange, Order, PageLimit, Record, RecordId, RecordPage, Revision, Sequence, Snapshot,
    StoreError, keys,
};
use kv::Page;
use value::{DocumentBuf, Value, varint};

/// A page that is limited by the number of changes alone ends after this many bytes of documents.
const PAGE_BYTES: usize = 4 << 20;

/// One entry of the change log.
#[derive(Clone, Debug)]
pub struct Change {
    /// The position that a follower has reached with it.
    pub sequence: Sequence,
    /// What changed.
    pub kind: ChangeKind,
}

impl Change {
    /// The bytes of the document that came with it.
    fn document_bytes(&self) -> usize {
        match &self.kind {
            ChangeKind::Put(record) => record.document.bytes().len(),
            ChangeKind::Deleted { body, .. } => body.as_ref().map_or(0, |body| body.bytes().len()),
        }
    }
}

/// Changes in order.
#[derive(Clone, Debug, Default)]
pub struct ChangePage {
    /// The changes.
    pub changes: Vec<Change>,
    /// Whether these are known to be the last.
    pub is_last: bool,
}

/// What one change was.
#[derive(Clone, Debug)]
pub enum ChangeKind {
    /// A document was inserted or changed, and is now this one.
    Put(Record),
    /// A document was deleted.
    Deleted {
        /// Its `_id`.
        id: Value,
        /// The revision of its deletion.
        revision: Revision,
        /// What was written with the deletion.
        body: Option<DocumentBuf>,
        /// Whether a revision tree has more revisions.
        has_tree: bool,
    },
}

impl Collection {
    /// The changes after `after`, in order: at most `limit`, fewer if their documents are long. Empty at the end of the log.
    pub async fn changes(&self, after: &Sequence, limit: usize) -> Result<Vec<Change>, StoreError> {
        self.snapshot().await?.changes(after, Order::Forward, limit).await
    }
}

impl Snapshot {
    /// The changes after `from` in this order, or before it if backward: at most `limit`, fewer if their documents are long. Empty
    /// at the end of the log.
    pub async fn changes(
        &self,
        from: &Sequence,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Change>, StoreError> {
        let limit = PageLimit {
            entries: limit,
            bytes: PAGE_BYTES,
        };
        Ok(self.change_page(from, order, limit).await?.changes)
    }

    /// As [`Snapshot::changes`], limited by the bytes of the documents too; at least one change, if there is one.
    pub async fn change_page(
        &self,
        from: &Sequence,
        order: Order,
        limit: PageLimit,
    ) -> Result<ChangePage, StoreError> {
        let from = from.number();
        let mut insertions = Insertions::new(from, order, limit);
        let mut log = Log::new(from, order, limit);
        let is_first = |inserted: u64, logged: u64| match order {
            Order::Forward => inserted < logged,
            Order::Backward => inserted > logged,
        };
        let mut page = ChangePage::default();
        let mut bytes = 0;
        while page.changes.len() < limit.entries && bytes < limit.bytes {
            let inserted = insertions.peek(self).await?;
            let logged = log.peek(self).await?;
            let change = match (inserted, logged) {
                (None, None) => {
                    page.is_last = true;
                    break;
                }
                (Some(inserted), None) => insertions.take(inserted),
                (Some(inserted), Some(logged)) if is_first(inserted, logged) => insertions.take(inserted),
                (_, Some(logged)) => log.take(self, logged).await?,
            };
            if matches!(&change.kind, ChangeKind::Put(record) if record.repeats_id()) {
                continue;
            }
            bytes += change.document_bytes();
            page.changes.push(change);
        }
        Ok(page)
    }
}

/// Records that stand in the log by themselves, in order.
struct Insertions {
    position: RecordId,
    order: Order,
    limit: PageLimit,
    page: RecordPage,
    at: usize,
    ended: bool,
}

impl Insertions {
    fn new(from: u64, order: Order, limit: PageLimit) -> Insertions {
        let limit = page_limit(limit);
        Insertions {
            position: RecordId(from),
            order,
            limit,
            page: RecordPage::default(),
            at: 0,
            ended: false,
        }
    }

    /// The number of the next.
    async fn peek(&mut self, snapshot: &Snapshot) -> Result<Option<u64>, StoreError> {
        loop {
            while self.at < self.page.len() {
                if self.page.is_logged(self.at) {
                    return Ok(Some(self.page.id(self.at).0));
                }
                self.at += 1;
            }
            if self.ended {
                return Ok(None);
            }
            self.page = snapshot
                .records(Some(self.position), self.order, self.limit)
                .await?;
            self.at = 0;
            self.ended = self.page.exhausted();
            if let Some(last) = self.page.len().checked_sub(1) {
                self.position = self.page.id(last);
            }
        }
    }

    /// The one that was peeked at.
    fn take(&mut self, sequence: u64) -> Change {
        let record = self.page.record(self.at);
        self.at += 1;
        Change {
            sequence: Sequence::after_change(sequence),
            kind: ChangeKind::Put(record),
        }
    }
}

/// Later changes and deletions, in order.
struct Log {
    position: u64,
    order: Order,
    limit: PageLimit,
    page: Page,
    at: usize,
    ended: bool,
}

impl Log {
    fn new(from: u64, order: Order, limit: PageLimit) -> Log {
        Log {
            position: from,
            order,
            limit: page_limit(limit),
            page: Page::default(),
            at: 0,
            ended: false,
        }
    }

    async fn peek(&mut self, snapshot: &Snapshot) -> Result<Option<u64>, StoreError> {
        if self.at == self.page.len() && !self.ended {
            let mut range = KeyRange::prefix(&[keys::LOG]);
            range.begin_after(keys::log(self.position).to_vec(), self.order);
            self.page = snapshot.kv().page(&range, self.order, self.limit).await?;
            self.at = 0;
            self.ended = self.page.exhausted();
        }
        if self.at == self.page.len() {
            return Ok(None);
        }
        let sequence = keys::log_sequence(self.page.key(self.at));
        sequence
            .map(Some)
            .ok_or_else(|| snapshot.corrupt("a change log's key that is none"))
    }

    async fn take(&mut self, snapshot: &Snapshot, sequence: u64) -> Result<Change, StoreError> {
        let entry = self.page.value_bytes(self.at);
        self.at += 1;
        self.position = sequence;
        let kind = read_entry(snapshot, &entry, sequence).await?;
        let kind =
            kind.ok_or_else(|| snapshot.corrupt(&format!("the entry {sequence} of the change log")))?;
        Ok(Change {
            sequence: Sequence::after_change(sequence),
            kind,
        })
    }
}

/// The subject of an entry of the log; `None` if it is gone or has changed again since.
pub(crate) async fn read_entry(
    snapshot: &Snapshot,
    entry: &[u8],
    sequence: u64,
) -> Result<Option<ChangeKind>, StoreError> {
    match entry.split_first() {
        Some((&LOG_PUT, mut id)) => {
            let Some(id) = varint::take(&mut id) else {
                return Ok(None);
            };
            let record = snapshot.by_record(RecordId(id)).await?;
            Ok(record
                .filter(|record| record.sequence == sequence)
                .map(ChangeKind::Put))
        }
        Some((&LOG_DELETED, key)) => {
            let Some(bytes) = snapshot.kv().get(key).await? else {
                return Ok(None);
            };
            let tombstone = Tombstone::decode(&bytes).map_err(|what| snapshot.corrupt(what))?;
            if tombstone.sequence != sequence {
                return Ok(None);
            }
            let revision = tombstone.revision();
            Ok(Some(ChangeKind::Deleted {
                has_tree: tombstone.has_tree(),
                id: tombstone.id,
                revision,
                body: tombstone.body,
            }))
        }
        _ => Ok(None),
    }
}

fn page_limit(limit: PageLimit) -> PageLimit {
    let default = PageLimit::default();
    PageLimit {
        entries: limit.entries.min(default.entries).max(1),
        bytes: limit.bytes.min(default.bytes),
    }
}
