//! Revisions of documents, and local documents.

use super::Snapshot;
use crate::record::Tombstone;
use crate::{KeyRange, Notes, Order, PageLimit, Record, Revision, RevisionTree, StoreError, keys};
use bytes::Bytes;
use std::ops::Bound;
use value::key::{self, Direction};
use value::{DocumentBuf, Value, ValueRef, doc};

/// At least this many notes that are stored in a row are read by one scan.
const NOTES_IN_A_ROW_MIN: usize = 16;

/// All that is known of one document.
#[derive(Clone, Debug)]
pub struct DocumentHistory {
    /// Its `_id`.
    pub id: Value,
    /// The number of its last change in its shard: CouchDB's `_local_seq`.
    pub local_sequence: u64,
    /// Its revisions: one line, or branches after conflicts.
    pub tree: RevisionTree,
    /// The place of the leaf that readers see.
    pub winner: usize,
    winning_body: Option<DocumentBuf>,
}

/// A page of local documents.
#[derive(Clone, Debug, Default)]
pub struct LocalPage {
    /// Names and documents in the order of the names.
    pub documents: Vec<(String, DocumentBuf)>,
    /// Whether nothing follows this page.
    pub exhausted: bool,
}

impl DocumentHistory {
    /// Whether readers see the document as deleted.
    pub fn is_deleted(&self) -> bool {
        self.tree.nodes()[self.winner].deleted
    }
}

impl Snapshot {
    /// The history of an `_id`, deleted or not; `None` if it never existed or was purged.
    pub async fn history(&self, id: ValueRef<'_>) -> Result<Option<DocumentHistory>, StoreError> {
        if let Some(record) = self.by_id(id).await? {
            return self.history_of(&record).await.map(Some);
        }
        let Some(tombstone) = self.tombstone(id).await? else {
            return Ok(None);
        };
        let tree = match tombstone.has_tree() {
            true => self.tree(id).await?,
            false => RevisionTree::line(tombstone.revision(), tombstone.ancestry.iter().skip(1), true),
        };
        self.settled(id.to_value(), tombstone.sequence, tree, tombstone.body)
            .map(Some)
    }

    /// The history of a record.
    pub async fn history_of(&self, record: &Record) -> Result<DocumentHistory, StoreError> {
        let id = record.document.as_raw().get("_id").unwrap_or(ValueRef::Null);
        let tree = match record.has_tree() {
            true => self.tree(id).await?,
            false => RevisionTree::line(record.revision(), record.ancestors(), false),
        };
        self.settled(
            id.to_value(),
            record.sequence,
            tree,
            Some(record.document.clone()),
        )
    }

    fn settled(
        &self,
        id: Value,
        local_sequence: u64,
        tree: RevisionTree,
        winning_body: Option<DocumentBuf>,
    ) -> Result<DocumentHistory, StoreError> {
        let winner = tree
            .winner()
            .ok_or_else(|| self.corrupt("a revision tree without a leaf"))?;
        Ok(DocumentHistory {
            id,
            local_sequence,
            tree,
            winner,
            winning_body,
        })
    }

    /// The body of the revision at a place; `None` if it is no longer kept.
    pub async fn body(
        &self,
        history: &DocumentHistory,
        at: usize,
    ) -> Result<Option<DocumentBuf>, StoreError> {
        let node = &history.tree.nodes()[at];
        let bare = || DocumentBuf::from(&doc! {"_id": history.id.clone()});
        if at == history.winner {
            return Ok(Some(history.winning_body.clone().unwrap_or_else(bare)));
        }
        if node.has_body {
            let bytes = self
                .kv()
                .get(&keys::body(history.id.as_ref(), &node.revision))
                .await?;
            let body = bytes.and_then(|bytes| keys::read_body(&bytes));
            return body
                .map(Some)
                .ok_or_else(|| self.corrupt("the body of a revision"));
        }
        // A deletion's body is stored only if it has more than its `_id`.
        Ok((node.deleted && history.tree.is_leaf(at)).then(bare))
    }

    /// The revision of a document's deletion, and what was written with it; `None` if it is not deleted.
    pub async fn deletion(
        &self,
        id: ValueRef<'_>,
    ) -> Result<Option<(Revision, Option<DocumentBuf>)>, StoreError> {
        let tombstone = self.tombstone(id).await?;
        Ok(tombstone.map(|tombstone| (tombstone.revision(), tombstone.body)))
    }

    async fn tombstone(&self, id: ValueRef<'_>) -> Result<Option<Tombstone>, StoreError> {
        if self.state().tombstones == 0 {
            return Ok(None);
        }
        let bytes = self.kv().get(&keys::tombstone(id)).await?;
        let tombstone = bytes.map(|bytes| Tombstone::decode(&bytes)).transpose();
        tombstone.map_err(|what| self.corrupt(what))
    }

    async fn tree(&self, id: ValueRef<'_>) -> Result<RevisionTree, StoreError> {
        let bytes = self.kv().get(&keys::tree(id)).await?;
        bytes
            .and_then(|bytes| RevisionTree::decode(&bytes))
            .ok_or_else(|| self.corrupt("a revision tree that is missing or has a wrong form"))
    }

    /// The local document of this name; `None` if there is none.
    pub async fn local(&self, name: &str) -> Result<Option<DocumentBuf>, StoreError> {
        let bytes = self.kv().get(&keys::local(name)).await?;
        let fault = || self.corrupt("a local document");
        bytes
            .map(|bytes| keys::read_body(&bytes).ok_or_else(fault))
            .transpose()
    }

    /// The notes of a document; `None` if it has none.
    pub async fn notes(&self, id: ValueRef<'_>) -> Result<Option<DocumentBuf>, StoreError> {
        let bytes = self.kv().get(&keys::notes(id)).await?;
        let fault = || self.corrupt("the notes of a document");
        bytes
            .map(|bytes| Notes::read_content(&bytes).ok_or_else(fault))
            .transpose()
    }

    /// The notes of several documents, in their order. If that is the order of the `_id`s, notes that are stored in a row are read by one
    /// scan.
    pub async fn notes_of(&self, ids: &[Value]) -> Result<Vec<Option<DocumentBuf>>, StoreError> {
        let keys: Vec<Vec<u8>> = ids.iter().map(|id| keys::notes(id.as_ref())).collect();
        let mut notes = Vec::with_capacity(keys.len());
        if let (Some(first), Some(last)) = (keys.first(), keys.last())
            && keys.len() >= NOTES_IN_A_ROW_MIN
            && keys.is_sorted()
        {
            let range = KeyRange {
                low: Bound::Included(first.clone()),
                high: Bound::Included(last.clone()),
            };
            // Notes of other documents between them are read in vain, so they must not be too many.
            let limit = PageLimit {
                entries: 2 * keys.len(),
                ..PageLimit::default()
            };
            let page = self.kv().page(&range, Order::Forward, limit).await?;
            let mut at = 0;
            for key in &keys {
                while at < page.len() && page.key(at) < key.as_slice() {
                    at += 1;
                }
                let is_there = at < page.len() && page.key(at) == key.as_slice();
                if at == page.len() && !page.exhausted() {
                    break;
                }
                notes.push(is_there.then(|| page.value_bytes(at)));
            }
        }
        if let Some(rest) = keys.get(notes.len()..).filter(|rest| !rest.is_empty()) {
            notes.extend(self.kv().get_many(rest).await?);
        }
        let fault = || self.corrupt("the notes of a document");
        let read = |stored: Bytes| Notes::read_content(&stored).ok_or_else(fault);
        notes
            .into_iter()
            .map(|stored| stored.map(read).transpose())
            .collect()
    }

    /// The terms of a name within a range of values, with the `_id`s of their documents, including deleted ones. They come after a
    /// term and `_id` if these are given. Returns false if there are more.
    pub async fn terms(
        &self,
        name: &str,
        range: (Bound<Value>, Bound<Value>),
        after: Option<&(Value, Value)>,
        limit: PageLimit,
    ) -> Result<(Vec<(Value, Value)>, bool), StoreError> {
        let prefix = keys::terms(name);
        let of_value = |value: &Value| {
            let mut key = prefix.clone();
            key::encode(value.as_ref(), Direction::Ascending, &mut key);
            key
        };
        // In keys, a value is followed by the `_id`, which never begins with 0xFF.
        let behind = |value: &Value| [of_value(value), vec![0xFF]].concat();
        let all = KeyRange::prefix(&prefix);
        let low = match (after, &range.0) {
            (Some((value, id)), _) => Bound::Excluded(keys::term(name, value.as_ref(), id.as_ref())),
            (None, Bound::Included(value)) => Bound::Included(of_value(value)),
            (None, Bound::Excluded(value)) => Bound::Included(behind(value)),
            (None, Bound::Unbounded) => all.low,
        };
        let high = match &range.1 {
            Bound::Included(value) => Bound::Excluded(behind(value)),
            Bound::Excluded(value) => Bound::Excluded(of_value(value)),
            Bound::Unbounded => all.high,
        };
        if let (Bound::Included(low) | Bound::Excluded(low), Bound::Excluded(high)) = (&low, &high)
            && low >= high
        {
            return Ok((Vec::new(), true));
        }
        let page = self
            .kv()
            .page(&KeyRange { low, high }, Order::Forward, limit)
            .await?;
        let read = |at: usize| {
            let mut entry = keys::read_body(&page.value_bytes(at))?.to_document();
            Some((entry.remove("term")?, entry.remove("id")?))
        };
        let terms = (0..page.len()).map(read).collect::<Option<_>>();
        Ok((
            terms.ok_or_else(|| self.corrupt("a term of a document"))?,
            page.exhausted(),
        ))
    }

    /// The local documents whose names come after `after`, in the order of names.
    pub async fn locals(
        &self,
        after: Option<&str>,
        order: Order,
        limit: PageLimit,
    ) -> Result<LocalPage, StoreError> {
        let mut range = KeyRange::prefix(&[keys::LOCAL]);
        if let Some(after) = after {
            range.begin_after(keys::local(after), order);
        }
        let page = self.kv().page(&range, order, limit).await?;
        let read = |at: usize| {
            let name = String::from_utf8(page.key(at).get(1..)?.to_vec()).ok()?;
            Some((name, keys::read_body(&page.value_bytes(at))?))
        };
        let documents = (0..page.len()).map(read).collect::<Option<_>>();
        Ok(LocalPage {
            documents: documents.ok_or_else(|| self.corrupt("a local document"))?,
            exhausted: page.exhausted(),
        })
    }
}
