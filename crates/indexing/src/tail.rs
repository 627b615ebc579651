//! What has changed since an index was committed. It is kept for the next search, which reads what came since then.

use crate::error::Result;
use crate::keys::changed;
use crate::state::Published;
use engine::{Change, ChangeKind, Order, PageLimit, Record, RevisionedSnapshot, Sequence};
use fulltext::Mask;
use memory::{Budget, Holder, Share};
use std::collections::HashMap;
use std::sync::Arc;

/// The changes that the index may be behind; with more, the documents are read one by one.
const BEHIND_MAX: u64 = 100_000;
/// The documents that are kept between searches, in bytes at most.
const KEPT_BYTES_MAX: usize = 16 << 20;

/// What a document takes besides itself: its key twice, its revision, its place in a table.
const RECORD_BYTES: usize = 300;

/// What has changed since an index was committed.
#[derive(Debug)]
pub(crate) struct Tail {
    /// How far it goes.
    upto: Sequence,
    /// The documents that were written, by their keys.
    records: HashMap<Vec<u8>, Record>,
    bytes: usize,
    share: Share,
    /// What the index says of those, which does not count any more.
    pub(crate) mask: Mask,
}

/// What has changed until this snapshot; `None` where that is too much, more than there is memory for, or not said by the change log.
pub(crate) async fn tail(published: &Published, snapshot: &RevisionedSnapshot) -> Result<Option<Arc<Tail>>> {
    let reached = &published.reached;
    let head = snapshot.head();
    if head < *reached || head.changes_since(reached) > BEHIND_MAX {
        return Ok(None);
    }
    let purges = snapshot.newest_purges(1).await?;
    if purges.iter().any(|purge| purge.sequence > *reached) {
        return Ok(None);
    }
    let kept = published.tail.lock().clone();
    let mut tail = match kept {
        Some(kept) if kept.upto == head => return Ok(Some(kept)),
        Some(kept) if kept.upto < head => kept.again(&published.memory),
        _ => Tail {
            share: published.memory.share(Holder::Tails),
            upto: reached.clone(),
            records: HashMap::new(),
            bytes: 0,
            mask: Mask::default(),
        },
    };
    while tail.upto < head {
        let page = snapshot
            .change_page(&tail.upto, Order::Forward, PageLimit::default())
            .await?;
        engine::steps(page.changes.len())?;
        let last = page.changes.last().map(|last| last.sequence.clone());
        tail.take(page.changes, published)?;
        // Without an index the documents are read one by one, which takes no memory.
        if let Err(full) = tail.share.set(tail.bytes) {
            tracing::debug!(%full, "a search reads all documents");
            return Ok(None);
        }
        tail.upto = last.filter(|_| !page.is_last).unwrap_or_else(|| head.clone());
    }
    let tail = Arc::new(tail);
    if tail.bytes <= KEPT_BYTES_MAX {
        let mut kept = published.tail.lock();
        if kept.as_ref().is_none_or(|kept| kept.upto < tail.upto) {
            *kept = Some(tail.clone());
        }
    }
    Ok(Some(tail))
}

impl Tail {
    /// The same, to go on with.
    fn again(&self, memory: &Budget) -> Tail {
        Tail {
            upto: self.upto.clone(),
            records: self.records.clone(),
            bytes: self.bytes,
            share: memory.share(Holder::Tails),
            mask: self.mask.clone(),
        }
    }

    /// The documents that were written.
    pub(crate) fn records(&self) -> impl Iterator<Item = &Record> {
        self.records.values()
    }

    fn take(&mut self, changes: Vec<Change>, published: &Published) -> Result<()> {
        let mut hidden = Vec::new();
        for change in changes {
            let (key, may_be_there) = changed(&change);
            if may_be_there {
                hidden.push(key.clone());
            }
            let before = match change.kind {
                ChangeKind::Put(record) => {
                    self.bytes += bytes(&record);
                    self.records.insert(key, record)
                }
                ChangeKind::Deleted { .. } => self.records.remove(&key),
            };
            self.bytes -= before.as_ref().map_or(0, bytes);
        }
        let hidden = hidden.iter().map(Vec::as_slice);
        Ok(published.reader.hide(&mut self.mask, hidden)?)
    }
}

fn bytes(record: &Record) -> usize {
    record.document.bytes().len() + RECORD_BYTES
}
