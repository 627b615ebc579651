//! The queue of a collection and the committer that empties it.

use super::group::Group;
use super::request::Request;
use super::{CommitOptions, Outcome, WriteOp};
use crate::{COMMIT_ATTEMPTS_MAX, Collection, Durability, GROUP_BYTES_MAX, GROUP_OPERATIONS_MAX, StoreError};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::oneshot;

/// The requests that wait.
#[derive(Default)]
pub(crate) struct Queue {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    waiting: VecDeque<Request>,
    /// Whether a committer is at work.
    running: bool,
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Queue")
            .field("waiting", &self.inner.lock().waiting.len())
            .finish()
    }
}

impl Queue {
    /// Adds a request; true where the caller has to start a committer.
    fn push(&self, request: Request) -> bool {
        let mut inner = self.inner.lock();
        inner.waiting.push_back(request);
        !std::mem::replace(&mut inner.running, true)
    }

    /// Takes what fits into one group, at least one request. None ends the committer.
    fn take(&self) -> Option<Vec<Request>> {
        let mut inner = self.inner.lock();
        let (mut operations, mut bytes, mut count) = (0, 0, 0);
        for request in &inner.waiting {
            operations += request.operations.len();
            bytes += request.size_bytes;
            if count > 0 && (operations > GROUP_OPERATIONS_MAX || bytes > GROUP_BYTES_MAX) {
                break;
            }
            count += 1;
        }
        if count == 0 {
            inner.running = false;
            return None;
        }
        Some(inner.waiting.drain(..count).collect())
    }
}

/// Ends a committer that panics: without it the queue would wait for ever.
struct Running<'a>(&'a Queue);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let mut inner = self.0.inner.lock();
            inner.running = false;
            // Dropping the requests drops their replies, which tells those who wait.
            inner.waiting.clear();
        }
    }
}

/// Queues operations and waits for their outcomes.
pub(crate) async fn submit(
    collection: &Arc<Collection>,
    operations: Vec<WriteOp>,
    options: CommitOptions,
) -> Result<Vec<Outcome>, StoreError> {
    collection.check_writable()?;
    let (reply, answer) = oneshot::channel();
    let request = Request::new(operations, options, &collection.index_set(), reply);
    if collection.queue.push(request) {
        // A task of its own, so that a caller who goes away does not take the others with it.
        tokio::spawn(run(collection.clone()));
    }
    answer.await.unwrap_or(Err(StoreError::Interrupted))
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
