//! A chain of steps: the output of each is the input of the next.

use super::portion::Portion;
use super::row::Row;
use super::step::{Flow, Work};
use super::waiting::Waiting;
use crate::Result;
use language::interruption::steps;
use memory::Share;
use query::execute::Interruption;
use query::spill::SpillFolder;

/// The running steps of a pipeline.
pub(crate) struct Chain {
    steps: Vec<Work>,
    /// The number of rows that each step takes at a time, if it may make much of one row.
    portions: Vec<Portion>,
    /// The rows of a page that each of these steps has not taken yet.
    held: Vec<Waiting>,
    /// The number of steps, from the front, that take no more input.
    closed: usize,
    /// The number of steps, from the front, that have returned everything they kept.
    finished: usize,
}

impl Chain {
    pub(crate) fn new(steps: Vec<Work>) -> Chain {
        Chain {
            portions: steps.iter().map(|_| Portion::default()).collect(),
            held: steps.iter().map(|_| Waiting::default()).collect(),
            steps,
            closed: 0,
            finished: 0,
        }
    }

    /// The first step.
    pub(crate) fn first(&mut self) -> Option<&mut Work> {
        self.steps.first_mut()
    }

    /// Whether the output may be much larger than the input.
    pub(crate) fn expands(&self) -> bool {
        self.steps.iter().any(Work::expands)
    }

    /// Whether more rows can still change the output.
    pub(crate) fn is_open(&self) -> bool {
        self.closed == 0
    }

    /// Whether there will be no more output after the end of the input.
    pub(crate) fn is_finished(&self) -> bool {
        self.finished >= self.steps.len()
    }

    /// To be called before a pause: what the steps keep is counted under `idle`, or moves into files.
    pub(crate) fn rest(&mut self, idle: &mut Share, spill: Option<&SpillFolder>) -> Result<()> {
        self.steps.iter_mut().try_for_each(|step| step.rest(idle))?;
        self.held.iter_mut().try_for_each(|rows| rows.rest(idle, spill))
    }

    /// Takes a page, and appends the output of the last step to `out`.
    pub(crate) async fn push(
        &mut self,
        rows: Vec<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<()> {
        self.push_from(0, rows, out, interruption).await
    }

    /// Whether a step has not processed all of its input yet. If so, call [`Chain::go_on`] before more is pushed.
    pub(crate) fn has_more(&self) -> bool {
        self.holding().is_some()
    }

    /// The last step that has more, or rows held before it.
    fn holding(&self) -> Option<usize> {
        let has_more = |at: &usize| self.steps[*at].has_more() || !self.held[*at].is_empty();
        (self.closed..self.steps.len()).rev().find(has_more)
    }

    /// Makes the last step that has more return its next page.
    pub(crate) async fn go_on(&mut self, out: &mut Vec<Row>, interruption: &Interruption) -> Result<()> {
        let Some(at) = self.holding() else {
            return Ok(());
        };
        if !self.steps[at].has_more() {
            return self.push_portion(at, Vec::new(), out, interruption).await;
        }
        let mut rows = Vec::new();
        self.steps[at].go_on(&mut rows, interruption).await?;
        self.push_from(at + 1, rows, out, interruption).await
    }

    /// The bytes, about, that [`Chain::finish`] takes besides those that are counted.
    pub(crate) fn finish_bytes(&self) -> usize {
        let at = self.finished.max(self.closed.saturating_sub(1));
        self.steps.get(at).map_or(0, Work::finish_bytes)
    }

    /// To be called after the last page: makes the first step that is not at its end return a page.
    pub(crate) async fn finish(&mut self, out: &mut Vec<Row>, interruption: &Interruption) -> Result<()> {
        // Steps before a closed one need not return the rest.
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
            if self.steps[at].expands() && rows.len() > self.portions[at].rows() {
                return self.push_portion(at, rows, out, interruption).await;
            }
            steps(rows.len())?;
            let mut next = Vec::new();
            if self.steps[at].push(rows, &mut next, interruption).await? == Flow::Done {
                self.closed = self.closed.max(at + 1);
            }
            if self.steps[at].expands() {
                self.portions[at].learn(next.iter());
            }
            rows = next;
        }
        out.append(&mut rows);
        Ok(())
    }

    /// Pushes a few of these rows into a step, and its output through the steps after it. The other rows are held before the step, so
    /// that their output is never in memory all at once.
    async fn push_portion(
        &mut self,
        at: usize,
        rows: Vec<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<()> {
        self.held[at].extend(rows);
        let some = self.held[at].take(self.portions[at].rows())?;
        Box::pin(self.push_from(at, some, out, interruption)).await
    }
}
