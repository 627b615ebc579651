//! Reductions of a range, group by group.
//!
//! A group is open while rows of it come. A subtree is taken as a whole where it begins and ends within the open group;
//! so a group of a million rows reads the leaves at its two ends. Where the reduction needs no more than values, leaves are read as
//! they lie, and what rows of a leaf come to in each group is a reduction as that of a subtree, which is kept for the next query.

use super::group_by::GroupBy;
use super::runs::{Grouped, KeptRuns, Runs};
use super::{AnswerRow, Grouping, Query};
use crate::Result;
use crate::reduce::Reducer;
use crate::tree::{Leaf, Position, Row, Step, Tree, Walk};
use bytes::Bytes;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use store::Order;

/// The groups that are reduced at once.
const GROUPS_AT_ONCE: usize = 256;

/// Gives the groups of some ranges.
#[derive(Debug)]
pub(super) struct Groups {
    tree: Tree,
    ranges: VecDeque<Range<u64>>,
    order: Order,
    grouped: Grouped,
    kept: Arc<KeptRuns>,
    reducer: Reducer,
    /// Where in summaries its reductions are.
    place: usize,
    skip: u64,
    limit: u64,
    walk: Option<Walk>,
    open: Option<Group>,
}

/// Rows and subtrees of one group.
#[derive(Debug)]
struct Group {
    /// What encoded keys of the group begin with.
    prefix: Bytes,
    key: Option<Bytes>,
    rows: Vec<Row>,
    reductions: Vec<Bytes>,
}

impl Groups {
    pub(super) fn new(
        tree: Tree,
        ranges: Vec<Range<u64>>,
        reducer: Reducer,
        place: usize,
        query: &Query,
        kept: Arc<KeptRuns>,
    ) -> Result<Groups> {
        Ok(Groups {
            tree,
            ranges: ranges.into_iter().filter(|range| !range.is_empty()).collect(),
            order: query.order,
            grouped: Grouped {
                by: GroupBy::of(query)?,
                descending: query.order == Order::Backward,
                function: reducer.function,
            },
            kept,
            reducer,
            place,
            skip: query.skip,
            limit: query.limit.unwrap_or(u64::MAX),
            walk: None,
            open: None,
        })
    }

    /// The next groups; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<AnswerRow>>> {
        let mut done = Vec::new();
        while done.len() < GROUPS_AT_ONCE && (done.len() as u64) < self.limit {
            match self.step().await? {
                Some(closed) => closed.into_iter().for_each(|group| self.close(group, &mut done)),
                None => {
                    if let Some(group) = self.open.take() {
                        self.close(group, &mut done);
                    }
                    break;
                }
            }
        }
        if done.is_empty() {
            return Ok(None);
        }
        done.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        self.limit -= done.len() as u64;
        self.reduce(done).await.map(Some)
    }

    /// Takes one step, and returns the groups that it completes; `None` at the end of all ranges.
    async fn step(&mut self) -> Result<Option<Vec<Group>>> {
        loop {
            if let Some(walk) = &mut self.walk {
                let (by, open) = (&self.grouped.by, self.open.as_ref());
                let is_whole = |first: &Position, end: Option<&Position>| match by.grouping {
                    Grouping::None => true,
                    _ => open.is_some_and(|open| {
                        let is_of_open = |place: &Position| by.prefix_of(&place.sort_key) == open.prefix;
                        is_of_open(first) && end.is_some_and(is_of_open)
                    }),
                };
                match walk.next(is_whole).await? {
                    Some(Step::Rows(rows)) => return Ok(Some(self.add_rows(rows))),
                    Some(Step::Leaf(leaf)) => {
                        let runs = self.runs(&leaf)?;
                        return Ok(Some(self.add_runs(&runs)));
                    }
                    Some(Step::Subtree(summary)) => {
                        let reduction = summary.reductions.get(self.place).cloned();
                        let open = self.open.get_or_insert_with(Group::of_all);
                        open.reductions.extend(reduction);
                        return Ok(Some(Vec::new()));
                    }
                    None => {
                        self.walk = None;
                        // The next range is that of another key, or of the same asked for once more: another group.
                        if let Some(group) = self.open.take() {
                            return Ok(Some(vec![group]));
                        }
                    }
                }
            }
            let Some(range) = self.ranges.pop_front() else {
                return Ok(None);
            };
            self.walk = Some(match self.reducer.fold() {
                Some(_) => self.tree.walk_by_leaves(range, self.order),
                None => self.tree.walk(range, self.order),
            });
        }
    }

    /// What a leaf comes to, group by group.
    fn runs(&self, leaf: &Leaf) -> Result<Arc<Runs>> {
        let make = || self.grouped.runs(&self.reducer, leaf, &self.tree);
        self.kept.of_leaf(&self.grouped, leaf, make)
    }

    /// Puts reduced rows into the open group or new ones; the groups that ended.
    fn add_runs(&mut self, runs: &Runs) -> Vec<Group> {
        let mut closed = Vec::new();
        for run in runs.iter() {
            match &mut self.open {
                Some(open) if open.prefix == run.prefix => open.reductions.push(run.reduction),
                _ => {
                    let group = Group {
                        key: self.grouped.by.key_of(&run.key),
                        prefix: run.prefix,
                        rows: Vec::new(),
                        reductions: vec![run.reduction],
                    };
                    closed.extend(self.open.replace(group));
                }
            }
        }
        closed
    }

    /// Puts rows into the open group or new ones; the groups that ended.
    fn add_rows(&mut self, rows: Vec<Row>) -> Vec<Group> {
        let mut closed = Vec::new();
        for row in rows {
            let prefix = self.grouped.by.prefix_of(&row.position.sort_key);
            let is_open = self.open.as_ref().is_some_and(|open| open.prefix == prefix);
            if !is_open {
                let group = Group {
                    prefix: row.position.sort_key.slice_ref(prefix),
                    key: self.grouped.by.key_of(&row.key),
                    rows: Vec::new(),
                    reductions: Vec::new(),
                };
                closed.extend(self.open.replace(group));
            }
            if let Some(open) = &mut self.open {
                open.rows.push(row);
            }
        }
        closed
    }

    fn close(&mut self, group: Group, done: &mut Vec<Group>) {
        if self.skip > 0 {
            self.skip -= 1;
        } else {
            done.push(group);
        }
    }

    async fn reduce(&self, groups: Vec<Group>) -> Result<Vec<AnswerRow>> {
        let with_rows = groups.iter().filter(|group| !group.rows.is_empty());
        let rows: Vec<Vec<&Row>> = with_rows.map(|group| group.rows.iter().collect()).collect();
        let mut of_rows = self.reducer.reduce(&rows).await?.into_iter();
        let mut parts = Vec::with_capacity(groups.len());
        for group in &groups {
            let mut all = group.reductions.clone();
            if !group.rows.is_empty() {
                all.extend(of_rows.next());
            }
            parts.push(all);
        }
        let several = parts.iter().filter(|parts| parts.len() > 1).cloned();
        let several: Vec<Vec<Bytes>> = several.collect();
        let mut combined = self.reducer.rereduce(&several).await?.into_iter();
        let row = |(group, mut parts): (Group, Vec<Bytes>)| {
            let reduction = if parts.len() > 1 {
                combined.next()
            } else {
                parts.pop()
            };
            AnswerRow {
                id: None,
                key: group.key,
                value: self.reducer.finish(&reduction.unwrap_or_default()),
            }
        };
        Ok(groups.into_iter().zip(parts).map(row).collect())
    }
}

impl Group {
    /// The one group where rows are not grouped.
    fn of_all() -> Group {
        Group {
            prefix: Bytes::new(),
            key: None,
            rows: Vec::new(),
            reductions: Vec::new(),
        }
    }
}
