//! The committer, which takes what waits in a collection's queue and commits it.

use super::group::Group;
use super::queue::Queue;
use super::request::Request;
use super::{CommitOptions, Outcome, WriteOp};
use crate::{COMMIT_ATTEMPTS_MAX, Collection, Durability, StoreError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Waker};
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
    /// Makes changes and returns one outcome for each operation. After an error, it is not known whether any was made.
    pub async fn commit(
        self: &Arc<Self>,
        operations: Vec<WriteOp>,
        options: CommitOptions,
    ) -> Result<Vec<Outcome>, StoreError> {
        self.check_usable()?;
        let (reply, answer) = oneshot::channel();
        let request = Request::new(operations, options, &self.index_set(), reply);
        if self.queue.push(request) {
            start(self);
        }
        answer.await.unwrap_or(Err(StoreError::Interrupted))
    }
}

/// Begins to commit what waits. A single writer commits here, and has its answer without another task and the thread that this would
/// wake. What is not ready at once goes on in its own task, since a caller that is cancelled must not cancel the requests of
/// others.
fn start(collection: &Arc<Collection>) {
    let is_alone = !collection.queue.is_shared();
    let mut committing = Box::pin(run(collection.clone(), is_alone));
    let mut is_done = false;
    if is_alone {
        // The task below polls it again in any case, so no waker is needed.
        let mut nobody = Context::from_waker(Waker::noop());
        let mut poll = || is_done = committing.as_mut().poll(&mut nobody).is_ready();
        // As in a task, a panic ends the commit and not the caller, who gets an error because the reply channel is dropped.
        let outcome = catch_unwind(AssertUnwindSafe(|| (collection.run_apart)(&mut poll)));
        is_done |= outcome.is_err();
    }
    if !is_done {
        tokio::spawn(committing);
    }
}

/// Commits until nothing waits. `pauses` yields after the first group, so that the caller that began it gets its answer.
async fn run(collection: Arc<Collection>, mut pauses: bool) {
    let _running = Running(&collection.queue);
    while let Some(mut requests) = collection.queue.take() {
        match commit(&collection, &mut requests).await {
            Ok(outcomes) => {
                for (request, outcomes) in requests.into_iter().zip(outcomes) {
                    // A caller who has gone away needs no answer.
                    let _ = request.reply.send(Ok(outcomes));
                }
            }
            Err(error) => requests.into_iter().for_each(|request| {
                let _ = request.reply.send(Err(error.clone()));
            }),
        }
        // Otherwise the next group is taken at once: callers that were answered send their next requests while it is flushed. A pause
        // after each group would make groups larger and fewer, but the disk would be idle while all are answered.
        if std::mem::take(&mut pauses) && collection.queue.is_waiting() {
            tokio::task::yield_now().await;
        }
    }
}

/// Commits the first requests, as many as make one batch, and returns their outcomes in order. If one of them asks for a flush,
/// all wait for it, since they share one commit.
async fn commit(
    collection: &Collection,
    requests: &mut Vec<Request>,
) -> Result<Vec<Vec<Outcome>>, StoreError> {
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
        // Requests that did not fit begin the next group. Their callers do not learn the outcome of this one, which may be written even
        // if it could not be flushed.
        let rest = requests.split_off(outcomes.len());
        if !rest.is_empty() {
            collection.queue.put_back(rest);
        }
        if group.commit(durability).await? {
            return Ok(outcomes);
        }
    }
    Err(StoreError::Contention)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;
    use crate::{Namespace, Present, Store, StoreOptions, Target, Transformed};
    use kv::{Kv, Simulation};
    use value::{DocumentBuf, Value, doc};

    #[tokio::test]
    async fn those_of_the_next_group_are_not_told_what_became_of_one_that_could_not_be_flushed() {
        let simulation = Simulation::new(1);
        let kv = Kv::simulated(&simulation);
        let store = Store::open(kv, StoreOptions::default()).await.unwrap();
        let namespace = Namespace::new("db", "coll");
        let collection = store.create_if_missing(&namespace).await.unwrap();
        // The first is a group by itself, which waits for the writer; the others are too large to be one group together.
        let held = collection.writer.lock().await;
        let text = "x".repeat(5 << 20);
        let puts = (0..9).map(|id: i32| {
            let document = DocumentBuf::from(&doc! {"_id": id, "text": text.as_str()});
            let put = move |_: Option<Present<'_>>| Ok(Transformed::Put(document.clone()));
            let operations = vec![WriteOp::modify(Target::Id(Value::from(id)), put)];
            let collection = collection.clone();
            tokio::spawn(async move { collection.commit(operations, CommitOptions::default()).await })
        });
        let puts: Vec<_> = puts.collect();
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        simulation.fill_at_flush_after(1);
        drop(held);
        let mut told = Vec::new();
        for put in puts {
            told.push(put.await.unwrap().is_ok());
        }
        assert!(told.contains(&false) && told.ends_with(&[true]), "{told:?}");
        assert_eq!(collection.stats().count, 9);
    }
}
