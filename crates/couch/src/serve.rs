//! Serving the protocol: requests come in, answers go out, and what runs besides them is started and ended.

use crate::call::Call;
use crate::replication::documents;
use crate::replication::report::{self, Replications};
use crate::request_id::{BODY_TIME, REQUEST_ID, RequestIds};
use crate::server::{ServeError, Server};
use crate::{challenge, cors, frames, jsonp, minimal, respond, route, user_databases, vhosts};
use access::config::Config;
use access::error::CouchError;
use access::user::{Handler as Known, User};
use access::users;
use engine::Engine;
use http::{
    Handler, HeaderMap, HeaderValue, HostError, Hosts, Method, Request, Response, StatusCode, header,
};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// How long requests may go on when the server stops, until those that count their steps are ended.
const STOP_GRACE: Duration = Duration::from_secs(2);

/// How the protocol is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The limits of connections.
    pub http: http::Options,
}

/// Serves until `stop` becomes true; then ends all feeds, lets running requests end and closes all connections.
pub async fn serve(
    listener: impl Into<net::Listener>,
    engine: Engine,
    options: Options,
    stop: watch::Receiver<bool>,
) -> Result<(), ServeError> {
    let listener = listener.into();
    let protocol = Protocol::new(engine, listener.local_addr().ok(), stop.clone()).await?;
    protocol.serve(listener, options, stop).await;
    Ok(())
}

/// The protocol on an engine: connections are served by [`Protocol::serve`], requests that came by another listener of this
/// program answered by [`Protocol::answer`].
#[derive(Clone, Debug)]
pub struct Protocol(Arc<Server>);

impl Protocol {
    /// The protocol on this engine, whose settings show this address; its feeds end when `stop` becomes true.
    pub async fn new(
        engine: Engine,
        address: Option<SocketAddr>,
        stop: watch::Receiver<bool>,
    ) -> Result<Protocol, ServeError> {
        let server = Server::new(engine, address, stop, answer_within).await?;
        Ok(Protocol(Arc::new(server)))
    }

    /// Serves connections, as [`serve`] does.
    pub async fn serve(
        &self,
        listener: impl Into<net::Listener>,
        options: Options,
        stop: watch::Receiver<bool>,
    ) {
        let server = &self.0;
        // The last start may have ended before it was there.
        if let Err(error) = users::prepare_database(&server.engine, &server.config).await {
            tracing::warn!(%error, "the database of users has no design document");
        }
        let followed = tokio::spawn(documents::follow_all(server.clone()));
        let users_followed = tokio::spawn(user_databases::follow(server.clone()));
        let handler = Arc::new(Front {
            server: server.clone(),
            request_ids: RequestIds::default(),
            hosts: options.http.hosts.clone(),
        });
        let mut serving = pin!(http::serve(listener, handler, options.http, stop.clone()));
        tokio::select! {
            () = &mut serving => {}
            () = end_requests(server, stop) => serving.await,
        }
        followed.abort();
        users_followed.abort();
        // One may have been started meanwhile.
        server.jobs.stop().await;
    }

    /// How the replications are that this server carries out.
    pub fn replications(&self) -> Replications {
        report::all_together(&self.0.jobs.all())
    }

    /// Answers one request with the rights of a user who is known already; `None` where no user exists.
    pub async fn answer(&self, user: Option<Arc<auth::User>>, request: Request) -> Response {
        let engine = &self.0.engine;
        let user = match user {
            Some(account) => User::of(engine, &account, Known::Default, User::at(&request.peer).is_local),
            None => User::of_this_machine(engine),
        };
        answer_within(self.0.clone(), user, request).await
    }
}

/// Ends replications at once, so that whoever waits for one is answered, and requests that go on for some time after the stop.
async fn end_requests(server: &Server, mut stop: watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        return;
    }
    server.jobs.stop().await;
    tokio::time::sleep(STOP_GRACE).await;
    server.engine.end_operations();
}

struct Front {
    server: Arc<Server>,
    /// Marks of requests.
    request_ids: RequestIds,
    /// The names under which the server may be asked while no user exists.
    hosts: Hosts,
}

impl Handler for Front {
    async fn handle(&self, request: Request) -> Response {
        self.answer(request).await
    }
}

impl Front {
    /// Where everybody may do everything, the name by which the server is asked must be known, and where the page comes from that
    /// asks, unless the settings of CORS let it.
    fn known_host(&self, headers: &HeaderMap) -> Result<(), CouchError> {
        check_host(&self.server.config, headers)?;
        if self.server.engine.needs_login() {
            return Ok(());
        }
        match self.hosts.check(headers) {
            Err(HostError::Origin(_)) if cors::is_allowed(&self.server.config, headers) => Ok(()),
            known => known.map_err(|error| CouchError::forbidden(error.to_string())),
        }
    }

    async fn answer(&self, mut request: Request) -> Response {
        self.server.request_counts.came(&request.method);
        let id = self.request_ids.of(&request.headers);
        let is_minimal = minimal::is_wanted(&request.headers);
        // Only pages from elsewhere say where they come from.
        let page = request
            .headers
            .contains_key(header::ORIGIN)
            .then(|| request.headers.clone());
        let asks_first = page.as_ref().filter(|_| request.method == Method::OPTIONS);
        let preflight = asks_first.and_then(|headers| cors::preflight(&self.server.config, headers));
        let mut response = match (preflight, self.known_host(&request.headers)) {
            (_, Err(error)) => respond::error(&error),
            (Some(response), Ok(())) => response,
            (None, Ok(())) => {
                let mut response = match vhosts::lead(&self.server.config, &mut request) {
                    Ok(()) => run(self.server.clone(), request).await,
                    Err(error) => respond::error(&error),
                };
                if let Some(headers) = page {
                    cors::add(&self.server.config, &headers, &mut response);
                }
                response
            }
        };
        self.server.request_counts.answered(response.status());
        let headers = response.headers_mut();
        headers.insert(REQUEST_ID, id);
        // How long the body took to arrive, in milliseconds, is not measured.
        headers.insert(BODY_TIME, HeaderValue::from_static("0"));
        if self.server.config.is_off("chttpd", "server_header_versions") {
            headers.insert(header::SERVER, respond::SERVER_NAME_ALONE);
        }
        if is_minimal {
            minimal::reduce(&self.server.config, &mut response);
        }
        response
    }
}

/// Where `[chttpd] validate_host` is set, refuses names that are not among its `valid_hosts` (`src/couch/src/couch_httpd.erl`,
/// `validate_host`).
fn check_host(config: &Config, headers: &HeaderMap) -> Result<(), CouchError> {
    if !config.is_on("chttpd", "validate_host") {
        return Ok(());
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let host = host.unwrap_or_default();
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        _ => host,
    };
    let valid = config.get("chttpd", "valid_hosts").unwrap_or_default();
    match !name.is_empty() && valid.split(',').any(|valid| valid.trim() == name) {
        true => Ok(()),
        false => Err(CouchError::bad_request("Invalid host header")),
    }
}

async fn run(server: Arc<Server>, request: Request) -> Response {
    let (mut cookie, mut callback, mut framed, mut page) = (None, None, None, None);
    let wanted = challenge::wanted(&request.headers);
    let answered = async {
        let mut call = Call::new(server.clone(), request)?;
        framed = frames::wanted(&call);
        page = challenge::page(&call);
        callback = jsonp::callback(&call)?;
        let answered = route::run(&mut call).await;
        cookie = call.user.cookie.take();
        answered
    };
    let mut response = answered.await.unwrap_or_else(|error| {
        if error.status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(%error, "a request failed");
        }
        let mut response = respond::error(&error);
        challenge::add(&server.config, wanted, page, &error, &mut response);
        response
    });
    if let Some(callback) = callback {
        response = jsonp::wrap(&callback, response);
    }
    if let Some(framed) = framed {
        response.headers_mut().insert(frames::FRAME_OPTIONS, framed);
    }
    if let Some(cookie) = cookie.filter(|_| !response.headers().contains_key(header::SET_COOKIE)) {
        respond::cookie(&mut response, &cookie);
    }
    response
}

/// Answers what a replication asks of its own server. Boxed, so that an endpoint may start what calls endpoints.
fn answer_within(
    server: Arc<Server>,
    user: User,
    request: Request,
) -> Pin<Box<dyn Future<Output = Response> + Send>> {
    Box::pin(async move {
        let answered = match Call::new(server, request) {
            Ok(mut call) => {
                call.user = user;
                route::dispatch(&mut call).await
            }
            Err(error) => Err(error),
        };
        answered.unwrap_or_else(|error| respond::error(&error))
    })
}
