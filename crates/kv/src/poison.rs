//! The mark that a write or flush has failed.

use crate::Error;
use std::sync::{Arc, OnceLock};

/// Set by the first failure, and never cleared: after a failed flush nobody knows what is on the disk, and
/// a second flush that succeeds would prove nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Poison {
    cause: Arc<OnceLock<String>>,
}

impl Poison {
    /// Fails if something failed before.
    pub(crate) fn check(&self) -> Result<(), Error> {
        match self.cause.get() {
            Some(cause) => Err(Error::Poisoned { cause: cause.clone() }),
            None => Ok(()),
        }
    }

    /// Whether something failed.
    pub(crate) fn is_set(&self) -> bool {
        self.cause.get().is_some()
    }

    /// Stops all further writes, and returns the error to answer with. The first cause is kept, since later failures
    /// follow from it.
    pub(crate) fn set(&self, cause: impl Into<String>) -> Error {
        let cause = self.cause.get_or_init(|| cause.into());
        Error::Poisoned { cause: cause.clone() }
    }
}
