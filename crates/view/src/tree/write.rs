//! Changing a tree: all changes in one pass, reading and writing only the pages that they fall to.

use super::page::{self, Page};
use super::row::{Child, Row, RowChange, Summary};
use super::rows::LeafRows;
use super::{distribute, read_page};
use crate::Result;
use crate::limits::{INNER_BYTES_MAX, LEAF_BYTES_MAX};
use crate::reduce::Reducer;
use bytes::Bytes;
use futures::future::BoxFuture;
use std::cmp::Ordering;
use store::{DerivedSnapshot, PageBatch};

/// A changed page that is smaller than its limit by this factor is joined with its next sibling, if there is one.
const UNDERFULL: usize = 4;

/// The leaves whose reductions are asked for at once.
const REDUCED_AT_ONCE: usize = 16;

/// Writes the pages of one commit.
#[derive(Debug)]
pub struct Writer<'a> {
    /// The pages before the commit. Each tree is changed once in a commit, so no changed page is read.
    snapshot: &'a DerivedSnapshot,
    batch: &'a mut PageBatch,
    /// The number of the next page that was never used.
    next_page: &'a mut u64,
    reducers: &'a [Reducer],
    sizes: PageSizes,
    /// Pages that were read and whose content goes elsewhere. New pages take their numbers; what is left is deleted.
    free: Vec<u64>,
}

/// What pages hold at most, uncompressed.
#[derive(Clone, Copy, Debug)]
pub struct PageSizes {
    /// Leaves.
    pub leaf_bytes: usize,
    /// Inner pages.
    pub inner_bytes: usize,
}

impl Default for PageSizes {
    fn default() -> PageSizes {
        PageSizes {
            leaf_bytes: LEAF_BYTES_MAX,
            inner_bytes: INNER_BYTES_MAX,
        }
    }
}

impl<'a> Writer<'a> {
    /// A writer of one tree; its pages' numbers are taken from `next_page` on.
    pub fn new(
        snapshot: &'a DerivedSnapshot,
        batch: &'a mut PageBatch,
        next_page: &'a mut u64,
        reducers: &'a [Reducer],
    ) -> Writer<'a> {
        Writer {
            snapshot,
            batch,
            next_page,
            reducers,
            sizes: PageSizes::default(),
            free: Vec::new(),
        }
    }

    /// The same with pages of other sizes.
    #[cfg(test)]
    pub fn with_sizes(self, sizes: PageSizes) -> Writer<'a> {
        Writer { sizes, ..self }
    }

    /// Makes the changes, which must be sorted by place and have no place twice. Returns the new root; `None` if no row
    /// is left.
    pub async fn apply(mut self, root: Option<Child>, changes: Vec<RowChange>) -> Result<Option<Child>> {
        if changes.is_empty() {
            return Ok(root);
        }
        // Pages of one level that have no page above them yet: levels are added until one page is left.
        let (mut level, mut top) = match root {
            None => (0, self.write_leaves(put_rows(changes)).await?),
            Some(root) => self.change_root(root, &changes).await?,
        };
        while top.len() > 1 {
            level += 1;
            top = self.write_inner(level, top).await?;
        }
        for page in std::mem::take(&mut self.free) {
            self.batch.delete(page);
        }
        Ok(top.pop())
    }

    /// Changes the tree below the root, and returns the pages that take its place, with their level. A root with one
    /// page below it gives way to that page, so the tree gets lower again.
    async fn change_root(&mut self, root: Child, changes: &[RowChange]) -> Result<(u8, Vec<Child>)> {
        match self.take(&root).await? {
            Page::Leaf(rows) => Ok((0, self.write_leaves(merge(&rows, changes)).await?)),
            Page::Inner { level, children } => {
                let children = self.change_siblings(level - 1, &children, changes).await?;
                if children.len() <= 1 {
                    return Ok((level - 1, children));
                }
                Ok((level, self.write_inner(level, children).await?))
            }
        }
    }

    /// Changes the pages of one level below one page, and returns those that take their place.
    fn change_siblings<'b>(
        &'b mut self,
        level: u8,
        siblings: &[Child],
        changes: &'b [RowChange],
    ) -> BoxFuture<'b, Result<Vec<Child>>> {
        let siblings = distribute(siblings, changes, RowChange::position);
        if level == 0 {
            Box::pin(self.change_leaves(siblings))
        } else {
            Box::pin(self.change_inner(level, siblings))
        }
    }

    /// Rows that are too few for a page wait in `pending` and are joined with the next leaf, which is then read
    /// although nothing in it changes. What is left after the last leaf becomes a small one.
    async fn change_leaves(&mut self, leaves: Vec<(Child, &[RowChange])>) -> Result<Vec<Child>> {
        let mut out = Vec::with_capacity(leaves.len());
        let mut pending = Vec::new();
        for (leaf, changes) in leaves {
            if changes.is_empty() && pending.is_empty() {
                out.push(leaf);
                continue;
            }
            let Page::Leaf(rows) = self.take(&leaf).await? else {
                return Err(self
                    .snapshot
                    .corrupt("an inner page where a leaf should be")
                    .into());
            };
            pending.extend(merge(&rows, changes));
            if size(&pending, Row::size_bytes) >= self.sizes.leaf_bytes / UNDERFULL {
                out.extend(self.write_leaves(std::mem::take(&mut pending)).await?);
            }
        }
        out.extend(self.write_leaves(pending).await?);
        Ok(out)
    }

    /// As `change_leaves`, for the pages of an inner level.
    async fn change_inner(&mut self, level: u8, pages: Vec<(Child, &[RowChange])>) -> Result<Vec<Child>> {
        let mut out = Vec::with_capacity(pages.len());
        let mut pending = Vec::new();
        for (inner, changes) in pages {
            if changes.is_empty() && pending.is_empty() {
                out.push(inner);
                continue;
            }
            let Page::Inner { children, .. } = self.take(&inner).await? else {
                return Err(self
                    .snapshot
                    .corrupt("a leaf where an inner page should be")
                    .into());
            };
            pending.extend(self.change_siblings(level - 1, &children, changes).await?);
            if size(&pending, Child::size_bytes) >= self.sizes.inner_bytes / UNDERFULL {
                out.extend(self.write_inner(level, std::mem::take(&mut pending)).await?);
            }
        }
        out.extend(self.write_inner(level, pending).await?);
        Ok(out)
    }

    /// Reads a page, whose number is then free for another. Reusing it within the commit is safe, since all reads are
    /// of the snapshot before.
    async fn take(&mut self, child: &Child) -> Result<Page> {
        self.free.push(child.page);
        read_page(self.snapshot, child.page).await
    }

    /// Writes rows as leaves.
    async fn write_leaves(&mut self, rows: Vec<Row>) -> Result<Vec<Child>> {
        let chunks = chunks(&rows, self.sizes.leaf_bytes, 1, Row::size_bytes);
        let mut out = Vec::with_capacity(chunks.len());
        for some in chunks.chunks(REDUCED_AT_ONCE) {
            let groups: Vec<Vec<&Row>> = some.iter().map(|rows| rows.iter().collect()).collect();
            let mut reductions = Vec::with_capacity(self.reducers.len());
            for reducer in self.reducers {
                reductions.push(reducer.reduce(&groups).await?);
            }
            for ((at, rows), page) in some.iter().enumerate().zip(page::encode_leaves(some)) {
                let summary = Summary {
                    rows: rows.len() as u64,
                    bytes: rows.iter().map(Row::external_bytes).sum(),
                    reductions: of_group(&reductions, at),
                };
                let page = self.put(&page);
                let first = rows.first().map(|row| row.position.clone()).unwrap_or_default();
                out.push(Child { first, page, summary });
            }
            // Compressing takes a while; others may want the thread.
            tokio::task::yield_now().await;
        }
        Ok(out)
    }

    /// Writes pages of one level as entries of pages of the level above, which is `level`.
    async fn write_inner(&mut self, level: u8, children: Vec<Child>) -> Result<Vec<Child>> {
        let chunks = chunks(&children, self.sizes.inner_bytes, 2, Child::size_bytes);
        let mut reductions = Vec::with_capacity(self.reducers.len());
        for (function, reducer) in self.reducers.iter().enumerate() {
            let below = |children: &&[Child]| -> Vec<Bytes> {
                let each = children
                    .iter()
                    .filter_map(|child| child.summary.reductions.get(function));
                each.cloned().collect()
            };
            let groups: Vec<Vec<Bytes>> = chunks.iter().map(below).collect();
            reductions.push(reducer.rereduce(&groups).await?);
        }
        let mut out = Vec::with_capacity(chunks.len());
        for (at, children) in chunks.iter().enumerate() {
            let summary = Summary {
                rows: children.iter().map(|child| child.summary.rows).sum(),
                bytes: children.iter().map(|child| child.summary.bytes).sum(),
                reductions: of_group(&reductions, at),
            };
            let page = self.put(&page::encode_inner(level, children));
            let first = children
                .first()
                .map(|child| child.first.clone())
                .unwrap_or_default();
            out.push(Child { first, page, summary });
        }
        Ok(out)
    }

    fn put(&mut self, bytes: &[u8]) -> u64 {
        let page = self.free.pop().unwrap_or_else(|| {
            *self.next_page += 1;
            *self.next_page - 1
        });
        self.batch.put(page, bytes);
        page
    }
}

/// The reductions of one group, by function.
fn of_group(reductions: &[Vec<Bytes>], group: usize) -> Vec<Bytes> {
    reductions.iter().map(|groups| groups[group].clone()).collect()
}

fn size<T>(items: &[T], size_of: fn(&T) -> usize) -> usize {
    items.iter().map(size_of).sum()
}

/// Parts of about equal size, none larger than `bytes_max` unless it has only `items_min` items.
fn chunks<T>(items: &[T], bytes_max: usize, items_min: usize, size_of: fn(&T) -> usize) -> Vec<&[T]> {
    let target = {
        let total = size(items, size_of);
        total / total.div_ceil(bytes_max).max(1) + 1
    };
    let mut out = Vec::new();
    let (mut start, mut bytes) = (0, 0);
    for (at, item) in items.iter().enumerate() {
        let next = size_of(item);
        // A part is not ended if too few items would be left for the next. Inner pages have two entries at least:
        // with one each, a level would be no smaller than the one below it, and the tree would never get a root.
        let is_left_behind = items.len() - at < items_min;
        if bytes + next > target && at - start >= items_min && !is_left_behind {
            out.push(&items[start..at]);
            (start, bytes) = (at, 0);
        }
        bytes += next;
    }
    if start < items.len() {
        out.push(&items[start..]);
    }
    out
}

/// The rows of a new tree.
fn put_rows(changes: Vec<RowChange>) -> Vec<Row> {
    let row = |change| match change {
        RowChange::Put(row) => Some(row),
        RowChange::Delete(_) => None,
    };
    changes.into_iter().filter_map(row).collect()
}

/// The rows of a leaf after changes.
fn merge(rows: &LeafRows, changes: &[RowChange]) -> Vec<Row> {
    let mut out = Vec::with_capacity(rows.len() + changes.len());
    let mut rows = rows.rows(0..rows.len()).peekable();
    for change in changes {
        let place = change.position();
        while let Some(row) = rows.next_if(|row| row.position < *place) {
            out.push(row);
        }
        // The row at the place itself gives way, whatever the change is.
        rows.next_if(|row| row.position.cmp(place) == Ordering::Equal);
        if let RowChange::Put(row) = change {
            out.push(row.clone());
        }
    }
    out.extend(rows);
    out
}
