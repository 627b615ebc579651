//! Steps that join rows with documents of another collection.

use crate::Result;
use crate::row::Row;
use crate::stage::Run;
use crate::step::{AwaitedStep, Flow, PAGE_BYTES, Work};
use crate::waiting::Waiting;
use futures::future::BoxFuture;
use memory::Share;
use query::execute::Interruption;
use query::spill::SpillFolder;
use std::sync::Arc;

/// How rows are joined.
pub(crate) trait Join: Send {
    /// Joins the first of the waiting rows, or as many as are looked up together, and returns the bytes of the results. `room` is the
    /// number of bytes that the page has left.
    fn join<'a>(
        &'a mut self,
        waiting: &'a mut Waiting,
        out: &'a mut Vec<Row>,
        room: usize,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<usize>>;
}

/// A step that joins rows page by page. The result of a row may be far larger than the row, so the other rows wait until more
/// is requested.
pub(crate) struct JoinStep<J> {
    join: J,
    /// The rows that were not joined yet.
    waiting: Waiting,
    spill: Option<Arc<SpillFolder>>,
}

impl<J: Join + 'static> JoinStep<J> {
    /// The work of a stage that joins.
    pub(crate) fn work(join: J, run: &Run) -> Work {
        Work::awaited(JoinStep {
            join,
            waiting: Waiting::default(),
            spill: run.surroundings.spill.clone(),
        })
    }
}

impl<J: Join> AwaitedStep for JoinStep<J> {
    fn expands(&self) -> bool {
        true
    }

    fn push<'a>(
        &'a mut self,
        rows: Vec<Row>,
        out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async move {
            self.waiting.extend(rows);
            self.go_on(out, interruption).await?;
            Ok(Flow::More)
        })
    }

    fn has_more(&self) -> bool {
        !self.waiting.is_empty()
    }

    fn go_on<'a>(
        &'a mut self,
        out: &'a mut Vec<Row>,
        interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut bytes = 0;
            while bytes < PAGE_BYTES && !self.waiting.is_empty() {
                let room = PAGE_BYTES - bytes;
                bytes += self.join.join(&mut self.waiting, out, room, interruption).await?;
            }
            Ok(())
        })
    }

    fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.waiting.rest(idle, self.spill.as_deref())
    }
}
