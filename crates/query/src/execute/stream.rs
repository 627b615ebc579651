//! Documents batch after batch: what a cursor keeps between batches.

use crate::{Code, QueryError, Result};
use futures::future::BoxFuture;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use value::DocumentBuf;

/// What a running query looks at, page by page and every few thousand keys, to know that it must end.
#[derive(Clone, Debug, Default)]
pub struct Interruption {
    /// When it must have ended (`maxTimeMS`).
    pub deadline: Option<Instant>,
    /// Set when somebody kills the operation.
    pub killed: Arc<AtomicBool>,
}

impl Interruption {
    /// Fails once the time is up or the operation was killed.
    pub fn check(&self) -> Result<()> {
        if self.killed.load(Ordering::Relaxed) {
            return Err(QueryError::new(Code::INTERRUPTED, "operation was interrupted"));
        }
        match self.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(QueryError::new(
                Code::MAX_TIME_MS_EXPIRED,
                "operation exceeded time limit",
            )),
            _ => Ok(()),
        }
    }
}

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
