//! A B+tree of rows in derived pages.
//!
//! Leaves hold many rows, compressed together; every inner entry carries what is below it ([`Summary`]): the number of rows, their
//! bytes, and the reduction by each function of the view. So a rank, a skip and a reduction of a range read one path down and
//! one up, whatever the range holds.
//!
//! What must hold: rows are in the order of their [`Position`]; the rows below an entry are not before its `first` and before the
//! next entry's; summaries are those of what is below. Pages are changed in place: one commit writes all that belong together,
//! and readers have a snapshot.

#[cfg(test)]
mod model_test;
mod page;
mod row;
mod walk;
mod write;

pub use page::{put_summary, take_summary};
pub use row::{Child, Position, Row, RowChange};
pub use walk::{Direction, Step, Walk};
pub use write::Writer;

use crate::Result;
use page::Page;
use std::ops::Range;
use std::sync::Arc;
use store::DerivedSnapshot;

/// A tree at one moment.
#[derive(Clone, Debug)]
pub struct Tree {
    snapshot: Arc<DerivedSnapshot>,
    root: Option<Child>,
}

impl Tree {
    /// The tree below a root; none is an empty one.
    pub fn new(snapshot: Arc<DerivedSnapshot>, root: Option<Child>) -> Tree {
        Tree { snapshot, root }
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
            match self.page(child.page).await? {
                Page::Leaf(rows) => {
                    let before = rows.partition_point(|row| row.position < *place);
                    return Ok(rank + before as u64);
                }
                Page::Inner { children, .. } => {
                    // The last one that begins before the place is the only one that may hold rows on both sides of it.
                    let at = children
                        .partition_point(|child| child.first < *place)
                        .saturating_sub(1);
                    rank += children
                        .iter()
                        .take(at)
                        .map(|child| child.summary.rows)
                        .sum::<u64>();
                    match children.into_iter().nth(at) {
                        Some(next) => child = next,
                        None => return Err(self.snapshot.corrupt("an empty page").into()),
                    }
                }
            }
        }
    }

    /// Goes through the rows of these ranks.
    pub fn walk(&self, ranks: Range<u64>, direction: Direction) -> Walk {
        Walk::new(self.clone(), ranks, direction)
    }

    /// The rows at these places, which are sorted; a place without row is passed over.
    pub async fn rows_at(&self, places: &[Position]) -> Result<Vec<Row>> {
        let mut found = Vec::new();
        let mut pending: Vec<(Child, &[Position])> =
            self.root.clone().map(|root| (root, places)).into_iter().collect();
        while let Some((child, places)) = pending.pop() {
            match self.page(child.page).await? {
                Page::Leaf(rows) => {
                    let row = |place: &Position| rows.binary_search_by(|row| row.position.cmp(place)).ok();
                    found.extend(places.iter().filter_map(row).map(|at| rows[at].clone()));
                }
                Page::Inner { children, .. } => {
                    let below = distribute(children, places, |place| place).into_iter();
                    pending.extend(below.filter(|(_, places)| !places.is_empty()));
                }
            }
        }
        Ok(found)
    }

    async fn page(&self, number: u64) -> Result<Page> {
        read_page(&self.snapshot, number).await
    }
}

async fn read_page(snapshot: &DerivedSnapshot, number: u64) -> Result<Page> {
    let bytes = snapshot.page(number).await?;
    let page = page::decode(&bytes);
    page.ok_or_else(|| snapshot.corrupt(&format!("the form of page {number}")).into())
}

/// Gives each child those of the sorted items that fall to it, the first one also what is before it.
fn distribute<T>(children: Vec<Child>, mut items: &[T], place: fn(&T) -> &Position) -> Vec<(Child, &[T])> {
    let mut out = Vec::with_capacity(children.len());
    let mut children = children.into_iter().peekable();
    while let Some(child) = children.next() {
        let end = match children.peek() {
            Some(next) => items.partition_point(|item| *place(item) < next.first),
            None => items.len(),
        };
        let (mine, others) = items.split_at(end);
        items = others;
        out.push((child, mine));
    }
    out
}
