//! Steps one after the other: what comes out of one goes into the next.

use super::portion::Portion;
use super::row::Row;
use super::step::{Flow, Work};
use super::waiting::Waiting;
use crate::Result;
use language::interruption::steps;
use memory::Share;
use query::execute::Interruption;
use query::spill::SpillFolder;

/// The steps of a pipeline at work.
pub(crate) struct Chain {
    steps: Vec<Work>,
    /// How many rows each takes at a time, of those that may make much of one.
    portions: Vec<Portion>,
    /// The rows of a page that each of those has not taken yet.
    held: Vec<Waiting>,
    /// Steps from the front that take nothing more.
    closed: usize,
    /// Steps from the front that have given all that they kept.
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

    /// Whether what comes out may be much larger than what goes in.
    pub(crate) fn expands(&self) -> bool {
        self.steps.iter().any(Work::expands)
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
    pub(crate) fn rest(&mut self, idle: &mut Share, spill: Option<&SpillFolder>) -> Result<()> {
        self.steps.iter_mut().try_for_each(|step| step.rest(idle))?;
        self.held.iter_mut().try_for_each(|rows| rows.rest(idle, spill))
    }

    /// Takes a page; what comes out after the last step is appended to `out`.
    pub(crate) async fn push(
        &mut self,
        rows: Vec<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<()> {
        self.push_from(0, rows, out, interruption).await
    }

    /// Whether a step has made less than all of what it took: [`Chain::go_on`] comes before more is pushed.
    pub(crate) fn has_more(&self) -> bool {
        self.holding().is_some()
    }

    /// The last step that has more, or rows held before it.
    fn holding(&self) -> Option<usize> {
        let has_more = |at: &usize| self.steps[*at].has_more() || !self.held[*at].is_empty();
        (self.closed..self.steps.len()).rev().find(has_more)
    }

    /// Lets the last step that has more give its next page.
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

    /// About the bytes that [`Chain::finish`] takes beside what is counted.
    pub(crate) fn finish_bytes(&self) -> usize {
        let at = self.finished.max(self.closed.saturating_sub(1));
        self.steps.get(at).map_or(0, Work::finish_bytes)
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

    /// Pushes a few of these rows into a step, and what comes out through the steps after it. The others are held before it, so
    /// that what comes of them is never all there at once.
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
