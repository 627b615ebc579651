//! Running work that waits for disk or locks without blocking other tasks.

use crate::Error;
use crate::threads::may_block_in_place;

/// Runs work that may block: on this thread if possible, since waking another costs a large part of a flush,
/// and much more on a busy machine.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Error> {
    if may_block_in_place() {
        return Ok(tokio::task::block_in_place(work));
    }
    // Fails only when the runtime shuts down, or by a panic, which has been reported where it happened.
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Closed)
}
