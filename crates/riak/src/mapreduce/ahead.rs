//! Reading the inputs of a job ahead of its phases, which work on threads of their own.

use super::inputs::Source;
use super::item::Input;
use crate::error::{Result, RiakError};
use tokio::sync::mpsc;

/// The pages that wait for the first phase. One more is being read and one is worked on: a reader that shares its core with scripts
/// is late at times, and they would wait for it at the end of each page.
const PAGES_WAITING: usize = 1;

/// Inputs that are read while those before them are worked on.
#[derive(Debug)]
pub(super) enum ReadAhead {
    /// Nobody has asked yet.
    New(Source),
    Begun(mpsc::Receiver<Result<Vec<Input>>>),
    Ended,
}

impl ReadAhead {
    /// Nothing is read before the first page is asked for.
    pub(super) fn of(source: Source) -> ReadAhead {
        ReadAhead::New(source)
    }

    /// The next inputs; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<Input>>> {
        if matches!(self, ReadAhead::New(_))
            && let ReadAhead::New(source) = std::mem::replace(self, ReadAhead::Ended)
        {
            let (sender, pages) = mpsc::channel(PAGES_WAITING);
            drop(engine::beside(read(source, sender)));
            *self = ReadAhead::Begun(pages);
        }
        let ReadAhead::Begun(pages) = self else {
            return Ok(None);
        };
        // A reader that ends without a last page has panicked, and part of the inputs must not pass for all of them.
        let page = pages.recv().await;
        let page = page.unwrap_or_else(|| Err(RiakError::reading_broke_off()));
        if page.as_ref().map_or(true, Vec::is_empty) {
            *self = ReadAhead::Ended;
        }
        Ok(Some(page?).filter(|page| !page.is_empty()))
    }
}

/// Reads until the end, which is a page without inputs, or until nobody takes pages.
async fn read(mut source: Source, pages: mpsc::Sender<Result<Vec<Input>>>) {
    loop {
        let page = source.next().await;
        let is_last = page.as_ref().map_or(true, Vec::is_empty);
        if pages.send(page).await.is_err() || is_last {
            return;
        }
    }
}
