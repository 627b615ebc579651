//! What is known of a build while it runs.

use crate::StoreError;
use tokio::sync::watch;

/// One build under way, of indexes that were asked for together.
#[derive(Debug)]
pub(crate) struct BuildHandle {
    pub(super) ids: Vec<u32>,
    /// The end, once it is there.
    pub(super) result: watch::Sender<Option<Result<(), StoreError>>>,
}
