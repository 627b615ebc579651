//! Applying the operations of requests to a batch, one after the other.

use super::group::Group;
use super::prefetch::WantedReads;
use super::request::{Operation, Request};
use super::{CommitOptions, Edit, EditOrigin, Outcome};
use crate::index::EntrySet;
use crate::keys::{id_key, id_of};
use crate::{GROUP_BYTES_MAX, RevisionPath, StoreError};
use std::time::{Duration, Instant};

/// How long the operations of a group hold the committer's thread before it makes room for other tasks. Not sooner, because
/// making room pauses the thread.
const HOLDS_THREAD_MAX: Duration = Duration::from_millis(20);

/// The number of inserts between two looks at the clock. An insert takes a microsecond or two, a look about a fiftieth of that.
const INSERTS_BETWEEN_LOOKS: u32 = 32;

/// How long the operations of a group have held the thread.
struct Held {
    since: Instant,
    room_after: Duration,
    inserts: u32,
}

impl Held {
    fn begin() -> Held {
        Held {
            since: Instant::now(),
            room_after: HOLDS_THREAD_MAX,
            inserts: 0,
        }
    }

    /// Like [`Held::make_room`], after an insert.
    fn make_room_after_insert(&mut self) {
        self.inserts += 1;
        if self.inserts.is_multiple_of(INSERTS_BETWEEN_LOOKS) {
            self.make_room();
        }
    }

    /// Lets other tasks that wait for the thread run, if it was held for long.
    fn make_room(&mut self) {
        if self.since.elapsed() >= self.room_after {
            kv::make_room();
            self.room_after = self.since.elapsed() * 2;
        }
    }
}

impl Group<'_> {
    /// Applies the operations of requests and returns their outcomes in order. An operation sees the changes of all operations before
    /// it, in other requests too. The sizes of the changed documents become known only here: once the batch is large, the remaining
    /// requests get no outcomes, and are left to the next batch.
    pub(crate) async fn apply(&mut self, requests: &mut [Request]) -> Result<Vec<Vec<Outcome>>, StoreError> {
        for request in &mut *requests {
            request.follow_indexes(&self.set);
        }
        // One read for the whole group, so that applying its operations mostly finds what it needs in the overlay.
        let wanted = WantedReads::of(requests, &self.set, |key| self.is_not_stored(key));
        self.prefetch(wanted).await?;
        let mut all = Vec::with_capacity(requests.len());
        let mut held = Held::begin();
        for request in requests {
            if self.batch.size_bytes() > GROUP_BYTES_MAX {
                break;
            }
            all.push(self.apply_request(request, &mut held).await?);
        }
        self.evict().await?;
        self.put_sessions();
        Ok(all)
    }

    async fn apply_request(
        &mut self,
        request: &mut Request,
        held: &mut Held,
    ) -> Result<Vec<Outcome>, StoreError> {
        let Request {
            operations,
            options,
            entries,
            ..
        } = request;
        let mut outcomes = Vec::with_capacity(operations.len());
        let mut stopped = false;
        for at in 0..operations.len() {
            if at < outcomes.len() {
                continue;
            }
            let together = given_together(&operations[at..]);
            if together.len() > 1
                && !stopped
                && let Some(added) = self.add_together(&together).await?
            {
                outcomes.extend(added);
                held.make_room();
                continue;
            }
            let operation = &mut operations[at];
            if stopped {
                outcomes.push(Outcome::Skipped);
                continue;
            }
            let is_insert = matches!(operation, Operation::Insert { .. });
            let outcome = match self.apply_once(at, operation, options, entries).await {
                Ok(outcome) => outcome,
                // A failure of the engine says nothing about this operation, so it fails the whole group.
                Err(error @ StoreError::Kv(_)) => return Err(error),
                Err(error) => Outcome::Failed(error),
            };
            stopped = options.ordered && matches!(outcome, Outcome::Failed(_));
            outcomes.push(outcome);
            if is_insert {
                held.make_room_after_insert();
            } else {
                held.make_room();
            }
        }
        Ok(outcomes)
    }

    /// Adds revisions of one document. `None` if some are refused, so that they have to be added one by one.
    async fn add_together(
        &mut self,
        given: &[(&Edit, &RevisionPath)],
    ) -> Result<Option<Vec<Outcome>>, StoreError> {
        if self.check_room().is_err() {
            return Ok(None);
        }
        match self.add_given(given).await {
            Ok(outcomes) => Ok(Some(outcomes)),
            Err(error @ StoreError::Kv(_)) => Err(error),
            Err(_) => Ok(None),
        }
    }

    /// Applies an operation. If its statement was executed before (a retried write), returns the outcome that was noted then.
    /// An error leaves the batch as it was, so the group can go on with the next operation.
    async fn apply_once(
        &mut self,
        at: usize,
        operation: &mut Operation,
        options: &CommitOptions,
        entries: &EntrySet,
    ) -> Result<Outcome, StoreError> {
        let statement = options.statements.get(at).copied().flatten();
        if let Some(statement) = statement
            && let Some(replayed) = self.replayed(&statement).await?
        {
            return Ok(Outcome::Replayed(replayed));
        }
        let adds = match operation {
            Operation::Insert { .. } | Operation::InsertPlaced(_) => true,
            Operation::Edit { edit, .. } => !edit.deleted,
            Operation::Resolve(resolve) => resolve.document.is_some(),
            // Whether a transformation changes anything is known only after it has run.
            _ => false,
        };
        if adds {
            self.check_room()?;
        }
        let outcome = match operation {
            Operation::Insert {
                document,
                entries: range,
            } => {
                let spans = entries.spans(range.clone()?);
                let record = self.insert(document, entries, spans).await?;
                Outcome::Inserted { record }
            }
            Operation::InsertPlaced(document) => {
                let record = self.insert_placed(document).await?;
                Outcome::Inserted { record }
            }
            Operation::Modify { target, transform } => self.modify(target, transform.as_mut()).await?,
            Operation::Edit {
                edit,
                first,
                entries: range,
            } => {
                let spans = entries.spans(range.clone()?);
                self.edit(edit, first.as_ref(), entries, spans).await?
            }
            Operation::Resolve(resolve) => self.resolve(resolve).await?,
            Operation::Purge { id, revisions } => self.purge(id.as_ref(), revisions).await?,
            Operation::ForgetSuperseded(id) => self.forget_superseded(id.as_ref()).await?,
            Operation::Local { name, document } => self.put_local(name, document.as_ref()),
        };
        if let Some(statement) = statement {
            self.note_executed(&statement, operation, &outcome, options.image);
        }
        Ok(outcome)
    }
}

/// The leading operations that add revisions, made by another store, to one document.
fn given_together(operations: &[Operation]) -> Vec<(&Edit, &RevisionPath)> {
    let given = operations.iter().map_while(|operation| match operation {
        Operation::Edit {
            edit, entries: Ok(_), ..
        } => match &edit.origin {
            EditOrigin::Given(path) => Some((edit, path)),
            EditOrigin::After(_) => None,
        },
        _ => None,
    });
    let mut given = given.peekable();
    let Some((first, _)) = given.peek().copied() else {
        return Vec::new();
    };
    let key = |edit: &Edit| id_key(id_of(edit.document.as_raw()));
    let id = key(first);
    given.take_while(|(edit, _)| key(edit) == id).collect()
}
