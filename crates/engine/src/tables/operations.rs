//! The running operations, and the idle connections.

use super::cursors::CursorId;
use super::display::put_user;
use super::latencies::Latencies;
use super::sessions::SessionId;
use crate::context::Context;
use parking_lot::Mutex;
use pipeline::WantedOperations;
use query::Code;
use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Instant;
use store::Namespace;
use value::{Document, DocumentBuf, ValueRef, doc, json};

/// Fields of commands that are not shown: documents, statements, and anything that could help to find a password.
const UNTOLD: [&str; 7] = [
    "documents",
    "updates",
    "deletes",
    "ops",
    "pwd",
    "payload",
    "speculativeAuthenticate",
];

/// A command of more bytes is shown as text if `truncateOps` asks for that, and this many characters of it
/// (MongoDB's `curop.cpp`).
const COMMAND_BYTES_MAX: usize = 1000;

/// One running operation, as `currentOp` shows it.
#[derive(Clone, Debug)]
pub struct OperationInfo {
    /// The number that `killOp` takes.
    pub id: i32,
    /// The command's name.
    pub command: String,
    /// The collection it is about, if any.
    pub namespace: Option<Namespace>,
    /// The command as it came.
    pub body: DocumentBuf,
    /// The number of the client's connection.
    pub connection: i32,
    /// The client's address.
    pub client: SocketAddr,
    /// When it began.
    pub started: Instant,
    /// Its context, through which it can be ended.
    pub context: Context,
}

impl OperationInfo {
    fn to_document(&self, is_truncated: bool, cursor_of: impl Fn(CursorId) -> Option<Document>) -> Document {
        let micros = self.started.elapsed().as_micros() as i64;
        let kind = match self.command.as_str() {
            "insert" => "insert",
            "update" => "update",
            "delete" => "remove",
            "find" => "query",
            "getMore" => "getmore",
            _ => "command",
        };
        let namespace = self.namespace.as_ref();
        let mut described = connection_document(self.connection, self.client, true)
            .with("opid", self.id)
            .with("secs_running", micros / 1_000_000)
            .with("microsecs_running", micros)
            .with("op", kind)
            .with("ns", namespace.map_or_else(String::new, ToString::to_string))
            .with("redacted", false)
            .with("command", self.described(is_truncated))
            .with("killPending", self.context.is_killed());
        if let Some(session) = self.context.session {
            described.push("lsid", session.to_document());
        }
        // Nothing waits for locks here, nor gives one up and takes it again.
        for (name, value) in doc! {"numYields": 0, "locks": {}, "waitingForLock": false, "lockStats": {}} {
            described.push(name, value);
        }
        if let Some(mut cursor) = self.cursor().and_then(cursor_of) {
            cursor.push("operationUsingCursorId", self.id);
            described.push("cursor", cursor);
        }
        put_user(&mut described, self.context.user.as_deref());
        described
    }

    /// The cursor of a `getMore`.
    fn cursor(&self) -> Option<CursorId> {
        match self.body.as_raw().get("getMore") {
            Some(ValueRef::Int64(id)) if self.command == "getMore" => Some(id),
            _ => None,
        }
    }

    fn described(&self, is_truncated: bool) -> Document {
        let told = shown_command(&self.body);
        if !is_truncated {
            return told;
        }
        let bytes = DocumentBuf::from(&told);
        if bytes.bytes().len() <= COMMAND_BYTES_MAX {
            return told;
        }
        let text = json::to_string(bytes.as_ref(), json::Mode::Relaxed);
        let text: String = text.chars().take(COMMAND_BYTES_MAX).collect();
        let mut described = doc! {"$truncated": text + "..."};
        if let Some(comment) = told.get("comment") {
            described.push("comment", comment.clone());
        }
        described
    }
}

/// A command without the documents that it writes and without secrets.
pub fn shown_command(body: &DocumentBuf) -> Document {
    let fields = body.as_raw().iter();
    fields
        .filter(|(name, _)| !UNTOLD.contains(name))
        .map(|(name, value)| (name.to_owned(), value.to_value()))
        .collect()
}

/// What is known of each connection.
fn connection_document(id: i32, client: SocketAddr, is_active: bool) -> Document {
    doc! {
        "type": "op",
        "desc": format!("conn{id}"),
        "connectionId": id,
        "client": client.to_string(),
        "threaded": true,
        "active": is_active,
    }
}

/// A client's connection.
#[derive(Debug)]
struct ConnectionInfo {
    client: SocketAddr,
    /// Who ran its last operation.
    user: Option<Arc<str>>,
}

impl ConnectionInfo {
    /// How it is shown while it is idle.
    fn to_document(&self, id: i32) -> Document {
        let mut described = connection_document(id, self.client, false);
        put_user(&mut described, self.user.as_deref());
        described
    }
}

/// What is listed now.
#[derive(Debug, Default)]
struct Listed {
    operations: BTreeMap<i32, OperationInfo>,
    connections: BTreeMap<i32, ConnectionInfo>,
}

/// All running operations.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// The latencies of operations that have ended.
    pub(crate) latencies: Latencies,
    next: AtomicI32,
    listed: Mutex<Listed>,
}

/// A connection is listed while this lives.
#[derive(Debug)]
pub struct ConnectionGuard {
    operations: Arc<Operations>,
    id: i32,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.operations.listed.lock().connections.remove(&self.id);
    }
}

impl Operations {
    /// Lists a connection until the guard is dropped.
    pub(crate) fn list_connection(self: &Arc<Self>, id: i32, client: SocketAddr) -> ConnectionGuard {
        let connection = ConnectionInfo { client, user: None };
        self.listed.lock().connections.insert(id, connection);
        ConnectionGuard {
            operations: self.clone(),
            id,
        }
    }

    /// Lists an operation, and gives its id. The id of `info` is set here.
    pub(crate) fn list(&self, mut info: OperationInfo) -> i32 {
        let id = self.next.fetch_add(1, Ordering::Relaxed) & i32::MAX;
        info.id = id;
        let mut listed = self.listed.lock();
        if let Some(connection) = listed.connections.get_mut(&info.connection)
            && connection.user != info.context.user
        {
            connection.user.clone_from(&info.context.user);
        }
        listed.operations.insert(id, info);
        id
    }

    /// Removes an operation that has ended from the list.
    pub(crate) fn unlist(&self, id: i32) -> Option<OperationInfo> {
        self.listed.lock().operations.remove(&id)
    }

    /// The operations that run now, oldest first.
    pub(crate) fn running(&self) -> Vec<OperationInfo> {
        self.listed.lock().operations.values().cloned().collect()
    }

    /// Operations and connections of some users in the form of MongoDB's `currentOp`.
    pub(crate) fn documents(
        &self,
        wanted: &WantedOperations,
        is_wanted: impl Fn(&Option<Arc<str>>) -> bool,
        cursor_of: impl Fn(CursorId) -> Option<Document>,
    ) -> Vec<Document> {
        let (running, idle) = {
            let listed = self.listed.lock();
            let running: Vec<_> = listed.operations.values().cloned().collect();
            let active: HashSet<_> = running.iter().map(|operation| operation.connection).collect();
            let connections = listed.connections.iter().filter(|_| wanted.idle_connections);
            let idle = connections
                .filter(|(id, connection)| !active.contains(id) && is_wanted(&connection.user))
                .map(|(id, connection)| connection.to_document(*id));
            (running, idle.collect::<Vec<_>>())
        };
        let running = running
            .iter()
            .filter(|operation| is_wanted(&operation.context.user))
            .map(|operation| operation.to_document(wanted.is_truncated, &cursor_of));
        running.chain(idle).collect()
    }

    /// Kills an operation; an unknown number is no error.
    pub(crate) fn kill(&self, id: i32) {
        if let Some(operation) = self.listed.lock().operations.get(&id) {
            operation.context.kill(Code::INTERRUPTED);
        }
    }

    /// Kills all operations of a session.
    pub(crate) fn kill_of(&self, session: &SessionId) {
        let listed = self.listed.lock();
        listed
            .operations
            .values()
            .filter(|o| o.context.session.as_ref() == Some(session))
            .for_each(|o| o.context.kill(Code::INTERRUPTED));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::Value;

    fn described(command: &Document, is_truncated: bool) -> Document {
        let operation = OperationInfo {
            id: 1,
            command: "any".to_owned(),
            namespace: None,
            body: DocumentBuf::from(command),
            connection: 1,
            client: ([127, 0, 0, 1], 1).into(),
            started: Instant::now(),
            context: Context::default(),
        };
        operation.described(is_truncated)
    }

    #[test]
    fn descriptions_leave_out_written_documents_and_passwords() {
        let insert = doc! {"insert": "c", "documents": vec![doc! {"a": 1}], "ordered": true};
        assert_eq!(described(&insert, false), doc! {"insert": "c", "ordered": true});
        let user = doc! {"createUser": "u", "pwd": "secret"};
        assert_eq!(described(&user, false), doc! {"createUser": "u"});
        let pipeline = doc! {"aggregate": "c", "pipeline": vec![doc! {"$count": "n"}]};
        assert_eq!(described(&pipeline, true), pipeline);
    }

    #[test]
    fn a_long_command_is_cut_with_its_comment_beside_it() {
        let find = doc! {"find": "c", "filter": {"x": "é".repeat(2000)}, "comment": "why"};
        let told = described(&find, true);
        let cut = told.get("$truncated").and_then(Value::as_str).unwrap_or_default();
        assert_eq!(cut.chars().count(), COMMAND_BYTES_MAX + 3);
        assert_eq!(told.get("comment"), find.get("comment"));
        assert_eq!(described(&find, false), find);
    }
}
