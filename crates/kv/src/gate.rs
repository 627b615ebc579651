//! The gate at which writes wait while the folder's files must not change, so that they can be copied.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, RwLockReadGuard};

/// Everything that changes files passes through the gate. While it is shut, no file changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    changes: Bar,
    /// Merges that were requested. They change nothing that is read and may take minutes, so only shutting the gate to all waits for
    /// them.
    merges: Bar,
}

/// The lock that changes hold for reading, and the guard that keeps it shut.
#[derive(Clone, Debug, Default)]
struct Bar {
    passing: Arc<RwLock<()>>,
    shut: Arc<Mutex<Option<OwnedRwLockWriteGuard<()>>>>,
}

/// A change under way.
pub(crate) type Pass<'g> = RwLockReadGuard<'g, ()>;

/// Opens the bars that were shut when it is dropped, in case the work that they were shut for is abandoned.
#[derive(Debug)]
pub(crate) struct Opener<'g>(Vec<&'g Bar>);

impl Opener<'_> {
    /// Leaves the gate shut until [`Gate::open`].
    pub(crate) fn keep_shut(mut self) {
        self.0.clear();
    }
}

impl Drop for Opener<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|bar| bar.open());
    }
}

impl Bar {
    /// Shuts it. Returns whether that succeeded within the time limit.
    async fn shut(&self, limit: Duration) -> bool {
        let shut = tokio::time::timeout(limit, self.passing.clone().write_owned()).await;
        let is_shut = shut.is_ok();
        if let Ok(guard) = shut {
            *self.shut.lock() = Some(guard);
        }
        is_shut
    }

    fn open(&self) {
        self.shut.lock().take();
    }
}

impl Gate {
    /// Waits until the gate is open. It stays open as long as the pass is kept.
    pub(crate) async fn pass(&self) -> Pass<'_> {
        self.changes.passing.read().await
    }

    /// As [`Gate::pass`], but blocks the thread.
    pub(crate) fn pass_blocking(&self) -> Pass<'_> {
        self.changes.passing.blocking_read()
    }

    /// As [`Gate::pass`], for a merge.
    pub(crate) async fn pass_to_merge(&self) -> Pass<'_> {
        self.merges.passing.read().await
    }

    /// As [`Gate::pass_to_merge`], but blocks the thread.
    pub(crate) fn pass_to_merge_blocking(&self) -> Pass<'_> {
        self.merges.passing.blocking_read()
    }

    /// Shuts the gate to everything but merges, after the changes under way; `None` if they take longer than the limit.
    pub(crate) async fn shut(&self, limit: Duration) -> Option<Opener<'_>> {
        self.changes
            .shut(limit)
            .await
            .then(|| Opener(vec![&self.changes]))
    }

    /// As [`Gate::shut`], but also to merges. Changes wait only once no merge is under way.
    pub(crate) async fn shut_to_all(&self, limit: Duration) -> Option<Opener<'_>> {
        let began = Instant::now();
        if !self.merges.shut(limit).await {
            return None;
        }
        let mut opener = Opener(vec![&self.merges]);
        if !self.changes.shut(limit.saturating_sub(began.elapsed())).await {
            return None;
        }
        opener.0.push(&self.changes);
        Some(opener)
    }

    /// Opens the gate.
    pub(crate) fn open(&self) {
        self.changes.open();
        self.merges.open();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn passes_at_once(gate: &Gate) -> bool {
        tokio::time::timeout(Duration::ZERO, gate.pass()).await.is_ok()
    }

    #[tokio::test]
    async fn holders_of_a_pass_keep_the_gate_open_and_newcomers_wait_while_it_is_shut() {
        let gate = Gate::default();
        let pass = gate.pass().await;
        assert!(gate.shut(Duration::ZERO).await.is_none());
        drop(pass);
        let opener = gate.shut(Duration::ZERO).await.unwrap();
        assert!(!passes_at_once(&gate).await);
        drop(opener);
        assert!(passes_at_once(&gate).await);
        gate.shut(Duration::ZERO).await.unwrap().keep_shut();
        assert!(!passes_at_once(&gate).await);
        gate.open();
        assert!(passes_at_once(&gate).await);
    }

    #[tokio::test]
    async fn a_merge_holds_up_only_those_for_whom_no_file_may_change() {
        let gate = Gate::default();
        let merge = gate.pass_to_merge().await;
        assert!(gate.shut(Duration::ZERO).await.is_some());
        assert!(gate.shut_to_all(Duration::ZERO).await.is_none());
        assert!(passes_at_once(&gate).await);
        drop(merge);
        let opener = gate.shut_to_all(Duration::ZERO).await.unwrap();
        assert!(
            tokio::time::timeout(Duration::ZERO, gate.pass_to_merge())
                .await
                .is_err()
        );
        assert!(!passes_at_once(&gate).await);
        drop(opener);
        assert!(passes_at_once(&gate).await);
    }

    #[tokio::test]
    async fn a_failed_attempt_to_shut_the_gate_leaves_it_open_to_merges() {
        let gate = Gate::default();
        let pass = gate.pass().await;
        assert!(gate.shut_to_all(Duration::ZERO).await.is_none());
        drop(gate.pass_to_merge().await);
        drop(pass);
    }
}
