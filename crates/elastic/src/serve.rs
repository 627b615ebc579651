//! Serving the protocol: requests come in, answers go out.

use crate::blocked;
use crate::human;
use crate::limits::INDEXED_DOCUMENTS_MIN;
use crate::route;
use auth::User;
use engine::{Context, Engine};
use http::{Handler, Method, Request, Response};
use indexing::Indexes;
use indices::Indices;
use indices::error::Result;
use rest::access::{self, Asker, Asking};
use rest::call::Call;
use rest::contexts::Contexts;
use rest::respond::{self, Answer};
use rest::server::Server;
use search::Held;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
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
    /// How long searches and counts may go on; for ever where it is zero.
    pub read_time_max: Duration,
}

/// How long requests may go on when the server stops before they are ended.
const STOP_GRACE: Duration = Duration::from_millis(100);
/// How long tasks then may take to end.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);

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
            indices::sweep(folder, &engine);
        }
        let indices = Indices::new(Indexes {
            folder: options.fulltext.clone(),
            documents_min: options.fulltext_from.unwrap_or(INDEXED_DOCUMENTS_MIN),
            memory: engine.memory().clone(),
        });
        Protocol(Arc::new(Server {
            engine,
            indices,
            kept: rest::kept::Kept::default(),
            compiled: rest::compiled::Compiled::default(),
            contexts: Contexts::default(),
            hosts: options.http.hosts.clone(),
            tasks: rest::tasks::Tasks::default(),
            read_time_max: Some(options.read_time_max).filter(|limit| !limit.is_zero()),
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
        let front = Arc::new(Front(self.0.clone()));
        let mut serving = pin!(http::serve(listener, front, options.http, stop.clone()));
        tokio::select! {
            () = &mut serving => {}
            () = self.end_operations(stop) => serving.await,
        }
        self.0.tasks.end(STOP_TIME_MAX).await;
        // It ends by itself, unless the listener has ended otherwise.
        lifecycles.abort();
    }

    /// Ends requests and tasks that go on for some time after the stop.
    async fn end_operations(&self, mut stop: watch::Receiver<bool>) {
        net::stopped(&mut stop).await;
        tokio::time::sleep(STOP_GRACE).await;
        self.0.engine.end_operations();
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
        answer(self.0.clone(), request, Asking::ByHeaders).await
    }
}

async fn answer(server: Arc<Server>, request: Request, asking: Asking) -> Response {
    let is_head = request.method == Method::HEAD;
    let shown = respond::Form::of(&request);
    let mut held = None;
    let answered = match access::asker(&server, &request, asking).await {
        Ok(asker) => run(server, request, asker, &mut held).await,
        Err(error) => Err(error),
    };
    let answer = answered.unwrap_or_else(|error| {
        if error.status.is_server_error() && error.status != http::StatusCode::NOT_IMPLEMENTED {
            tracing::error!(kind = %error.kind, reason = error.reason, "a request failed");
        }
        respond::error(&error)
    });
    let response = shown.response(answer, is_head);
    drop(held);
    response
}

/// Answers a request of somebody who is known, as an operation. What the answer holds is `held` until its text is made.
async fn run(server: Arc<Server>, request: Request, asker: Asker, held: &mut Option<Held>) -> Result<Answer> {
    let waiting = request.asker.clone();
    let mut context = Context::default().asked_by(move || waiting.is_gone());
    context.user = asker.user.as_ref().map(|user| user.full_name().into());
    context.memory = server.engine.memory().clone();
    let (method, path) = (request.method.as_str(), request.path());
    let _listed = server
        .engine
        .register_request(method, path, request.peer, &context);
    let work = pin!(async {
        let mut call = Call::new(server, request, asker, context.clone()).await?;
        let mut answer = match blocked::check(&call).await {
            Ok(()) => route::run(&mut call).await,
            Err(error) => Err(error),
        };
        if call.human {
            answer = answer.map(|answer| human::readable(&call.path, answer));
        }
        *held = Some(call.held);
        answer
    });
    context.run(work).await
}
