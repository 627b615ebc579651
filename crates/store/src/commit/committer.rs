//! The committer, which takes what waits in a collection's queue and commits it.

use super::group::Group;
use super::queue::Queue;
use super::request::Request;
use super::{CommitOptions, Outcome, WriteOp};
use crate::{COMMIT_ATTEMPTS_MAX, Collection, Durability, StoreError};
use std::sync::Arc;
use tokio::sync::oneshot;

/// Ends a committer that panics: without it the queue would wait for ever.
struct Running<'a>(&'a Queue);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

impl Collection {
    /// Makes changes; one outcome for each operation. An error means that none is known to be made.
    pub async fn commit(
        self: &Arc<Self>,
        operations: Vec<WriteOp>,
        options: CommitOptions,
    ) -> Result<Vec<Outcome>, StoreError> {
        self.check_writable()?;
        let (reply, answer) = oneshot::channel();
        let request = Request::new(operations, options, &self.index_set(), reply);
        if self.queue.push(request) {
            // A task of its own, so that a caller who goes away does not take the others with it.
            tokio::spawn(run(self.clone()));
        }
        answer.await.unwrap_or(Err(StoreError::Interrupted))
    }
}

async fn run(collection: Arc<Collection>) {
    let _running = Running(&collection.queue);
    while let Some(mut requests) = collection.queue.take() {
        match commit(&collection, &mut requests).await {
            Ok(outcomes) => requests
                .into_iter()
                .zip(outcomes)
                .for_each(|(request, outcomes)| {
                    // A caller who has gone away needs no answer.
                    let _ = request.reply.send(Ok(outcomes));
                }),
            Err(error) => requests.into_iter().for_each(|request| {
                let _ = request.reply.send(Err(error.clone()));
            }),
        }
    }
}

/// Commits the requests together; their outcomes in order.
async fn commit(collection: &Collection, requests: &mut [Request]) -> Result<Vec<Vec<Outcome>>, StoreError> {
    let strongest = |request: &Request| request.options.durability == Durability::Flushed;
    let durability = if requests.iter().any(strongest) {
        Durability::Flushed
    } else {
        Durability::Soon
    };
    let mut writer = collection.writer.lock().await;
    for _ in 0..COMMIT_ATTEMPTS_MAX {
        let mut group = Group::begin(collection, &mut writer).await?;
        let outcomes = group.apply(requests).await?;
        if group.commit(durability).await? {
            return Ok(outcomes);
        }
    }
    Err(StoreError::Contention)
}
