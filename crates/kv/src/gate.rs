//! Where writes wait while the files of the folder are to stay as they are, for a copy of them.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, RwLockReadGuard};

/// Everything that changes files passes through. While the gate is held shut, nothing does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    passing: Arc<RwLock<()>>,
    shut: Arc<Mutex<Option<OwnedRwLockWriteGuard<()>>>>,
}

/// A change under way.
pub(crate) type Pass<'g> = RwLockReadGuard<'g, ()>;

/// See [`Gate::opener`].
pub(crate) struct Opener<'g>(&'g Gate);

impl Drop for Opener<'_> {
    fn drop(&mut self) {
        self.0.open();
    }
}

impl Gate {
    /// Waits until the gate is open; it stays so as long as the pass is kept.
    pub(crate) async fn pass(&self) -> Pass<'_> {
        self.passing.read().await
    }

    /// As [`Gate::pass`], but blocks the thread.
    pub(crate) fn pass_blocking(&self) -> Pass<'_> {
        self.passing.blocking_read()
    }

    /// Shuts the gate once all changes under way are made; false where they take longer than that.
    pub(crate) async fn shut(&self, limit: Duration) -> bool {
        let shut = tokio::time::timeout(limit, self.passing.clone().write_owned()).await;
        let is_shut = shut.is_ok();
        if let Ok(guard) = shut {
            *self.shut.lock() = Some(guard);
        }
        is_shut
    }

    /// Opens the gate when it is dropped, for work that may be given up in between.
    pub(crate) fn opener(&self) -> Opener<'_> {
        Opener(self)
    }

    /// Opens the gate for those who wait.
    pub(crate) fn open(&self) {
        self.shut.lock().take();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_passes_holds_it_open_and_what_comes_waits() {
        let gate = Gate::default();
        let pass = gate.pass().await;
        assert!(!gate.shut(Duration::ZERO).await);
        drop(pass);
        assert!(gate.shut(Duration::ZERO).await);
        let passes_at_once = async || tokio::time::timeout(Duration::ZERO, gate.pass()).await.is_ok();
        assert!(!passes_at_once().await);
        gate.open();
        assert!(passes_at_once().await);
    }
}
