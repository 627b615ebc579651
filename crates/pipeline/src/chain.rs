//! Steps one behind the other: what comes out of one goes into the next.

use super::row::Row;
use super::step::{Flow, Work};
use crate::Result;
use memory::Share;
use query::execute::Interruption;

/// The steps of a pipeline at work.
pub(crate) struct Chain {
    steps: Vec<Work>,
    /// Steps from the front that take nothing more.
    closed: usize,
    /// Steps from the front that have given all that they kept.
    finished: usize,
}

impl Chain {
    pub(crate) fn new(steps: Vec<Work>) -> Chain {
        Chain {
            steps,
            closed: 0,
            finished: 0,
        }
    }

    /// Whether rows can still change what comes out.
    pub(crate) fn is_open(&self) -> bool {
        self.closed == 0
    }

    /// Whether nothing more will come out once the input has ended.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished >= self.steps.len()
    }

    /// Before nobody asks for a while: what the steps keep goes on under `idle`, or into files.
    pub(crate) fn rest(&mut self, idle: &mut Share) -> Result<()> {
        self.steps.iter_mut().try_for_each(|step| step.rest(idle))
    }

    /// Takes a page; what comes out behind the last step is appended to `out`.
    pub(crate) async fn push(
        &mut self,
        rows: Vec<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<()> {
        self.push_from(0, rows, out, interruption).await
    }

    /// After the last page: lets the first step that is not at its end give a page.
    pub(crate) async fn finish(&mut self, out: &mut Vec<Row>, interruption: &Interruption) -> Result<()> {
        // What stands before a closed step need not give the rest.
        self.finished = self.finished.max(self.closed.saturating_sub(1));
        let at = self.finished;
        let Some(step) = self.steps.get_mut(at) else {
            return Ok(());
        };
        let mut rows = Vec::new();
        if step.finish(&mut rows, interruption).await? == Flow::Done {
            self.finished += 1;
        }
        self.push_from(at + 1, rows, out, interruption).await
    }

    async fn push_from(
        &mut self,
        start: usize,
        mut rows: Vec<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<()> {
        if start < self.closed {
            return Ok(());
        }
        for at in start..self.steps.len() {
            if rows.is_empty() {
                return Ok(());
            }
            let mut next = Vec::new();
            if self.steps[at].push(rows, &mut next, interruption).await? == Flow::Done {
                self.closed = self.closed.max(at + 1);
            }
            rows = next;
        }
        out.append(&mut rows);
        Ok(())
    }
}
