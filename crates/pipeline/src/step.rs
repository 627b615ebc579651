//! A running stage: rows in, rows out.

use super::row::Row;
use crate::Result;
use futures::future::BoxFuture;
use memory::Share;
use query::execute::Interruption;
use value::DocumentRef;

/// Whether a step has more to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// Continue: push more, or call it again.
    More,
    /// It takes and returns nothing more.
    Done,
}

/// A running stage. Rows are pushed in page by page; rows that it returns at once are appended to `out`.
pub(crate) trait Step: Send {
    /// Takes a page. After [`Flow::Done`] nothing more is pushed, but the step is still finished.
    fn push(&mut self, rows: Vec<Row>, out: &mut Vec<Row>) -> Result<Flow>;

    /// Takes one document where it lies. Only called for steps that return nothing before their end.
    fn take(&mut self, document: DocumentRef<'_>) -> Result<()> {
        self.push(vec![Row::Tree(document.to_document())], &mut Vec::new())
            .map(drop)
    }

    /// Whether it has not processed all of its input yet. If so, [`Step::go_on`] is called before more is pushed.
    fn has_more(&self) -> bool {
        false
    }

    /// Returns the next page of results of its input.
    fn go_on(&mut self, _out: &mut Vec<Row>) -> Result<()> {
        Ok(())
    }

    /// Called after the last page until it is done: returns what it has kept, a page at a time.
    fn finish(&mut self, _out: &mut Vec<Row>) -> Result<Flow> {
        Ok(Flow::Done)
    }

    /// The bytes, about, that the next page at its end takes besides those that are counted, if they may be many. The page is
    /// requested once there is room for them.
    fn finish_bytes(&self) -> usize {
        0
    }

    /// Whether the output may be much larger than the input. Such a step gets only a few rows at a time.
    fn expands(&self) -> bool {
        false
    }

    /// To be called before a pause: what it keeps is counted under `idle`, or moves into files if that has no room.
    fn rest(&mut self, _idle: &mut Share) -> Result<()> {
        Ok(())
    }
}

/// A running stage that reads or writes other collections; otherwise as [`Step`].
pub(crate) trait AwaitedStep: Send {
    /// Takes a page. A stage that makes its documents gets none.
    fn push<'a>(
        &'a mut self,
        _rows: Vec<Row>,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async { Ok(Flow::More) })
    }

    /// As [`Step::has_more`].
    fn has_more(&self) -> bool {
        false
    }

    /// Returns the next page of results of its input.
    fn go_on<'a>(
        &'a mut self,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Called after the last page until it is done.
    fn finish<'a>(
        &'a mut self,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<Flow>> {
        Box::pin(async { Ok(Flow::Done) })
    }

    /// As [`Step::expands`].
    fn expands(&self) -> bool {
        false
    }

    /// As [`Step::rest`].
    fn rest(&mut self, _idle: &mut Share) -> Result<()> {
        Ok(())
    }
}

/// Either kind of running stage.
pub(crate) enum Work {
    /// It needs nothing but its rows.
    Local(Box<dyn Step>),
    /// It reaches other collections.
    Awaited(Box<dyn AwaitedStep>),
}

impl Work {
    /// The work of a step that needs nothing but its rows.
    pub(crate) fn local(step: impl Step + 'static) -> Work {
        Work::Local(Box::new(step))
    }

    /// The work of a step that reaches other collections.
    pub(crate) fn awaited(step: impl AwaitedStep + 'static) -> Work {
        Work::Awaited(Box::new(step))
    }

    /// As [`Step::push`].
    pub(super) async fn push(
        &mut self,
        rows: Vec<Row>,
        out: &mut Vec<Row>,
        interruption: &Interruption,
    ) -> Result<Flow> {
        match self {
            Work::Local(step) => step.push(rows, out),
            Work::Awaited(step) => step.push(rows, out, interruption).await,
        }
    }

    /// As [`Step::take`]; not called for a step that reaches other collections.
    pub(super) fn take(&mut self, document: DocumentRef<'_>) -> Result<()> {
        match self {
            Work::Local(step) => step.take(document),
            Work::Awaited(_) => Ok(()),
        }
    }

    /// As [`Step::has_more`].
    pub(super) fn has_more(&self) -> bool {
        match self {
            Work::Local(step) => step.has_more(),
            Work::Awaited(step) => step.has_more(),
        }
    }

    /// As [`Step::go_on`].
    pub(super) async fn go_on(&mut self, out: &mut Vec<Row>, interruption: &Interruption) -> Result<()> {
        match self {
            Work::Local(step) => step.go_on(out),
            Work::Awaited(step) => step.go_on(out, interruption).await,
        }
    }

    /// As [`Step::expands`].
    pub(super) fn expands(&self) -> bool {
        match self {
            Work::Local(step) => step.expands(),
            Work::Awaited(step) => step.expands(),
        }
    }

    /// As [`Step::finish_bytes`].
    pub(super) fn finish_bytes(&self) -> usize {
        match self {
            Work::Local(step) => step.finish_bytes(),
            Work::Awaited(_) => 0,
        }
    }

    /// As [`Step::rest`].
    pub(super) fn rest(&mut self, idle: &mut Share) -> Result<()> {
        match self {
            Work::Local(step) => step.rest(idle),
            Work::Awaited(step) => step.rest(idle),
        }
    }

    /// As [`Step::finish`].
    pub(super) async fn finish(&mut self, out: &mut Vec<Row>, interruption: &Interruption) -> Result<Flow> {
        match self {
            Work::Local(step) => step.finish(out),
            Work::Awaited(step) => step.finish(out, interruption).await,
        }
    }
}

/// The number of rows that a blocking stage returns at a time at its end.
pub(crate) const PAGE_ROWS: usize = 1_000;

/// The approximate bytes of such a page.
pub(crate) const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// Returns the next page of rows in memory.
pub(crate) fn give(rows: &mut impl Iterator<Item = Row>, out: &mut Vec<Row>) -> Flow {
    let mut bytes = 0;
    while out.len() < PAGE_ROWS && bytes < PAGE_BYTES {
        let Some(row) = rows.next() else {
            return Flow::Done;
        };
        bytes += row.size_bytes();
        out.push(row);
    }
    Flow::More
}
