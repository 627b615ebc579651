//! Serving the protocol: requests come in, answers go out.

use crate::access::Asking;
use crate::call::Call;
use crate::contexts::Contexts;
use crate::index::Indices;
use crate::limits::INDEXED_DOCUMENTS_MIN;
use crate::server::Server;
use crate::{respond, route};
use auth::User;
use engine::{Context, Engine};
use http::{Handler, Method, Request, Response};
use indexing::Indexes;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::sync::watch;

/// How the protocol is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits of connections.
    pub http: http::Options,
    /// The folder of full-text indexes; without one, searches read all documents.
    pub fulltext: Option<PathBuf>,
    /// The documents from which on a collection has a full-text index; `None` for the usual number.
    pub fulltext_from: Option<u64>,
}

/// Serves until `stop` becomes true; then lets running requests end and closes all connections.
pub async fn serve(
    listener: impl Into<net::Listener>,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) {
    let protocol = Protocol::new(engine, &options);
    protocol.serve(listener, options, stop).await;
}

/// The protocol on an engine: connections are served by [`Protocol::serve`], requests that came by another listener of this
/// program answered by [`Protocol::answer`].
#[derive(Clone, Debug)]
pub struct Protocol(Arc<Server>);

impl Protocol {
    /// The protocol on this engine.
    pub fn new(engine: Engine, options: &Options) -> Protocol {
        if let Some(folder) = &options.fulltext {
            crate::fulltext::sweep(folder, &engine);
        }
        let indices = Indices::new(Indexes {
            folder: options.fulltext.clone(),
            documents_min: options.fulltext_from.unwrap_or(INDEXED_DOCUMENTS_MIN),
            memory: engine.memory().clone(),
        });
        Protocol(Arc::new(Server {
            engine,
            indices,
            kept: crate::kept::Kept::default(),
            compiled: crate::compiled::Compiled::default(),
            contexts: Contexts::default(),
            hosts: options.http.hosts.clone(),
            tasks: crate::tasks::Tasks::default(),
            address: std::sync::OnceLock::new(),
        }))
    }

    pub(crate) fn server(&self) -> &Arc<Server> {
        &self.0
    }

    /// Serves connections, as [`serve`] does.
    pub async fn serve(
        &self,
        listener: impl Into<net::Listener>,
        options: Options,
        stop: watch::Receiver<bool>,
    ) {
        let listener = listener.into();
        if let Ok(address) = listener.local_addr() {
            self.0.address.get_or_init(|| address);
        }
        let lifecycles = tokio::spawn(crate::lifecycle::run(self.0.clone(), stop.clone()));
        http::serve(listener, Arc::new(Front(self.0.clone())), options.http, stop).await;
        // It ends by itself, unless the listener has ended otherwise.
        lifecycles.abort();
    }

    /// How many changes of its collection the full-text index has not reached that is furthest behind. Searches see them all the same.
    pub fn index_changes_behind(&self) -> u64 {
        self.0.indices.changes_behind()
    }

    /// Answers one request with the rights of a user who is known already; `None` where no user exists.
    pub async fn answer(&self, user: Option<Arc<User>>, request: Request) -> Response {
        Box::pin(answer(self.0.clone(), request, Asking::Known(user))).await
    }
}

struct Front(Arc<Server>);

impl Handler for Front {
    async fn handle(&self, request: Request) -> Response {
        // Boxed, so that an idle connection is small.
        Box::pin(answer(self.0.clone(), request, Asking::ByHeaders)).await
    }
}

async fn answer(server: Arc<Server>, request: Request, asking: Asking) -> Response {
    let is_head = request.method == Method::HEAD;
    let shown = respond::Form::of(&request);
    let context = Context::default();
    let (method, path) = (request.method.as_str(), request.path());
    let _listed = server
        .engine
        .register_request(method, path, request.peer, &context);
    let memory = server.engine.memory().clone();
    let mut held = None;
    let work = async {
        let mut call = Call::new(server, request, asking).await?;
        let answer = route::run(&mut call).await;
        // Until the answer's text is made.
        held = Some(call.held);
        answer
    };
    let answered = context.interruption().run(work).await;
    let answer = answered.unwrap_or_else(|error| {
        if error.status.is_server_error() && error.status != http::StatusCode::NOT_IMPLEMENTED {
            tracing::error!(kind = %error.kind, reason = error.reason, "a request failed");
        }
        respond::error(&error)
    });
    let response = shown.response(answer, is_head, Some(&memory));
    drop(held);
    response
}
