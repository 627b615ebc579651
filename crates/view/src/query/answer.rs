//! The answer to a query.

use super::groups::Groups;
use super::runs::KeptRuns;
use super::{Query, ranges};
use crate::Result;
use crate::design::View;
use crate::tree::{Row, Tree, Walk};
use bytes::Bytes;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use store::{Order, Sequence};

/// One row of an answer; key and value are JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRow {
    /// The document that emitted it; `None` for a reduction.
    pub id: Option<String>,
    /// The key, or the part of it that the group shares; `None` if all rows are one group.
    pub key: Option<Bytes>,
    /// The value, or the reduction.
    pub value: Bytes,
}

/// Rows in order, page by page, as of one moment.
#[derive(Debug)]
pub struct Answer {
    /// The rows of the view and those of them before the answer's first row; `None` for a reduction.
    pub totals: Option<(u64, u64)>,
    /// The position in the collection's change log that the rows have reached.
    pub sequence: Sequence,
    source: Source,
}

#[derive(Debug)]
enum Source {
    Rows(Box<Rows>),
    Groups(Box<Groups>),
}

impl Answer {
    /// Finds where the rows lie, without reading any.
    pub(crate) async fn begin(
        tree: Tree,
        view: &View,
        reducer: Option<usize>,
        query: Query,
        sequence: Sequence,
        kept: Arc<KeptRuns>,
    ) -> Result<Answer> {
        let found = ranges::find(&tree, &query, view.collation).await?;
        if let Some(place) = reducer.filter(|_| query.reduce != Some(false)) {
            let reducer = view.reducers[place].clone();
            let groups = Groups::new(tree, found.ranges, reducer, place, &query, kept)?;
            return Ok(Answer {
                totals: None,
                sequence,
                source: Source::Groups(Box::new(groups)),
            });
        }
        let total = tree.rows();
        let offset = found.before.saturating_add(query.skip).min(total);
        Ok(Answer {
            totals: Some((total, offset)),
            sequence,
            source: Source::Rows(Box::new(Rows::new(tree, found.ranges, &query))),
        })
    }

    /// The next rows; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<AnswerRow>>> {
        match &mut self.source {
            Source::Rows(rows) => {
                let page = rows.next().await?;
                Ok(page.map(|rows| rows.into_iter().map(answer_row).collect()))
            }
            Source::Groups(groups) => groups.next().await,
        }
    }
}

fn answer_row(row: Row) -> AnswerRow {
    AnswerRow {
        id: Some(String::from_utf8_lossy(&row.position.id).into_owned()),
        key: Some(row.key),
        value: row.value,
    }
}

/// Rows of some ranges, one range after the other.
#[derive(Debug)]
struct Rows {
    tree: Tree,
    ranges: VecDeque<Range<u64>>,
    order: Order,
    limit: u64,
    walk: Option<Walk>,
}

impl Rows {
    fn new(tree: Tree, ranges: Vec<Range<u64>>, query: &Query) -> Rows {
        let mut skip = query.skip;
        let rest = |range: Range<u64>| {
            let skipped = skip.min(range.end - range.start);
            skip -= skipped;
            match query.order {
                Order::Forward => range.start + skipped..range.end,
                Order::Backward => range.start..range.end - skipped,
            }
        };
        Rows {
            tree,
            ranges: ranges
                .into_iter()
                .map(rest)
                .filter(|range| !range.is_empty())
                .collect(),
            order: query.order,
            limit: query.limit.unwrap_or(u64::MAX),
            walk: None,
        }
    }

    async fn next(&mut self) -> Result<Option<Vec<Row>>> {
        while self.limit > 0 {
            if let Some(walk) = &mut self.walk
                && let Some(mut rows) = walk.rows().await?
            {
                rows.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
                self.limit -= rows.len() as u64;
                return Ok(Some(rows));
            }
            let Some(range) = self.ranges.pop_front() else {
                break;
            };
            let wanted = match self.order {
                Order::Forward => range.start..range.end.min(range.start.saturating_add(self.limit)),
                Order::Backward => range.start.max(range.end.saturating_sub(self.limit))..range.end,
            };
            self.walk = Some(self.tree.walk(wanted, self.order));
        }
        Ok(None)
    }
}
