//! The committer, which takes what waits in a collection's queue and commits it.

use super::group::Group;
use super::queue::Queue;
use super::request::Request;
use super::{CommitOptions, Outcome, WriteOp};
use crate::{COMMIT_ATTEMPTS_MAX, Collection, Durability, StoreError};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Empties the queue if the committer panics. Otherwise `running` would stay set, and all later commits would wait
/// forever.
struct Running<'a>(&'a Queue);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

impl Collection {
    /// Makes changes and returns one outcome for each operation. After an error none of them is known to have been
    /// made.
    pub async fn commit(
        self: &Arc<Self>,
        operations: Vec<WriteOp>,
        options: CommitOptions,
    ) -> Result<Vec<Outcome>, StoreError> {
        self.check_writable()?;
        let (reply, answer) = oneshot::channel();
        let request = Request::new(operations, options, &self.index_set(), reply);
        if self.queue.push(request) {
            // A task of its own, since a caller that is cancelled must not cancel the requests of others.
            tokio::spawn(run(self.clone()));
        }
        answer.await.unwrap_or(Err(StoreError::Interrupted))
    }
}

async fn run(collection: Arc<Collection>) {
    let _running = Running(&collection.queue);
    while let Some(mut requests) = collection.queue.take() {
        let are_several = requests.len() > 1;
        match commit(&collection, &mut requests).await {
            Ok(outcomes) => requests
                .into_iter()
                .zip(outcomes)
                .for_each(|(request, outcomes)| {
                    // The send fails only if the caller was cancelled.
                    // A caller who has gone away needs no answer.
                    let _ = request.reply.send(Ok(outcomes));
                }),
            Err(error) => requests.into_iter().for_each(|request| {
                let _ = request.reply.send(Err(error.clone()));
            }),
        }
        if are_several {
            // Whoever is ready to ask for a change may do so first, so that the next commit is shared by more: with few in
            // each, commits cost more than what is in them.
            tokio::task::yield_now().await;
        }
    }
}

/// Commits the requests together and returns their outcomes in order. One request that asks for a flush makes all wait
/// for it, since they share one commit.
async fn commit(collection: &Collection, requests: &mut [Request]) -> Result<Vec<Vec<Outcome>>, StoreError> {
    let strongest = |request: &Request| request.options.durability == Durability::Flushed;
    let durability = if requests.iter().any(strongest) {
        Durability::Flushed
    } else {
        Durability::Soon
    };
    let mut writer = collection.writer.lock().await;
    // Each attempt reads the head and applies all operations again: after another process's commit, checks of
    // uniqueness and results of transformations may differ.
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        let mut group = Group::begin(collection, &mut writer).await?;
        let outcomes = group.apply(requests).await?;
        if group.commit(durability).await? {
            return Ok(outcomes);
        }
    }
    Err(StoreError::Contention)
}
