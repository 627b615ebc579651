//! Going through rows in order, and over whole subtrees where they need not be looked into.

use super::Tree;
use super::leaf::Leaf;
use super::page::{Content, Page};
use super::row::{Child, Position, Row, Summary};
use super::rows::LeafRows;
use crate::Result;
use std::ops::Range;
use store::Order;

/// What a walk comes to next.
#[derive(Clone, Debug)]
pub enum Step {
    /// Rows in the order of the walk, at least one.
    Rows(Vec<Row>),
    /// A leaf as it lies, of which at least one row is asked for.
    Leaf(Leaf),
    /// A subtree that was taken as a whole.
    Subtree(Summary),
}

/// A walk over the rows of some ranks.
#[derive(Debug)]
pub struct Walk {
    tree: Tree,
    ranks: Range<u64>,
    order: Order,
    by_leaves: bool,
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
    /// Whether it is known to be a leaf.
    is_leaf: bool,
}

impl Walk {
    pub(super) fn new(tree: Tree, ranks: Range<u64>, order: Order) -> Walk {
        let root = tree.root.clone().map(|child| Pending {
            child,
            end: None,
            rank: 0,
            is_leaf: false,
        });
        Walk {
            tree,
            ranks,
            order,
            by_leaves: false,
            pending: root.into_iter().collect(),
        }
    }

    /// The same walk, which gives leaves as they lie.
    pub(super) fn by_leaves(mut self) -> Walk {
        self.by_leaves = true;
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
        while let Some(next) = self.pending.pop() {
            let Pending {
                child,
                end,
                rank,
                is_leaf,
            } = next;
            let ranks = rank..rank + child.summary.rows;
            if ranks.end <= self.ranks.start || ranks.start >= self.ranks.end {
                continue;
            }
            let is_inside = self.ranks.start <= ranks.start && ranks.end <= self.ranks.end;
            if is_inside && is_whole(&child.first, end.as_ref()) {
                return Ok(Some(Step::Subtree(child.summary)));
            }
            let content = match self.by_leaves {
                true => self.tree.content(child.page, is_leaf).await?,
                false => Content::Page(self.tree.page(child.page).await?),
            };
            match content {
                Content::Leaf(bytes) => {
                    let places = self.places(child.summary.rows, rank);
                    if !places.is_empty() {
                        return Ok(Some(Step::Leaf(Leaf::new(bytes, places, is_inside))));
                    }
                }
                Content::Page(Page::Leaf(rows)) => {
                    let rows = self.wanted(&rows, rank);
                    if !rows.is_empty() {
                        return Ok(Some(Step::Rows(rows)));
                    }
                }
                Content::Page(Page::Inner { level, children }) => self.descend(level, &children, end, rank),
            }
        }
        Ok(None)
    }

    /// Where in a leaf of this many rows those are that are of the ranks asked for.
    fn places(&self, rows: u64, rank: u64) -> Range<usize> {
        let place = |rank_wanted: u64| {
            let place = rank_wanted.saturating_sub(rank).min(rows);
            usize::try_from(place).unwrap_or(usize::MAX)
        };
        place(self.ranks.start)..place(self.ranks.end)
    }

    /// Those rows of a leaf that are of the ranks asked for, in the walk's order.
    fn wanted(&self, rows: &LeafRows, rank: u64) -> Vec<Row> {
        let rows = rows.rows(self.places(rows.len() as u64, rank));
        match self.order {
            Order::Forward => rows.collect(),
            Order::Backward => rows.rev().collect(),
        }
    }

    fn descend(&mut self, level: u8, children: &[Child], end: Option<Position>, mut rank: u64) {
        // A child ends where its sibling begins, and the last one where the parent ends. The place is needed to take a
        // subtree as a whole without reading it.
        let ends: Vec<Option<Position>> = children
            .iter()
            .skip(1)
            .map(|next| Some(next.first.clone()))
            .chain([end])
            .collect();
        let from = self.pending.len();
        for (child, end) in children.iter().zip(ends) {
            let rows = child.summary.rows;
            self.pending.push(Pending {
                child: child.clone(),
                end,
                rank,
                is_leaf: level == 1,
            });
            rank += rows;
        }
        // The next one is taken from the end.
        if self.order == Order::Forward {
            self.pending[from..].reverse();
        }
    }
}
