//! Work that another thread does meanwhile.

use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// Work that an idle thread does; see [`Snapshot::aside`](crate::Snapshot::aside). If this is dropped, the work still ends.
#[derive(Debug)]
pub struct Aside<T> {
    result: oneshot::Receiver<T>,
    /// The thread counts as busy until the result is taken: so no more results wait in memory than there are such threads.
    _busy: OwnedSemaphorePermit,
}

impl<T> Aside<T> {
    pub(crate) fn new(result: oneshot::Receiver<T>, busy: OwnedSemaphorePermit) -> Aside<T> {
        Aside { result, _busy: busy }
    }

    /// Waits for the result; `None` if the work panicked.
    pub async fn result(self) -> Option<T> {
        self.result.await.ok()
    }
}
