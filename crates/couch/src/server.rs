//! What all requests share, and how they are answered.

use crate::call::Call;
use crate::compactions::Compactions;
use crate::config::Config;
use crate::design::Designs;
use crate::endpoints::uuids::Generators;
use crate::login::Passwords;
use crate::replication::documents;
use crate::replication::jobs::Jobs;
use crate::request_id::{BODY_TIME, REQUEST_ID, RequestIds};
use crate::{cors, jsonp, respond, route, users};
use engine::Engine;
use http::{Handler, HeaderValue, Method, Request, Response, StatusCode, header};
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
    /// The settings could not be read.
    #[error("cannot read the settings: {0}")]
    Config(#[from] engine::Error),
}

/// What all requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) engine: Engine,
    pub(crate) passwords: Passwords,
    /// Design documents and what they define.
    pub(crate) designs: Designs,
    /// The ids of documents that come without one.
    pub(crate) ids: Generators,
    pub(crate) config: Config,
    pub(crate) started: Instant,
    /// Marks of requests.
    request_ids: RequestIds,
    /// The compactions that run here.
    pub(crate) compactions: Compactions,
    /// The replications that run here.
    pub(crate) jobs: Jobs,
    /// Becomes true when feeds have to end.
    pub(crate) stop: watch::Receiver<bool>,
}

impl Server {
    /// A mark of this server, which stays once a setting was changed.
    pub(crate) fn uuid(&self) -> String {
        self.config.get("couchdb", "uuid").unwrap_or_default()
    }

    /// Makes the mark of this server one that stays: the ids of replications are made with it.
    pub(crate) async fn keep_uuid(&self) -> engine::Result<()> {
        self.config.keep(&self.engine).await
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
        passwords: Passwords::new().ok_or(ServeError::Secret)?,
        ids: Generators::new(),
        config: Config::load(&engine, listener.local_addr().ok()).await?,
        designs: Designs::new(),
        started: Instant::now(),
        request_ids: RequestIds::default(),
        compactions: Compactions::default(),
        jobs: Jobs::default(),
        stop: stop.clone(),
        engine,
    };
    let server = Arc::new(server);
    // The last start may have ended before it was there.
    if let Err(error) = users::prepare_database(&server.engine, &server.config).await {
        tracing::warn!(%error, "the database of users has no design document");
    }
    let followed = tokio::spawn(documents::follow_all(server.clone()));
    let handler = Arc::new(Front(server.clone()));
    let mut stopping = stop.clone();
    let ending = async {
        // Whoever waits for a replication is answered before the connections are closed.
        let _ = stopping.wait_for(|stop| *stop).await;
        followed.abort();
        server.jobs.stop().await;
    };
    tokio::join!(http::serve(listener, handler, options.http, stop), ending);
    // One may have been started meanwhile.
    server.jobs.stop().await;
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
    let id = server.request_ids.of(&request.headers);
    // Only pages from elsewhere say where they come from.
    let page = request
        .headers
        .contains_key(header::ORIGIN)
        .then(|| request.headers.clone());
    let asks_first = page.as_ref().filter(|_| request.method == Method::OPTIONS);
    let preflight = asks_first.and_then(|headers| cors::preflight(&server.config, headers));
    let mut response = match preflight {
        Some(response) => response,
        None => {
            let mut response = run(server.clone(), request).await;
            if let Some(headers) = page {
                cors::add(&server.config, &headers, &mut response);
            }
            response
        }
    };
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, id);
    // How long the body took to arrive, in milliseconds, is not measured.
    headers.insert(BODY_TIME, HeaderValue::from_static("0"));
    response
}

async fn run(server: Arc<Server>, request: Request) -> Response {
    let (mut cookie, mut callback) = (None, None);
    let answered = async {
        let mut call = Call::new(server, request)?;
        callback = jsonp::callback(&call)?;
        let answered = route::run(&mut call).await;
        cookie = call.user.cookie.take();
        answered
    };
    let mut response = answered.await.unwrap_or_else(|error| {
        if error.status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(%error, "a request failed");
        }
        respond::error(&error)
    });
    if let Some(callback) = callback {
        response = jsonp::wrap(&callback, response);
    }
    if let Some(cookie) = cookie.filter(|_| !response.headers().contains_key(header::SET_COOKIE)) {
        respond::cookie(&mut response, &cookie);
    }
    response
}
