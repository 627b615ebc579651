//! Open cursors: kept between a first batch and the last `getMore`.
//!
//! Between batches a cursor holds a position, not a snapshot, so an idle one costs little and holds up nothing.

use super::display::{date_of, put_user};
use super::sessions::SessionId;
use crate::context::{Context, Origin, StableApi};
use crate::error::{Error, Result};
use crate::limits::{CURSOR_BYTES, CURSOR_IDLE_MS_MAX, CURSORS_OF_CLIENT_MAX, OPEN_CURSORS_MAX};
use code::Code;
use memory::{Budget, Holder, Share};
use parking_lot::Mutex;
use query::execute::DocumentStream;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::Namespace;
use value::{Document, DocumentBuf, Value, doc};

/// The part of the memory of all idle cursors that those of one client may hold, in sixteenths.
const CLIENT_SIXTEENTHS: usize = 14;

/// As many cursors of the longest commands may be idle at least.
const LONG_COMMANDS_MIN: usize = 4;

/// The number that a client knows a cursor by; never 0, which means "none".
pub type CursorId = i64;

/// A batch of documents and the cursor that has more.
#[derive(Clone, Debug)]
pub struct CursorReply {
    /// 0 if nothing is left.
    pub id: CursorId,
    /// The collection that the cursor reads.
    pub namespace: Namespace,
    /// The documents of this batch.
    pub batch: Vec<DocumentBuf>,
    /// The comment of the command that opened the cursor.
    pub comment: Option<Arc<Value>>,
    /// The memory of the documents, if they are long; to be kept until the answer that is made of them is counted.
    pub held: Option<Arc<Share>>,
}

impl CursorReply {
    /// No documents, and no more to come.
    pub(crate) fn empty(namespace: &Namespace) -> CursorReply {
        CursorReply {
            id: 0,
            namespace: namespace.clone(),
            batch: Vec::new(),
            comment: None,
            held: None,
        }
    }
}

/// An open cursor.
pub(crate) struct Cursor {
    pub(crate) namespace: Namespace,
    pub(crate) stream: Box<dyn DocumentStream>,
    pub(crate) user: Option<Arc<str>>,
    pub(crate) session: Option<SessionId>,
    /// The client that opened it.
    pub(crate) origin: Option<Origin>,
    /// The stable API's parameters of the command that opened it.
    pub(crate) api: StableApi,
    pub(crate) tailing: Tailing,
    pub(crate) never_idle: bool,
    pub(crate) collection: Option<Arc<store::Collection>>,
    pub(crate) usage: Usage,
    /// The comment of the command that opened it.
    pub(crate) comment: Option<Arc<Value>>,
    /// What is left of the time limit of the command that opened it.
    pub(crate) time_left: Option<Duration>,
    /// The memory of that command's filter or pipeline.
    pub(crate) command_bytes: usize,
    /// What it keeps while it is idle; `None` before it was.
    pub(crate) share: Option<Share>,
}

impl Cursor {
    /// A cursor of the context's user and session, which closes at the end.
    pub(crate) fn new(context: &Context, namespace: &Namespace, stream: Box<dyn DocumentStream>) -> Cursor {
        Cursor {
            namespace: namespace.clone(),
            stream,
            user: context.user.clone(),
            session: context.session,
            origin: context.origin,
            api: context.api,
            tailing: Tailing::No,
            never_idle: false,
            collection: None,
            usage: Usage::none(),
            comment: context.comment.clone(),
            time_left: None,
            command_bytes: context.command_bytes,
            share: None,
        }
    }

    /// To be called before it waits for its next batch to be requested: what it keeps is counted, or moves into files.
    pub(crate) fn rest(&mut self, memory: &Budget) -> Result<()> {
        let share = self.share.get_or_insert_with(|| memory.share(Holder::Cursors));
        share.charge(0);
        // Where there is little memory, a long command has its cursor all the same, but few of them are open at a time.
        let command_bytes = self.command_bytes.min(share.limit() / LONG_COMMANDS_MIN);
        share.set(CURSOR_BYTES.max(command_bytes))?;
        Ok(self.stream.rest(share)?)
    }
}

/// What a cursor does at the end of a capped collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tailing {
    /// It closes.
    #[default]
    No,
    /// It stays open.
    Tailing,
    /// It stays open, and waits a while for documents before it returns an empty batch.
    Awaiting,
}

/// The batches and documents that a cursor has returned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    opened: Instant,
    batches: u64,
    documents: u64,
}

impl Usage {
    /// The usage of a cursor that is opened now.
    fn none() -> Usage {
        Usage {
            opened: Instant::now(),
            batches: 0,
            documents: 0,
        }
    }

    /// Counts one more batch of this many documents.
    pub(crate) fn add_batch(&mut self, documents: usize) {
        self.batches += 1;
        self.documents += documents as u64;
    }
}

/// A cursor between its batches, or while a `getMore` has taken it out. What is asked of the cursor meanwhile, by listings and by
/// those who close cursors, is kept beside it.
struct Parked {
    /// `None` while a `getMore` runs on it, and once its collection is gone.
    cursor: Option<Cursor>,
    /// The error that the next `getMore` returns, if the collection is gone.
    lost: Option<Error>,
    last_use: Instant,
    never_idle: bool,
    namespace: Namespace,
    session: Option<SessionId>,
    user: Option<Arc<str>>,
    origin: Option<Origin>,
    tailing: Tailing,
    usage: Usage,
    running: Option<Context>,
}

/// All open cursors.
#[derive(Default)]
pub(crate) struct Cursors {
    parked: Mutex<HashMap<CursorId, Parked>>,
    /// Connections that may have cursors without a session.
    connections: Mutex<HashSet<i32>>,
}

impl std::fmt::Debug for Cursors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cursors").field("open", &self.count()).finish()
    }
}

impl Cursors {
    /// Keeps a cursor for later batches.
    pub(crate) fn park(&self, cursor: Cursor) -> Result<CursorId> {
        let mut parked = self.parked.lock();
        if parked.len() >= OPEN_CURSORS_MAX {
            let message = format!("too many open cursors: at most {OPEN_CURSORS_MAX}; close or exhaust some");
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        check_client(&parked, &cursor)?;
        let id = loop {
            let random = uuid::Uuid::new_v4().as_u64_pair().0;
            let id = (random & i64::MAX as u64) as i64;
            if id != 0 && !parked.contains_key(&id) {
                break id;
            }
        };
        if let (Some(origin), None) = (cursor.origin, cursor.session) {
            self.connections.lock().insert(origin.connection);
        }
        parked.insert(id, Parked::of(cursor));
        Ok(id)
    }

    /// Takes a cursor out to run on it. Its entry stays, so that a second `getMore` is refused and [`Cursors::kill`]
    /// finds the operation that runs on it.
    pub(crate) fn take(&self, id: CursorId, namespace: &Namespace, context: &Context) -> Result<Cursor> {
        let mut parked = self.parked.lock();
        let entry = parked.get_mut(&id).ok_or_else(|| not_found(id))?;
        if let Some(lost) = entry.lost.clone().filter(|_| entry.running.is_none()) {
            parked.remove(&id);
            return Err(lost);
        }
        if entry.running.is_some() {
            let message = format!("cursor id {id} is already in use");
            return Err(Error::new(Code::CURSOR_IN_USE, message));
        }
        entry.check(id, namespace, context)?;
        let cursor = entry.cursor.take().ok_or_else(|| not_found(id))?;
        entry.running = Some(context.clone());
        Ok(cursor)
    }

    /// Puts a cursor back after a batch. Returns false if it was killed or its collection dropped meanwhile.
    pub(crate) fn put_back(&self, id: CursorId, cursor: Cursor) -> bool {
        let mut parked = self.parked.lock();
        match parked.get_mut(&id) {
            Some(entry) if entry.lost.is_none() => {
                *entry = Parked::of(cursor);
                true
            }
            _ => {
                parked.remove(&id);
                false
            }
        }
    }

    pub(crate) fn remove(&self, id: CursorId) {
        self.parked.lock().remove(&id);
    }

    pub(crate) fn count(&self) -> usize {
        self.parked.lock().len()
    }

    pub(crate) fn close_all(&self) {
        self.parked.lock().clear();
    }

    pub(crate) fn close_idle(&self) {
        let limit = Duration::from_millis(CURSOR_IDLE_MS_MAX);
        self.parked
            .lock()
            .retain(|_, p| p.never_idle || p.running.is_some() || p.last_use.elapsed() < limit);
    }

    pub(crate) fn close_of_session(&self, session: &SessionId) {
        self.parked
            .lock()
            .retain(|_, parked| parked.session.as_ref() != Some(session));
    }

    /// Closes the cursors of a connection that has ended. Those of a session end with it: the client may go on with them on
    /// another connection.
    pub(crate) fn close_of_connection(&self, connection: i32) {
        if !self.connections.lock().remove(&connection) {
            return;
        }
        self.parked.lock().retain(|_, parked| {
            let is_of_it = parked
                .origin
                .is_some_and(|origin| origin.connection == connection);
            parked.session.is_some() || parked.never_idle || !is_of_it
        });
    }

    /// The cursors of some users that wait for a `getMore`, as `$currentOp` shows them.
    pub(crate) fn idle_documents(&self, is_wanted: impl Fn(&Option<Arc<str>>) -> bool) -> Vec<Document> {
        let parked = self.parked.lock();
        let wanted = parked.iter().filter(|(_, parked)| is_wanted(&parked.user));
        let idle = wanted.filter(|(_, parked)| parked.cursor.is_some());
        idle.map(|(id, parked)| parked.to_document(*id)).collect()
    }

    /// A cursor on which a `getMore` runs, as `$currentOp` shows it.
    pub(crate) fn running_document(&self, id: CursorId) -> Option<Document> {
        let parked = self.parked.lock();
        let running = parked.get(&id).filter(|parked| parked.running.is_some())?;
        Some(running.cursor_document(id))
    }

    /// Closes cursors of any collection. Returns the ids that were open, then those that were not.
    ///
    /// If one of them belongs to another user and reads a collection whose cursors the caller may not kill, no cursor is closed.
    pub(crate) fn kill(
        &self,
        context: &Context,
        ids: &[CursorId],
        may_kill_on: impl Fn(&Namespace) -> bool,
    ) -> Result<(Vec<CursorId>, Vec<CursorId>)> {
        let mut parked = self.parked.lock();
        let mut meant = ids.iter().filter_map(|id| parked.get(id));
        if let Some(refused) = meant.find(|p| p.user != context.user && !may_kill_on(&p.namespace)) {
            let message = format!("not authorized to kill cursor on {}", refused.namespace);
            return Err(Error::new(Code::UNAUTHORIZED, message));
        }
        Ok(ids.iter().copied().partition(|id| {
            let killed = parked.remove(id);
            if let Some(running) = killed.as_ref().and_then(|killed| killed.running.as_ref()) {
                running.kill(Code::CURSOR_KILLED);
            }
            killed.is_some()
        }))
    }

    /// Closes the cursors of collections that are gone. Their entries stay until the next `getMore`, which returns
    /// the reason.
    pub(crate) fn close_of(&self, dropped: impl Fn(&Namespace) -> bool) {
        let mut parked = self.parked.lock();
        for entry in parked.values_mut().filter(|entry| dropped(&entry.namespace)) {
            let message = format!("collection dropped or renamed: {}", entry.namespace);
            entry.lost = Some(Error::new(Code::QUERY_PLAN_KILLED, message));
            entry.cursor = None;
            entry.never_idle = false;
        }
    }
}

impl Parked {
    /// Refuses a `getMore` that is not of the session, the user and the collection of the cursor.
    fn check(&self, id: CursorId, namespace: &Namespace, context: &Context) -> Result<()> {
        check_session(id, self.session.as_ref(), context.session.as_ref())?;
        if self.user != context.user {
            let message = format!("cursor id {id} was not created by the authenticated user");
            return Err(Error::new(Code::UNAUTHORIZED, message));
        }
        if self.namespace != *namespace {
            let message = format!(
                "Requested getMore on namespace '{namespace}', but cursor belongs to a different namespace {}",
                self.namespace
            );
            return Err(Error::new(Code::UNAUTHORIZED, message));
        }
        Ok(())
    }

    /// The memory that it holds while it is idle.
    fn bytes(&self) -> usize {
        let share = self.cursor.as_ref().and_then(|cursor| cursor.share.as_ref());
        share.map_or(0, Share::bytes)
    }

    fn of(cursor: Cursor) -> Parked {
        Parked {
            last_use: Instant::now(),
            never_idle: cursor.never_idle,
            namespace: cursor.namespace.clone(),
            session: cursor.session,
            user: cursor.user.clone(),
            origin: cursor.origin,
            tailing: cursor.tailing,
            usage: cursor.usage,
            running: None,
            cursor: Some(cursor),
            lost: None,
        }
    }

    fn to_document(&self, id: CursorId) -> Document {
        let mut described = doc! {"type": "idleCursor", "ns": self.namespace.to_string()};
        if let Some(session) = &self.session {
            described.push("lsid", session.to_document());
        }
        put_user(&mut described, self.user.as_deref());
        described.push("cursor", self.cursor_document(id));
        described
    }

    fn cursor_document(&self, id: CursorId) -> Document {
        doc! {
            "cursorId": id,
            "createdDate": date_of(self.usage.opened),
            "lastAccessDate": date_of(self.last_use),
            "nDocsReturned": self.usage.documents as i64,
            "nBatchesReturned": self.usage.batches as i64,
            "noCursorTimeout": self.never_idle,
            "tailable": self.tailing != Tailing::No,
            "awaitData": self.tailing == Tailing::Awaiting,
        }
    }
}

/// Refuses a cursor of a client who has too many, or to whose idle ones nearly all of the memory belongs that all have together.
fn check_client(parked: &HashMap<CursorId, Parked>, cursor: &Cursor) -> Result<()> {
    let Some(origin) = cursor.origin else {
        return Ok(());
    };
    let share = cursor.share.as_ref().filter(|share| share.is_scarce());
    if share.is_none() && parked.len() < CURSORS_OF_CLIENT_MAX {
        return Ok(());
    }
    let is_of_client = |parked: &&Parked| parked.origin.is_some_and(|other| other.address == origin.address);
    let (mut count, mut bytes) = (0, 0);
    for other in parked.values().filter(is_of_client) {
        count += 1;
        bytes += other.bytes();
    }
    if count >= CURSORS_OF_CLIENT_MAX {
        let message = format!(
            "too many open cursors of {}: at most {CURSORS_OF_CLIENT_MAX}; close or exhaust some",
            origin.address
        );
        return Err(Error::new(Code::BAD_VALUE, message));
    }
    let Some(share) = share else {
        return Ok(());
    };
    let bytes_max = share.limit() / 16 * CLIENT_SIXTEENTHS;
    match bytes + share.bytes() > bytes_max {
        true => Err(Error::new(
            Code::EXCEEDED_MEMORY_LIMIT,
            format!(
                "the open cursors of {} hold {bytes} bytes, and one client's may hold {bytes_max}; close or exhaust some, or give a \
                 larger --memory",
                origin.address
            ),
        )),
        false => Ok(()),
    }
}

fn not_found(id: CursorId) -> Error {
    Error::new(Code::CURSOR_NOT_FOUND, format!("cursor id {id} not found"))
}

/// Refuses to go on with a cursor in another session than that in which it was opened.
fn check_session(id: CursorId, of: Option<&SessionId>, by: Option<&SessionId>) -> Result<()> {
    let name = |session: &SessionId| uuid::Uuid::from_bytes(session.id);
    let (code, reason) = match (of, by) {
        (None, Some(by)) => (
            50_736,
            format!("which was not created in a session, in session {}", name(by)),
        ),
        (Some(of), None) => (
            50_737,
            format!("which was created in session {}, without an lsid", name(of)),
        ),
        (Some(of), Some(by)) if of != by => (
            50_738,
            format!(
                "which was created in session {}, in session {}",
                name(of),
                name(by)
            ),
        ),
        _ => return Ok(()),
    };
    let message = format!("Cannot run getMore on cursor {id}, {reason}");
    Err(Error::new(Code::location(code), message))
}
