//! The operations that run now: listed by `currentOp`, ended by `killOp`.

use crate::latencies::Latencies;
use crate::{Context, Engine};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Instant;
use store::Namespace;
use value::{Document, doc};

/// One running operation, as `currentOp` tells it.
#[derive(Clone, Debug)]
pub struct OperationInfo {
    /// The number that `killOp` takes.
    pub id: i32,
    /// The command's name.
    pub command: String,
    /// The collection it is about, where there is one.
    pub namespace: Option<Namespace>,
    /// The command as it came, without its documents.
    pub description: Document,
    /// The client's address.
    pub client: String,
    /// When it began.
    pub started: Instant,
    /// Who asked, and the way to end it.
    pub context: Context,
}

impl OperationInfo {
    /// The operation in the form of MongoDB's `currentOp`.
    pub fn to_document(&self) -> Document {
        let micros = self.started.elapsed().as_micros() as i64;
        let kind = match self.command.as_str() {
            "insert" => "insert",
            "update" => "update",
            "delete" => "remove",
            "find" => "query",
            "getMore" => "getmore",
            _ => "command",
        };
        let mut described = doc! {
            "type": "op",
            "desc": "conn",
            "client": &self.client,
            "active": true,
            "opid": self.id,
            "secs_running": micros / 1_000_000,
            "microsecs_running": micros,
            "op": kind,
            "ns": self.namespace.as_ref().map_or_else(String::new, ToString::to_string),
            "command": self.description.clone(),
            "killPending": self.context.is_killed(),
            "waitingForLock": false,
        };
        if let Some(user) = self.context.user.as_deref().and_then(|user| user.split_once('@')) {
            described.push("effectiveUsers", vec![doc! {"user": user.0, "db": user.1}]);
        }
        described
    }
}

/// All running operations.
#[derive(Debug, Default)]
pub(crate) struct Operations {
    /// How long those took that have ended.
    pub(crate) latencies: Latencies,
    next: AtomicI32,
    running: Mutex<BTreeMap<i32, OperationInfo>>,
}

/// An operation is listed while this lives.
#[derive(Debug)]
pub struct OperationGuard {
    operations: Arc<Operations>,
    id: i32,
}

impl Drop for OperationGuard {
    fn drop(&mut self) {
        let ended = self.operations.running.lock().remove(&self.id);
        if let Some(operation) = ended {
            self.operations.latencies.note(&operation);
        }
    }
}

impl Engine {
    /// Lists an operation until the guard is dropped. The id of `info` is given here.
    pub fn register_operation(&self, mut info: OperationInfo) -> OperationGuard {
        let operations = self.operations().clone();
        let id = operations.next.fetch_add(1, Ordering::Relaxed) & i32::MAX;
        info.id = id;
        operations.running.lock().insert(id, info);
        OperationGuard { operations, id }
    }

    /// The operations that run now, oldest first.
    pub fn running_operations(&self) -> Vec<OperationInfo> {
        self.operations().running.lock().values().cloned().collect()
    }

    /// Asks an operation to end; an unknown number is no error.
    pub fn kill_operation(&self, id: i32) {
        if let Some(operation) = self.operations().running.lock().get(&id) {
            operation.context.kill();
        }
    }

    /// Asks all operations of a session to end.
    pub(crate) fn kill_operations_of(&self, session: &crate::SessionId) {
        let running = self.operations().running.lock();
        running
            .values()
            .filter(|o| o.context.session.as_ref() == Some(session))
            .for_each(|o| o.context.kill());
    }
}
