//! Running operations, connections and cursors: listed by `currentOp`; operations are ended by `killOp`.

use crate::context::Context;
use crate::engine::Engine;
use crate::reports::describe::host_name;
use crate::tables::operations::{ConnectionGuard, OperationInfo};
use code::Code;
use pipeline::WantedOperations;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;
use value::{Document, DocumentBuf};

/// An operation is listed while this lives.
#[derive(Debug)]
pub struct OperationGuard {
    engine: Engine,
    id: i32,
}

impl Drop for OperationGuard {
    fn drop(&mut self) {
        let Some(operation) = self.engine.operations().unlist(self.id) else {
            return;
        };
        if let Some(namespace) = &operation.namespace {
            let elapsed = operation.started.elapsed();
            let exists = || self.engine.store().collection(namespace).is_some();
            self.engine
                .latencies()
                .note(namespace, &operation.command, elapsed, exists);
        }
    }
}

impl Engine {
    /// Lists a connection until the guard is dropped, as idle while no operation names it.
    pub fn register_connection(&self, id: i32, client: SocketAddr) -> ConnectionGuard {
        self.operations().list_connection(id, client)
    }

    /// Lists an operation until the guard is dropped. The id of `info` is given here.
    pub fn register_operation(&self, info: OperationInfo) -> OperationGuard {
        OperationGuard {
            id: self.operations().list(info),
            engine: self.clone(),
        }
    }

    /// Lists an HTTP request as an operation, which ends with `context`, until the guard is dropped.
    pub fn register_request(
        &self,
        method: &str,
        path: &str,
        client: SocketAddr,
        context: &Context,
    ) -> OperationGuard {
        self.register_operation(OperationInfo {
            id: 0,
            command: method.to_owned(),
            namespace: None,
            body: DocumentBuf::from(&Document::new().with(method, path)),
            connection: 0,
            client,
            started: Instant::now(),
            context: context.clone(),
        })
    }

    /// The operations that run now, oldest first.
    pub fn running_operations(&self) -> Vec<OperationInfo> {
        self.operations().running()
    }

    /// Operations, connections and cursors in the form of MongoDB's `currentOp`.
    pub fn operation_documents(&self, context: &Context, wanted: &WantedOperations) -> Vec<Document> {
        let is_wanted = |user: &Option<Arc<str>>| wanted.all_users || *user == context.user;
        let cursor_of = |id| self.cursors().running_document(id);
        let mut documents = self.operations().documents(wanted, is_wanted, cursor_of);
        if wanted.idle_cursors {
            documents.extend(self.cursors().idle_documents(is_wanted));
        }
        let host = host_name();
        for document in &mut documents {
            document.push("host", host.as_str());
        }
        documents
    }

    /// Asks all operations to end, since the server stops.
    pub fn end_operations(&self) {
        for operation in self.running_operations() {
            operation.context.kill(Code::INTERRUPTED_AT_SHUTDOWN);
        }
    }

    /// Asks an operation to end; an unknown number is no error.
    pub fn kill_operation(&self, id: i32) {
        self.operations().kill(id);
    }
}
