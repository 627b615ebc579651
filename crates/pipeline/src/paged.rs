//! Steps that turn each row into another, a page at a time, since a row may become as long as memory allows.

use crate::Result;
use crate::row::Row;
use crate::stage::Run;
use crate::step::{Flow, PAGE_BYTES, Step, Work};
use crate::waiting::Waiting;
use memory::Share;
use query::spill::SpillFolder;
use std::sync::Arc;

/// Turns a row into another.
pub(crate) trait RowMaker: Send {
    /// Makes the new row.
    fn make(&mut self, row: Row) -> Result<Row>;
}

struct Paged<M> {
    maker: M,
    /// The rows that were not processed yet.
    waiting: Waiting,
    /// The folder to which they may move during a pause; `None` if they may not.
    spill: Option<Arc<SpillFolder>>,
}

/// A step that turns each row into another.
pub(crate) fn paged(maker: impl RowMaker + 'static, run: &Run) -> Work {
    Work::local(Paged {
        maker,
        waiting: Waiting::default(),
        spill: run.surroundings.spill.clone(),
    })
}

impl<M: RowMaker> Step for Paged<M> {
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow> {
        self.waiting.extend(rows);
        self.go_on(out)?;
        Ok(Flow::More)
    }

    fn has_more(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn go_on(&mut self, out: &mut Vec<Row>) -> Result<()> {
        let mut bytes = 0;
        while bytes < PAGE_BYTES
            && let Some(row) = self.waiting.pop()?
        {
            let made = self.maker.make(row)?;
            bytes += made.size_bytes();
            out.push(made);
        }
        Ok(())
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.waiting.rest(idle, self.spill.as_deref())
    }
}
