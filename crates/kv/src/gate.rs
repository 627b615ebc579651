//! Where writes wait while the files of the folder are to stay as they are, for a copy of them.

use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedRwLockWriteGuard, RwLock, RwLockReadGuard};

/// Everything that changes files passes through. While the gate is held shut, nothing does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Gate {
    changes: Bar,
    /// Merges that were asked for. They change nothing that is read and may take minutes, so they hold up only those for whom
    /// no file may change.
    merges: Bar,
}

/// What passes, and the guard of the one who lets nothing pass.
#[derive(Clone, Debug, Default)]
struct Bar {
    passing: Arc<RwLock<()>>,
    shut: Arc<Mutex<Option<OwnedRwLockWriteGuard<()>>>>,
}

/// A change under way.
pub(crate) type Pass<'g> = RwLockReadGuard<'g, ()>;

/// Opens what was shut when it is dropped: the work that it was shut for may be given up in between.
#[derive(Debug)]
pub(crate) struct Opener<'g>(Vec<&'g Bar>);

impl Opener<'_> {
    /// Leaves it shut until [`Gate::open`].
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
    /// Whether it could be shut before the time limit.
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
    /// Waits until the gate is open; it stays so as long as the pass is kept.
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

    /// Shuts the gate to all but merges once the changes under way are made; `None` where they take longer than that.
    pub(crate) async fn shut(&self, limit: Duration) -> Option<Opener<'_>> {
        self.changes
            .shut(limit)
            .await
            .then(|| Opener(vec![&self.changes]))
    }

    /// As [`Gate::shut`], to merges too. Changes wait only once no merge is under way.
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

    /// Opens the gate for those who wait.
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
    async fn what_passes_holds_it_open_and_what_comes_waits() {
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
    async fn who_cannot_shut_it_leaves_it_open_to_merges() {
        let gate = Gate::default();
        let pass = gate.pass().await;
        assert!(gate.shut_to_all(Duration::ZERO).await.is_none());
        drop(gate.pass_to_merge().await);
        drop(pass);
    }
}
