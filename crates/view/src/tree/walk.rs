//! Going through rows in order, and over whole subtrees where they need not be looked into.

use super::Tree;
use super::columns::Columns;
use super::page::{Content, Page};
use super::row::{Child, Position, Row, Summary};
use crate::Result;
use std::ops::Range;
use store::Order;

/// What a walk comes to next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Rows in the order of the walk, at least one.
    Rows(Vec<Row>),
    /// Rows of a leaf as it lies, in their order there, at least one: those of these places.
    Columns(Columns, Range<usize>),
    /// A subtree that was taken as a whole.
    Subtree(Summary),
}

/// A walk over the rows of some ranks.
#[derive(Debug)]
pub struct Walk {
    tree: Tree,
    ranks: Range<u64>,
    order: Order,
    by_columns: bool,
    /// What is still to come, the next one last.
    pending: Vec<Pending>,
}

#[derive(Debug)]
struct Pending {
    child: Child,
    /// All rows below are before this place; `None` if nothing follows.
    end: Option<Position>,
    /// The rank of its first row.
    rank: u64,
}

impl Walk {
    pub(super) fn new(tree: Tree, ranks: Range<u64>, order: Order) -> Walk {
        let root = tree.root.clone().map(|child| Pending {
            child,
            end: None,
            rank: 0,
        });
        Walk {
            tree,
            ranks,
            order,
            by_columns: false,
            pending: root.into_iter().collect(),
        }
    }

    /// The same walk, which gives leaves as they lie.
    pub(super) fn by_columns(mut self) -> Walk {
        self.by_columns = true;
        self
    }

    /// The next rows.
    pub async fn rows(&mut self) -> Result<Option<Vec<Row>>> {
        match self.next(|_, _| false).await? {
            Some(Step::Rows(rows)) => Ok(Some(rows)),
            _ => Ok(None),
        }
    }

    /// The next step. `is_whole` says of a subtree, by the place that it begins at and the one that it ends before,
    /// whether it is to be taken as a whole.
    pub async fn next(
        &mut self,
        is_whole: impl Fn(&Position, Option<&Position>) -> bool,
    ) -> Result<Option<Step>> {
        while let Some(Pending { child, end, rank }) = self.pending.pop() {
            let ranks = rank..rank + child.summary.rows;
            if ranks.end <= self.ranks.start || ranks.start >= self.ranks.end {
                continue;
            }
            let is_inside = self.ranks.start <= ranks.start && ranks.end <= self.ranks.end;
            if is_inside && is_whole(&child.first, end.as_ref()) {
                return Ok(Some(Step::Subtree(child.summary)));
            }
            let content = match self.by_columns {
                true => self.tree.content(child.page).await?,
                false => Content::Page(self.tree.page(child.page).await?),
            };
            match content {
                Content::Columns(columns) => {
                    let places = self.places(columns.len(), rank);
                    if !places.is_empty() {
                        return Ok(Some(Step::Columns(columns, places)));
                    }
                }
                Content::Page(Page::Leaf(rows)) => {
                    let rows = self.wanted(rows, rank);
                    if !rows.is_empty() {
                        return Ok(Some(Step::Rows(rows)));
                    }
                }
                Content::Page(Page::Inner { children, .. }) => self.descend(children, end, rank),
            }
        }
        Ok(None)
    }

    /// Where in a leaf of this many rows those are that are of the ranks asked for.
    fn places(&self, rows: usize, rank: u64) -> Range<usize> {
        let place = |rank_wanted: u64| {
            let place = usize::try_from(rank_wanted.saturating_sub(rank));
            place.unwrap_or(usize::MAX).min(rows)
        };
        place(self.ranks.start)..place(self.ranks.end)
    }

    /// Those rows of a leaf that are of the ranks asked for, in the walk's order.
    fn wanted(&self, mut rows: Vec<Row>, rank: u64) -> Vec<Row> {
        let places = self.places(rows.len(), rank);
        rows.truncate(places.end);
        rows.drain(..places.start);
        if self.order == Order::Backward {
            rows.reverse();
        }
        rows
    }

    fn descend(&mut self, children: Vec<Child>, end: Option<Position>, mut rank: u64) {
        // A child ends where its sibling begins, and the last one where the parent ends. The place is needed to take a
        // subtree as a whole without reading it.
        let ends: Vec<Option<Position>> = children
            .iter()
            .skip(1)
            .map(|next| Some(next.first.clone()))
            .chain([end])
            .collect();
        let from = self.pending.len();
        for (child, end) in children.into_iter().zip(ends) {
            let rows = child.summary.rows;
            self.pending.push(Pending { child, end, rank });
            rank += rows;
        }
        // The next one is taken from the end.
        if self.order == Order::Forward {
            self.pending[from..].reverse();
        }
    }
}
