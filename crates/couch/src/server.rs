//! What all requests share, and how they are answered.

use crate::call::Call;
use crate::login::Logins;
use crate::{respond, route};
use engine::Engine;
use engine::ids::{Generator, Kind};
use http::{Handler, Request, Response};
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// How the protocol is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits of connections.
    pub http: http::Options,
}

/// Why the protocol cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No secret for logins could be made.
    #[error("cannot prepare logins: the operating system gives no random bytes")]
    Secret,
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) logins: Logins,
    /// The ids of documents that come without one.
    pub(crate) ids: Generator,
    uuid: String,
    pub(crate) started: Instant,
    /// Becomes true when feeds have to end.
    pub(crate) stop: watch::Receiver<bool>,
}

impl Server {
    /// A mark of this server, the same after a restart.
    pub(crate) fn uuid(&self) -> String {
        self.uuid.clone()
    }
}

/// Serves until `stop` becomes true; then ends all feeds, lets running requests end and closes all connections.
pub async fn serve(
    listener: TcpListener,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let server = Server {
        engine,
        logins: Logins::new().ok_or(ServeError::Secret)?,
        ids: Generator::new(Kind::Sequential, ""),
        uuid: uuid::Uuid::new_v4().simple().to_string(),
        started: Instant::now(),
        stop: stop.clone(),
    };
    let handler = Arc::new(Front(Arc::new(server)));
    http::serve(listener, handler, options.http, stop).await;
    Ok(())
}

struct Front(Arc<Server>);

impl Handler for Front {
    async fn handle(&self, request: Request) -> Response {
        // Boxed, so that an idle connection is small.
        Box::pin(answer(self.0.clone(), request)).await
    }
}

async fn answer(server: Arc<Server>, request: Request) -> Response {
    let answered = match Call::new(server, request) {
        Ok(mut call) => route::run(&mut call).await,
        Err(error) => Err(error),
    };
    answered.unwrap_or_else(|error| {
        if error.status.is_server_error() {
            tracing::error!(%error, "a request failed");
        }
        respond::error(&error)
    })
}
