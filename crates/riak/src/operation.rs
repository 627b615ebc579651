//! Requests as operations: listed among those of the other protocols, and ended when nobody waits for the answer, when their time is
//! over, when somebody kills them, or when the server stops.

use crate::access::Access;
use crate::error::Result;
use crate::server::Server;
use engine::{Context, OperationGuard};
use http::{Asker, BodySender, Request};
use std::pin::Pin;
use std::sync::Arc;

/// A request over HTTP that runs. Whatever works for it has a clone.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    context: Context,
    _listed: Arc<OperationGuard>,
}

/// What an operation of this user runs under.
pub(crate) fn context(
    server: &Server,
    access: &Access,
    is_gone: impl Fn() -> bool + Send + Sync + 'static,
) -> Context {
    let mut context = Context::default().asked_by(is_gone);
    context.user = access.user().cloned();
    context.memory = server.engine.memory().clone();
    context
}

impl Operation {
    /// A request that begins now.
    pub(crate) fn begin(server: &Server, access: &Access, request: &Request) -> Operation {
        let asker: Asker = request.asker.clone();
        let context = context(server, access, move || asker.is_gone());
        let (method, path) = (request.method.as_str(), request.path());
        let listed = server
            .engine
            .register_request(method, path, request.peer, &context);
        Operation {
            context,
            _listed: Arc::new(listed),
        }
    }

    /// Does work of the request; pinned, as for a [`Deadline`](crate::deadline::Deadline).
    pub(crate) async fn run<T>(&self, work: Pin<&mut impl Future<Output = Result<T>>>) -> Result<T> {
        self.context.run(work).await
    }

    /// Does work whose results go this way, for as long as somebody takes them.
    pub(crate) async fn run_for<T>(
        &self,
        sender: &BodySender,
        work: Pin<&mut impl Future<Output = Result<T>>>,
    ) -> Result<T> {
        let reader = sender.clone();
        let context = self.context.clone().asked_by(move || reader.is_closed());
        context.run(work).await
    }
}
