//! A stage at work: rows in, rows out.

use super::row::Row;
use crate::Result;
use futures::future::BoxFuture;
use memory::Share;
use query::execute::Interruption;
use value::DocumentRef;

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

    /// Takes one document where it lies; asked of steps alone that give nothing before their end.
    fn take(&mut self, document: DocumentRef<'_>) -> Result<()> {
        self.push(vec![Row::Tree(document.to_document())], &mut Vec::new())
            .map(drop)
    }

    /// Whether it has made less than all of what it took, so that it is asked by [`Step::go_on`] before it is given more.
    fn has_more(&self) -> bool {
        false
    }

    /// Gives the next page of what it took.
    fn go_on(&mut self, _out: &mut Vec<Row>) -> Result<()> {
        Ok(())
    }

    /// Asked after the last page until it is done: gives what it has kept, a page at a time.
    fn finish(&mut self, _out: &mut Vec<Row>) -> Result<Flow> {
        Ok(Flow::Done)
    }

    /// About the bytes that the next page at its end takes beside what is counted, where they may be many: it is asked for that
    /// page once they have room.
    fn finish_bytes(&self) -> usize {
        0
    }

    /// Whether what comes out may be much larger than what goes in: such a step is given few rows at a time.
    fn expands(&self) -> bool {
        false
    }

    /// Before nobody asks for a while: what it keeps goes on under `idle`, or into files where that has no room.
    fn rest(&mut self, _idle: &mut Share) -> Result<()> {
        Ok(())
    }
}

/// A stage at work that reads or writes other collections; as [`Step`] otherwise.
pub(crate) trait AwaitedStep: Send {
    /// Takes a page. A stage that makes its documents itself is given none.
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

    /// Gives the next page of what it took.
    fn go_on<'a>(
        &'a mut self,
        _out: &'a mut Vec<Row>,
        _interruption: &'a Interruption,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Asked after the last page until it is done.
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

/// Either kind of stage at work.
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

    /// As [`Step::take`]; not asked of a step that reaches other collections.
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

/// Rows that a blocking stage gives at a time when it gives what it has kept.
pub(crate) const PAGE_ROWS: usize = 1_000;

/// About the bytes of such rows.
pub(crate) const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// Gives the next page of rows that are at hand.
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
