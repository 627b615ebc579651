//! Purges: revisions that were taken out of a collection as if they had never been.
//!
//! A purged document leaves nothing in the change log, so followers of the log learn of the purge here. Entries are few, since
//! only administrators purge, and stay as long as the collection, because a follower may come at any time.

use crate::{KeyRange, Order, PageLimit, Revision, Sequence, Snapshot, StoreError, keys};
use bytes::Bytes;
use std::ops::Bound;
use value::{Document, DocumentBuf, Value, doc};

/// One purge of a document's revisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Purge {
    /// The position that a follower has reached with it.
    pub sequence: Sequence,
    /// The document's `_id`.
    pub id: Value,
    /// The leaves that were taken out.
    pub revisions: Vec<Revision>,
    /// Whether nothing was left of the document.
    pub is_whole: bool,
}

impl Purge {
    /// The bytes that are stored.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let revisions = self.revisions.iter().map(|one| Value::from(one.to_string()));
        let kept = doc! {
            "_id": self.id.clone(),
            "revisions": Value::Array(revisions.collect()),
            "whole": self.is_whole,
        };
        keys::write_body(&DocumentBuf::from(&kept))
    }

    fn decode(key: &[u8], bytes: &Bytes) -> Option<Purge> {
        let kept: Document = keys::read_body(bytes)?.to_document();
        let Value::Array(revisions) = kept.get("revisions")? else {
            return None;
        };
        let revision = |text: &Value| Revision::parse(text.as_ref().as_str()?);
        Some(Purge {
            sequence: Sequence::after_change(keys::purge_sequence(key)?),
            id: kept.get("_id")?.clone(),
            revisions: revisions.iter().map(revision).collect::<Option<_>>()?,
            is_whole: kept.get("whole") == Some(&Value::Bool(true)),
        })
    }
}

impl Snapshot {
    /// The purges after `after` up to `until`, in order.
    pub async fn purges(&self, after: &Sequence, until: &Sequence) -> Result<Vec<Purge>, StoreError> {
        let range = KeyRange {
            low: Bound::Excluded(keys::purge(after.number()).to_vec()),
            high: Bound::Included(keys::purge(until.number()).to_vec()),
        };
        self.read_purges(range, Order::Forward, usize::MAX).await
    }

    /// The newest purges, the newest first.
    pub async fn newest_purges(&self, limit: usize) -> Result<Vec<Purge>, StoreError> {
        self.read_purges(KeyRange::prefix(&[keys::PURGE]), Order::Backward, limit)
            .await
    }

    async fn read_purges(
        &self,
        mut range: KeyRange,
        order: Order,
        limit: usize,
    ) -> Result<Vec<Purge>, StoreError> {
        let mut purges = Vec::new();
        while purges.len() < limit {
            let default = PageLimit::default();
            let page_limit = PageLimit {
                entries: default.entries.min(limit - purges.len()),
                ..default
            };
            let page = self.kv().page(&range, order, page_limit).await?;
            for at in 0..page.len() {
                let purge = Purge::decode(page.key(at), &page.value_bytes(at));
                purges.push(purge.ok_or_else(|| self.corrupt("the entry of a purge"))?);
            }
            if !range.go_on_after(&page, order) {
                break;
            }
        }
        Ok(purges)
    }
}
