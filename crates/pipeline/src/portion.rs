//! The number of rows that are processed at a time if each may become large.

use super::row::Row;

/// The number of rows at first: a single one may become as long as a document can be.
const ROWS_FIRST: usize = 1;
/// The factor by which more rows are taken after a small output.
const GROWTH: usize = 4;
/// If the output has fewer bytes than this, more rows are taken next time.
const BYTES_FEW: usize = 1024 * 1024;
/// If the output has more bytes than this, fewer rows are taken next time.
const BYTES_MANY: usize = 4 * 1024 * 1024;

/// A number of rows that adapts to the output of earlier rows.
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

    /// Learns from the output of a portion.
    pub(crate) fn learn<'r>(&mut self, came: impl Iterator<Item = &'r Row>) {
        let bytes: usize = came.map(Row::size_bytes).sum();
        if bytes < BYTES_FEW {
            self.rows = self.rows.saturating_mul(GROWTH);
        } else if bytes > BYTES_MANY {
            self.rows = (self.rows / 2).max(1);
        }
    }
}
