//! A B+tree of rows in derived pages.
//!
//! Leaves hold many rows, compressed together; every inner entry carries what is below it ([`Summary`]): the number of
//! rows, their bytes, and the reduction by each function of the view. So a rank, a skip and a reduction of a range read
//! one path down and one up, whatever the range holds.
//!
//! What must hold: rows are in the order of their [`Position`]; the rows below an entry are not before its `first` and
//! before the next entry's; summaries are those of what is below. Pages are changed in place: one commit writes all
//! that belong together, and readers have a snapshot.

mod columns;
mod kept;
mod leaf;
#[cfg(test)]
mod model_test;
mod page;
mod row;
mod rows;
mod walk;
mod write;

pub use columns::LeafRow;
pub use kept::{GroupPages, KeptPages};
pub use leaf::{Leaf, LeafHash};
pub use page::{put_summary, take_summary};
pub use row::{Child, Position, Row, RowChange};
pub use walk::{Step, Walk};
pub use write::Writer;

use crate::{Error, Result};
use bytes::Bytes;
use page::{Content, Page};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use store::{DerivedSnapshot, Order};

/// A tree at one moment.
#[derive(Clone, Debug)]
pub struct Tree {
    snapshot: Arc<DerivedSnapshot>,
    root: Option<Child>,
    /// Pages that were read to find the ranks of rows, kept for the walk that then reads the rows.
    found: Arc<Mutex<HashMap<u64, Page>>>,
    /// Where pages are kept for other queries.
    kept: Option<GroupPages>,
}

/// The pages that are kept between finding rows and reading them.
const FOUND_PAGES_MAX: usize = 32;

/// Where the way down to a place goes on, or ends.
enum Way {
    Down(Child, u64),
    End(u64),
}

impl Tree {
    /// The tree below a root; empty if `root` is `None`.
    pub fn new(snapshot: Arc<DerivedSnapshot>, root: Option<Child>) -> Tree {
        Tree {
            snapshot,
            root,
            found: Arc::default(),
            kept: None,
        }
    }

    /// The same tree, whose pages are looked for among those of its group that are in memory, and kept there.
    #[must_use]
    pub fn keeping(self, kept: GroupPages) -> Tree {
        Tree {
            kept: Some(kept),
            ..self
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> u64 {
        self.root.as_ref().map_or(0, |root| root.summary.rows)
    }

    /// How many rows are before this place.
    pub async fn rank(&self, place: &Position) -> Result<u64> {
        let Some(mut child) = self.root.clone() else {
            return Ok(0);
        };
        let mut rank = 0;
        loop {
            match self.way(child.page, place).await? {
                Way::End(before) => return Ok(rank + before),
                Way::Down(next, before) => {
                    rank += before;
                    child = next;
                }
            }
        }
    }

    /// How many rows of a page are before a place, and which page below it may hold rows on both sides.
    async fn way(&self, page: u64, place: &Position) -> Result<Way> {
        let known = self.found.lock().get(&page).map(|page| way_within(page, place));
        let way = match known {
            Some(way) => way,
            None => {
                let content = self.page(page).await?;
                let way = way_within(&content, place);
                let mut found = self.found.lock();
                if found.len() >= FOUND_PAGES_MAX {
                    found.clear();
                }
                found.insert(page, content);
                way
            }
        };
        way.ok_or_else(|| self.snapshot.corrupt("an empty page").into())
    }

    /// Goes through the rows of these ranks.
    pub fn walk(&self, ranks: Range<u64>, order: Order) -> Walk {
        Walk::new(self.clone(), ranks, order)
    }

    /// The same for a reduction, which takes leaves as they lie.
    pub fn walk_by_leaves(&self, ranks: Range<u64>, order: Order) -> Walk {
        Walk::new(self.clone(), ranks, order).by_leaves()
    }

    /// The rows at these places, which must be sorted; places without a row are skipped.
    pub async fn rows_at(&self, places: &[Position]) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        let mut pending: Vec<(Child, &[Position])> =
            self.root.clone().map(|root| (root, places)).into_iter().collect();
        while let Some((child, places)) = pending.pop() {
            match self.page(child.page).await? {
                Page::Leaf(rows) => {
                    found.extend(places.iter().filter_map(|place| rows.find(place)));
                }
                Page::Inner { children, .. } => {
                    let below = distribute(&children, places, |place| place).into_iter();
                    pending.extend(below.filter(|(_, places)| !places.is_empty()));
                }
            }
        }
        Ok(found)
    }

    /// A page, a leaf as it lies unless it was read before.
    async fn content(&self, number: u64, is_leaf: bool) -> Result<Content> {
        let found = self.found.lock().remove(&number);
        if let Some(page) = found {
            return Ok(Content::Page(page));
        }
        let bytes = self.snapshot.page(number).await?;
        if is_leaf {
            return Ok(Content::Leaf(bytes));
        }
        let known = self.kept.as_ref().and_then(|kept| kept.get(number, &bytes));
        if let Some(page @ Page::Inner { .. }) = known {
            return Ok(Content::Page(page));
        }
        let content = page::decode_inner(&bytes).ok_or_else(|| self.snapshot.corrupt(&form_of(number)))?;
        if let (Content::Page(page), Some(kept)) = (&content, &self.kept) {
            kept.keep(number, bytes, page);
        }
        Ok(content)
    }

    /// The error of a leaf whose rows do not have the form of some.
    pub fn corrupt_leaf(&self) -> Error {
        self.snapshot.corrupt("the rows of a page").into()
    }

    async fn page(&self, number: u64) -> Result<Page> {
        let found = self.found.lock().remove(&number);
        match (found, &self.kept) {
            (Some(page), _) => Ok(page),
            (None, None) => read_page(&self.snapshot, number).await,
            (None, Some(kept)) => {
                let bytes = self.snapshot.page(number).await?;
                if let Some(page) = kept.get(number, &bytes) {
                    return Ok(page);
                }
                let page = decode(&self.snapshot, number, &bytes)?;
                kept.keep(number, bytes, &page);
                Ok(page)
            }
        }
    }
}

fn way_within(page: &Page, place: &Position) -> Option<Way> {
    match page {
        Page::Leaf(rows) => Some(Way::End(rows.rank(place) as u64)),
        Page::Inner { children, .. } => {
            // The last one that begins before the place is the only one that may hold rows on both sides of it.
            let at = children
                .partition_point(|child| child.first < *place)
                .saturating_sub(1);
            let before = children.iter().take(at).map(|child| child.summary.rows).sum();
            Some(Way::Down(children.get(at)?.clone(), before))
        }
    }
}

async fn read_page(snapshot: &DerivedSnapshot, number: u64) -> Result<Page> {
    decode(snapshot, number, &snapshot.page(number).await?)
}

fn decode(snapshot: &DerivedSnapshot, number: u64, bytes: &Bytes) -> Result<Page> {
    let page = page::decode(bytes);
    page.ok_or_else(|| snapshot.corrupt(&form_of(number)).into())
}

fn form_of(number: u64) -> String {
    format!("the form of page {number}")
}

/// Gives each child those of the sorted items that fall to it, the first one also what is before it.
fn distribute<'i, T>(
    children: &[Child],
    mut items: &'i [T],
    place: fn(&T) -> &Position,
) -> Vec<(Child, &'i [T])> {
    let mut out = Vec::with_capacity(children.len());
    let mut children = children.iter().peekable();
    while let Some(child) = children.next() {
        let end = match children.peek() {
            Some(next) => items.partition_point(|item| *place(item) < next.first),
            None => items.len(),
        };
        let (mine, others) = items.split_at(end);
        items = others;
        out.push((child.clone(), mine));
    }
    out
}
