//! How many rows are worked on at a time, where each may become large.

use super::row::Row;

/// Rows at first: one may become as long as a document can be.
const ROWS_FIRST: usize = 1;
/// How many times more are taken next time where little came out.
const GROWTH: usize = 4;
/// If fewer bytes than this come out, more rows are taken next time.
const BYTES_FEW: usize = 1024 * 1024;
/// If more bytes than this come out, fewer rows are taken next time.
const BYTES_MANY: usize = 4 * 1024 * 1024;

/// A number of rows that goes with what came of those before.
#[derive(Debug)]
pub(crate) struct Portion {
    rows: usize,
}

impl Default for Portion {
    fn default() -> Portion {
        Portion { rows: ROWS_FIRST }
    }
}

impl Portion {
    /// The rows to take next.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// This came of a portion.
    pub(crate) fn learn<'r>(&mut self, came: impl Iterator<Item = &'r Row>) {
        let bytes: usize = came.map(Row::size_bytes).sum();
        if bytes < BYTES_FEW {
            self.rows = self.rows.saturating_mul(GROWTH);
        } else if bytes > BYTES_MANY {
            self.rows = (self.rows / 2).max(1);
        }
    }
}
