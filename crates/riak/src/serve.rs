//! Serving both protocols: requests come in, answers go out.

use crate::access::Access;
use crate::error::Result;
use crate::operation::Operation;
use crate::options::Options;
use crate::rest::{self, Call};
use crate::server::Server;
use engine::Engine;
use http::{Body, Handler, Method, Request, Response};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long connections may take to end their last request when the server stops.
const STOP_TIME_MAX: Duration = Duration::from_secs(10);

/// How long requests may go on when the server stops before they are ended.
const STOP_GRACE: Duration = Duration::from_millis(100);

/// What is served by both protocols: each sees what the other has written at once.
#[derive(Clone, Debug)]
pub struct Riak {
    server: Arc<Server>,
    options: Options,
}

impl Riak {
    /// Serves what an engine has.
    pub fn new(engine: Engine, options: Options) -> Riak {
        let server = Server::new(engine, &options);
        Riak {
            server: Arc::new(server),
            options,
        }
    }

    /// Serves HTTP until `stop` becomes true; then lets running requests end and closes all connections.
    pub async fn serve_http(self, listener: impl Into<net::Listener>, stop: watch::Receiver<bool>) {
        let (engine, front) = (self.server.engine.clone(), Arc::new(Front(self.server)));
        let serving = http::serve(listener, front, self.options.http, stop.clone());
        ending(&engine, serving, stop).await;
    }

    /// Serves protocol buffers in the same way.
    pub async fn serve_protocol_buffers(
        self,
        listener: impl Into<net::Listener>,
        stop: watch::Receiver<bool>,
    ) {
        let limits = net::Limits {
            places: self.options.http.places.clone(),
            // A client has to ask before it can be told anything.
            refusal: b"",
            stop_time_max: STOP_TIME_MAX,
        };
        // Clients of Riak's begin without TLS and ask for it.
        let (listener, tls) = listener.into().into_parts();
        let engine = self.server.engine.clone();
        let (server, stopping) = (self.server, stop.clone());
        let connect =
            move |stream, peer| crate::pb::run(server.clone(), tls.clone(), stream, peer, stopping.clone());
        let serving = net::serve(listener, limits, stop.clone(), connect);
        ending(&engine, serving, stop).await;
    }
}

/// Serves, and ends requests that go on for some time after the stop.
async fn ending(engine: &Engine, serving: impl Future<Output = ()>, mut stop: watch::Receiver<bool>) {
    let mut serving = pin!(serving);
    let late = async {
        net::stopped(&mut stop).await;
        tokio::time::sleep(STOP_GRACE).await;
        engine.end_operations();
    };
    tokio::select! {
        () = &mut serving => {}
        () = late => serving.await,
    }
}

struct Front(Arc<Server>);

impl Handler for Front {
    async fn handle(&self, request: Request) -> Response {
        answer(self.0.clone(), request).await
    }
}

async fn answer(server: Arc<Server>, request: Request) -> Response {
    let is_head = request.method == Method::HEAD;
    let answered = run(server, request).await;
    let mut response = answered.unwrap_or_else(|error| {
        if error.status == http::StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(error = error.message, "a request failed");
        }
        rest::error(&error)
    });
    if is_head {
        let length = response.body().length();
        *response.body_mut() = Body::empty();
        if let Some(length) = length {
            response
                .headers_mut()
                .insert(http::header::CONTENT_LENGTH, length.into());
        }
    }
    response
}

async fn run(server: Arc<Server>, request: Request) -> Result<Response> {
    let access = Access::of_request(&server, &request).await?;
    let operation = Operation::begin(&server, &access, &request);
    let work = pin!(async {
        let call = Call::new(server, request, access, operation.clone()).await?;
        rest::run(&call).await
    });
    operation.run(work).await
}
