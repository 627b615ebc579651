//! Serving the protocol: requests come in, answers go out.

use crate::backups::Backups;
use crate::call::Call;
use crate::mounts::Mounts;
use crate::server::{RequestCounters, Server};
use crate::sessions::Sessions;
use crate::{api, respond, route};
use engine::Engine;
use http::{Handler, Method, Request, Response};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::watch;

/// How the protocol is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits of connections.
    pub http: http::Options,
    /// What connections go through, for the figures about it.
    pub tls: Option<net::Tls>,
    /// What other protocols answer below `/api`.
    pub mounts: Mounts,
}

/// Serves until `stop` becomes true; then lets running requests end and closes all connections.
pub async fn serve(
    listener: impl Into<net::Listener>,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) {
    let listener = listener.into();
    let server = Server {
        sessions: Sessions::within(engine.memory()),
        engine,
        counters: RequestCounters::default(),
        backups: Backups::default(),
        mounts: options.mounts,
        tls: options.tls,
        port: listener.local_addr().map_or(0, |address| address.port()),
        hosts: options.http.hosts.clone(),
    };
    http::serve(listener, Arc::new(Front(Arc::new(server))), options.http, stop).await;
}

struct Front(Arc<Server>);

impl Handler for Front {
    async fn handle(&self, request: Request) -> Response {
        answer(self.0.clone(), request).await
    }
}

async fn answer(server: Arc<Server>, request: Request) -> Response {
    let is_head = request.method == Method::HEAD;
    let mut call = Call {
        server: server.clone(),
        request,
    };
    let is_api = call.is_api();
    let allowed = call.known_host().and_then(|()| match is_api {
        true => api::guard(&call),
        false => call.refuse_other_sites(),
    });
    let answered = match allowed {
        Ok(()) => route::run(&mut call).await,
        Err(error) => Err(error),
    };
    let mut response = answered.unwrap_or_else(|error| {
        if error.status.is_server_error() {
            tracing::error!(
                path = call.request.path(),
                reason = error.reason,
                "a request failed"
            );
        }
        respond::error(&error)
    });
    if is_api {
        respond::never_kept(&mut response);
    }
    server.counters.requests.fetch_add(1, Ordering::Relaxed);
    if !response.status().is_success() && !response.status().is_redirection() {
        server.counters.refused.fetch_add(1, Ordering::Relaxed);
    }
    if is_head {
        respond::without_body(response)
    } else {
        response
    }
}
