//! A running build, as those who wait for it see it.

use crate::StoreError;
use tokio::sync::watch;

/// One build under way, of indexes that were asked for together.
#[derive(Debug)]
pub(crate) struct BuildHandle {
    pub(super) ids: Vec<u32>,
    /// The result, once the build has ended.
    pub(super) result: watch::Sender<Option<Result<(), StoreError>>>,
}
