//! A stage at work: rows in, rows out.

use super::row::Row;
use crate::Result;

/// Whether a step has more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Go on: give it more, or ask it again.
    More,
    /// It needs and gives nothing more.
    Done,
}

/// A stage at work. Rows are pushed in page by page; what comes out at once is appended to `out`.
pub(crate) trait Step: Send {
    /// Takes a page. After [`Flow::Done`] it is given nothing more, but still finished.
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow>;

    /// Asked after the last page until it is done: gives what it has kept, a page at a time.
    fn finish(&mut self, _out: &mut Vec<Row>) -> Result<Flow> {
        Ok(Flow::Done)
    }
}

/// Rows that a blocking stage gives at a time when it gives what it has kept.
pub(crate) const PAGE_ROWS: usize = 1_000;

/// Gives the next page of rows that are at hand.
pub(crate) fn give(rows: &mut impl Iterator<Item = Row>, out: &mut Vec<Row>) -> Flow {
    for row in rows.take(PAGE_ROWS) {
        out.push(row);
    }
    if out.len() < PAGE_ROWS {
        Flow::Done
    } else {
        Flow::More
    }
}
