//! Documents batch after batch: what a cursor keeps between batches.

use crate::Result;
use futures::future::BoxFuture;
use language::Interruption;
use value::DocumentBuf;

/// Whether a stream has more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamState {
    /// There may be more.
    More,
    /// Nothing is left (of a tailing stream: for the time being).
    Exhausted,
}

/// Documents one batch after another. Between batches it holds a position, no snapshot.
pub trait DocumentStream: Send {
    /// Adds documents to `batch` until it holds `documents_max`, or the next would take its bytes over `bytes_max`
    /// (an empty batch takes at least one), or nothing more is there.
    fn fill<'a>(
        &'a mut self,
        batch: &'a mut Vec<DocumentBuf>,
        documents_max: usize,
        bytes_max: usize,
    ) -> BoxFuture<'a, Result<StreamState>>;

    /// The operation under which the next batches run.
    fn attach(&mut self, interruption: &Interruption);
}
