//! Batches of cursors: the first, those of `getMore`, and waiting for new documents.

use crate::context::Context;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::limits::{AWAIT_DATA_MS_DEFAULT, BATCH_BYTES_MAX, PATIENCE_MS_MAX};
use crate::tables::cursors::{Cursor, CursorId, CursorReply, Tailing};
use code::Code;
use memory::{Holder, Share, Turn, WAIT_MAX};
use query::execute::StreamState;
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::{Collection, Namespace};
use value::DocumentBuf;

/// How often an operation that waits for new documents checks whether its client is still there.
const AWAIT_LOOK_INTERVAL: Duration = Duration::from_secs(1);

/// Batches of no more are not counted before the answers that are made of them.
const UNCOUNTED_BYTES: usize = 1 << 20;

impl Engine {
    /// Fills a first batch and keeps the cursor if there is more. `batch_size` 0 opens a cursor without reading.
    pub(crate) async fn open_cursor(
        &self,
        context: &Context,
        mut cursor: Cursor,
        batch_size: u64,
        single_batch: bool,
    ) -> Result<CursorReply> {
        let namespace = cursor.namespace.clone();
        let mut batch = Vec::new();
        let state = fill(&mut cursor, batch_size, &mut batch).await?;
        let held = self.held(&batch);
        let stays = !single_batch && (state == StreamState::More || cursor.tailing != Tailing::No);
        cursor.time_left = context.time_left();
        let id = match stays {
            true => {
                cursor.rest(self.memory())?;
                self.cursors().park(cursor)?
            }
            false => 0,
        };
        Ok(CursorReply {
            id,
            namespace,
            batch,
            comment: context.comment.clone(),
            held,
        })
    }

    /// The memory of a batch, if that is much. To be taken as soon as the batch is read: those who read after it wait for that.
    fn held(&self, batch: &[DocumentBuf]) -> Option<Arc<Share>> {
        let bytes = batch.iter().map(|document| document.bytes().len()).sum();
        (bytes > UNCOUNTED_BYTES).then(|| Arc::new(self.memory().charged(Holder::Answers, bytes)))
    }

    /// Waits until there is memory for one more answer.
    pub(crate) async fn room_for_answer(&self, context: &Context) -> Result<()> {
        let limit = context.time_left().map_or(WAIT_MAX, |left| left.min(WAIT_MAX));
        Ok(context.memory.room(Holder::Answers, limit).await?)
    }

    /// Waits until there is memory for one more answer, of a document that is changed. It is counted only when it is there, so few
    /// at a time do that in a collection whose documents may be long.
    pub(crate) async fn turn_to_answer(&self, context: &Context, collection: &Collection) -> Result<Turn> {
        let limit = context.time_left().map_or(WAIT_MAX, |left| left.min(WAIT_MAX));
        let turn = context.memory.turn_to_answer(collection.may_be_long(), limit);
        Ok(turn.await?)
    }

    /// Waits, but not for ever, until answers in memory have gone to their clients or to the disk and leave room for another. Never
    /// fails. To be called before a document is read that may be long.
    pub async fn let_answers_go(&self) {
        let limit = Duration::from_millis(PATIENCE_MS_MAX);
        // Late is better than not at all.
        let _ = self.memory().room(Holder::Answers, limit).await;
    }

    /// The next batch of a cursor, as many documents as fit if `batch_size` is `None`. All batches share the time
    /// limit of the command that opened the cursor: this one has what is left of it, whatever the context says.
    pub async fn get_more(
        &self,
        context: &Context,
        id: CursorId,
        namespace: &Namespace,
        batch_size: Option<u64>,
        await_for: Option<Duration>,
    ) -> Result<CursorReply> {
        let mut cursor = self.take_for_more(context, id, namespace, await_for)?;
        let comment = cursor.comment.clone();
        // A tailable cursor may wait for ever.
        let limit = cursor.time_left.filter(|_| cursor.tailing == Tailing::No);
        let context = &context.clone().within(limit);
        cursor.stream.attach(&context.interruption());
        let batch_size = batch_size.unwrap_or(u64::MAX);
        let mut batch = Vec::new();
        let filled = async {
            context.interruption().check()?;
            self.room_for_answer(context).await?;
            let state = self
                .fill_awaiting(context, &mut cursor, batch_size, await_for, &mut batch)
                .await?;
            if state == StreamState::More || cursor.tailing != Tailing::No {
                cursor.rest(self.memory())?;
            }
            Ok(state)
        };
        let outcome = context.interruption().run(filled).await;
        let held = self.held(&batch);
        let state = match outcome {
            Ok(state) => state,
            Err(error) => {
                // What the stream has read is lost with the error: another batch would silently lack it.
                self.cursors().remove(id);
                return Err(error);
            }
        };
        if state == StreamState::Exhausted && cursor.tailing == Tailing::No {
            self.cursors().remove(id);
            return Ok(CursorReply {
                id: 0,
                namespace: namespace.clone(),
                batch,
                comment,
                held,
            });
        }
        cursor.time_left = context.time_left();
        if !self.cursors().put_back(id, cursor) {
            return Err(Error::new(
                Code::CURSOR_KILLED,
                format!("cursor id {id} was killed while it was read"),
            ));
        }
        Ok(CursorReply {
            id,
            namespace: namespace.clone(),
            batch,
            comment,
            held,
        })
    }

    /// Takes out the cursor of a `getMore`, whose options must fit it.
    fn take_for_more(
        &self,
        context: &Context,
        id: CursorId,
        namespace: &Namespace,
        await_for: Option<Duration>,
    ) -> Result<Cursor> {
        let cursor = self.cursors().take(id, namespace, context)?;
        if await_for.is_some() && cursor.tailing != Tailing::Awaiting {
            self.cursors().put_back(id, cursor);
            let message = "cannot set maxTimeMS on getMore command for a non-awaitData cursor";
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        if cursor.api != context.api {
            self.cursors().remove(id);
            let message =
                "API parameter mismatch: a getMore needs those of the command that opened its cursor";
            return Err(Error::new(Code::API_MISMATCH_ERROR, message));
        }
        Ok(cursor)
    }

    /// Fills a batch. An awaiting cursor that has nothing waits for the collection to change, and returns an empty
    /// batch if it does not within `await_for`.
    async fn fill_awaiting(
        &self,
        context: &Context,
        cursor: &mut Cursor,
        batch_size: u64,
        await_for: Option<Duration>,
        batch: &mut Vec<DocumentBuf>,
    ) -> Result<StreamState> {
        let state = fill(cursor, batch_size, batch).await?;
        let awaits = cursor.tailing == Tailing::Awaiting;
        let Some(collection) = cursor.collection.clone().filter(|_| awaits && batch.is_empty()) else {
            return Ok(state);
        };
        let until = Instant::now() + await_for.unwrap_or(Duration::from_millis(AWAIT_DATA_MS_DEFAULT));
        let mut head = collection.head_watch();
        loop {
            // Marked as seen before reading, so that a change between the read and the wait ends the wait.
            head.borrow_and_update();
            let state = fill(cursor, batch_size, batch).await?;
            if !batch.is_empty() || context.is_killed() {
                return Ok(state);
            }
            let look = (Instant::now() + AWAIT_LOOK_INTERVAL).min(until);
            let waiting = Instant::now();
            let waited = tokio::time::timeout_at(look.into(), head.changed()).await;
            context.metrics.waited(waiting.elapsed());
            match waited {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return Ok(state),
                Err(_) if look >= until || context.is_abandoned() => return Ok(state),
                Err(_) => {}
            }
        }
    }

    /// To be called when a client's connection has ended: closes the cursors that nobody can use any more.
    pub fn end_connection(&self, connection: i32) {
        self.cursors().close_of_connection(connection);
    }

    /// Closes a cursor whose id no client has got.
    pub fn close_cursor(&self, id: CursorId) {
        self.cursors().remove(id);
    }

    /// Closes cursors on any collections. Returns the ids that were open, then those that were not. Fails if one belongs to
    /// another user, unless it is on a collection whose cursors may be killed.
    pub fn kill_cursors(
        &self,
        context: &Context,
        ids: &[CursorId],
        may_kill_on: impl Fn(&Namespace) -> bool,
    ) -> Result<(Vec<CursorId>, Vec<CursorId>)> {
        self.cursors().kill(context, ids, may_kill_on)
    }
}

/// Reads pages into a batch until it is full or the stream has no more for now.
async fn fill(cursor: &mut Cursor, batch_size: u64, batch: &mut Vec<DocumentBuf>) -> Result<StreamState> {
    let documents_max = usize::try_from(batch_size).unwrap_or(usize::MAX);
    if documents_max == 0 {
        return Ok(StreamState::More);
    }
    let before = batch.len();
    let state = cursor.stream.fill(batch, documents_max, BATCH_BYTES_MAX).await?;
    cursor.usage.add_batch(batch.len() - before);
    Ok(state)
}
