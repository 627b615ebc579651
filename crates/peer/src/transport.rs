//! The two ways to reach a peer: over HTTP, or within the process.

use crate::ask::{Answer, Ask, PeerErrorBody};
use bytes::Bytes;
use futures::future::BoxFuture;
use http::{
    Body, BodyError, Client, ClientError, ClientRequest, HeaderMap, HeaderValue, StatusCode, Uri, header,
};
use memory::Budget;
use replicate::{PeerError, PeerErrorKind};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The bytes of an answer that is read whole.
const ANSWER_BYTES_MAX: usize = 512 * 1024 * 1024;
/// The wait before a request is tried again the first time, which doubles then.
const RETRY_WAIT_FIRST: Duration = Duration::from_millis(250);
/// The longest such wait.
const RETRY_WAIT_MAX: Duration = Duration::from_secs(10);

/// No limit of time: the time between two pieces is limited instead.
const NEVER: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

type Result<T> = std::result::Result<T, PeerError>;

/// A way to a database.
#[derive(Debug)]
pub struct Transport {
    route: Route,
    name: String,
    request_time_max: Duration,
    retries: u32,
    /// Whether the server calls itself CouchDB, as its last answer said.
    is_couch: AtomicBool,
}

/// Answers requests within the process, as a client would be answered.
pub trait Local: std::fmt::Debug + Send + Sync {
    /// Answers one request.
    fn answer(&self, request: http::Request) -> BoxFuture<'_, http::Response>;
}

/// Where a database is.
#[derive(Debug)]
pub enum Route {
    /// In this process.
    Local {
        /// Who answers.
        server: Arc<dyn Local>,
        /// The database's path, percent-encoded: `/readings`.
        path: String,
    },
    /// Elsewhere.
    Remote(Box<Address>),
}

/// An address over HTTP.
#[derive(Debug)]
pub struct Address {
    /// Asks it.
    pub client: Client,
    /// The address without credentials and without a slash at the end.
    pub url: String,
    /// The headers of every request, credentials among them.
    pub headers: HeaderMap,
    /// From what its answers take memory, which may be anything.
    pub memory: Budget,
}

impl Transport {
    /// A way to a database of this name for people. A request takes at most this time, and is tried again so often where the
    /// peer cannot be reached or is in trouble.
    pub fn new(route: Route, name: String, request_time_max: Duration, retries: u32) -> Transport {
        let is_local = matches!(route, Route::Local { .. });
        Transport {
            route,
            name,
            request_time_max,
            retries,
            is_couch: AtomicBool::new(is_local),
        }
    }

    /// The database for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sends a request, again where the peer cannot be reached or is in trouble, and reads the answer.
    ///
    /// # Errors
    /// The peer cannot be reached, is in trouble, or may not be asked.
    pub async fn whole(&self, ask: &Ask) -> Result<(StatusCode, Bytes)> {
        let mut wait = RETRY_WAIT_FIRST;
        let mut tries = 0;
        loop {
            let error = match self.once_whole(ask).await {
                Ok((status, _)) if is_trouble(status) => self.answered(ask, status, b""),
                Ok(answer) => return Ok(answer),
                Err(error) => error,
            };
            let is_refused = matches!(error.kind, PeerErrorKind::Unauthorized | PeerErrorKind::Forbidden);
            if tries >= self.retries || is_refused {
                return Err(error);
            }
            tries += 1;
            tracing::debug!(%error, tries, "a request of a replication is tried again");
            tokio::time::sleep(wait).await;
            wait = (wait * 2).min(RETRY_WAIT_MAX);
        }
    }

    /// Sends a request once, and gives the answer when its head has come: for answers that are read piece by piece.
    pub(crate) async fn begin(&self, ask: &Ask) -> Result<Answer> {
        self.send(ask, Body::from(ask.body.clone()), self.time_max(ask))
            .await
    }

    /// Sends a request whose body comes piece by piece, once; the answer may take as long as the body does. Ends where
    /// nothing of the body was taken for as long as a request may take: `sent` counts its pieces.
    pub(crate) async fn send_streamed(
        &self,
        ask: &Ask,
        body: Body,
        sent: &AtomicU64,
    ) -> Result<(StatusCode, Bytes)> {
        let asking = async {
            let mut answer = self.send(ask, body, NEVER).await?;
            let read = self.read(&mut answer).await;
            let bytes = read.map_err(|error| self.unreachable(ask, &error.to_string()))?;
            Ok((answer.status, bytes))
        };
        tokio::pin!(asking);
        let mut before = sent.load(Ordering::Relaxed);
        loop {
            tokio::select! {
                answered = &mut asking => return answered,
                () = tokio::time::sleep(self.time_max(ask)) => {
                    let now = sent.load(Ordering::Relaxed);
                    if now == before {
                        return Err(self.unreachable(ask, "nothing was taken in time"));
                    }
                    before = now;
                }
            }
        }
    }

    /// From what long answers take memory; those of this process are counted where they are made.
    pub(crate) fn memory(&self) -> Budget {
        match &self.route {
            Route::Local { .. } => Budget::default(),
            Route::Remote(address) => address.memory.clone(),
        }
    }

    /// Whether the server is known to take attachments compressed, as CouchDB does.
    pub(crate) fn takes_gzip(&self) -> bool {
        self.is_couch.load(Ordering::Relaxed)
    }

    /// How long each piece of an answer may take.
    pub(crate) fn piece_time_max(&self) -> Duration {
        self.request_time_max
    }

    async fn once_whole(&self, ask: &Ask) -> Result<(StatusCode, Bytes)> {
        let mut answer = self.begin(ask).await?;
        let reading = self.read(&mut answer);
        let read = tokio::time::timeout(self.time_max(ask), reading).await;
        match read {
            Ok(Ok(bytes)) => Ok((answer.status, bytes)),
            Ok(Err(error)) => Err(self.unreachable(ask, &error.to_string())),
            Err(_) => Err(self.unreachable(ask, "the answer did not end in time")),
        }
    }

    /// The whole body of an answer.
    async fn read(&self, answer: &mut Answer) -> std::result::Result<Bytes, BodyError> {
        match &self.route {
            Route::Local { .. } => answer.body.read_all(ANSWER_BYTES_MAX).await,
            Route::Remote(address) => {
                let memory = &address.memory;
                answer.body.read_all_within(ANSWER_BYTES_MAX, memory).await
            }
        }
    }

    /// Sends a request once, with this body, and gives the answer when its head has come.
    async fn send(&self, ask: &Ask, body: Body, time_max: Duration) -> Result<Answer> {
        match &self.route {
            Route::Local { server, path } => {
                let uri: Uri = format!("{path}{}", ask.path)
                    .parse()
                    .map_err(|_| self.unreachable(ask, "the path has no valid form"))?;
                let request = http::Request {
                    method: ask.method.clone(),
                    uri,
                    headers: ask.headers.clone(),
                    body: body.into(),
                    peer: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
                    asker: http::Asker::default(),
                    certified: None,
                };
                let response = server.answer(request).await;
                let (head, body) = response.into_parts();
                Ok(Answer {
                    status: head.status,
                    headers: head.headers,
                    body: body.into(),
                })
            }
            Route::Remote(address) => {
                let uri = format!("{}{}", address.url, ask.path).parse();
                let mut all = address.headers.clone();
                all.extend(ask.headers.clone());
                let accepts_else = all.contains_key(header::ACCEPT);
                if !accepts_else {
                    all.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
                }
                let request = ClientRequest {
                    method: ask.method.clone(),
                    uri: uri.map_err(|_| self.unreachable(ask, "the address has no valid form"))?,
                    headers: all,
                    body,
                };
                let answered = address.client.send(request, time_max).await;
                let answered = answered.map_err(|error| match error {
                    ClientError::Private(_) => {
                        let why = format!(
                            "{}: {error}, which only administrators may replicate with unless [replicator] allow_private_addresses is true",
                            self.asked(ask)
                        );
                        PeerError::new(PeerErrorKind::Forbidden, why)
                    }
                    error => self.unreachable(ask, &error.to_string()),
                })?;
                let server = answered.headers.get(header::SERVER);
                let is_couch = server.is_some_and(|name| name.as_bytes().starts_with(b"CouchDB"));
                self.is_couch.store(is_couch, Ordering::Relaxed);
                Ok(Answer {
                    status: answered.status,
                    headers: answered.headers,
                    body: answered.body,
                })
            }
        }
    }

    fn time_max(&self, ask: &Ask) -> Duration {
        self.request_time_max + ask.wait
    }

    /// The error of a peer that cannot be reached.
    fn unreachable(&self, ask: &Ask, why: &str) -> PeerError {
        PeerError::new(PeerErrorKind::Unreachable, format!("{}: {why}", self.asked(ask)))
    }

    /// The error of an answer that is none that the protocol knows.
    pub fn answered(&self, ask: &Ask, status: StatusCode, body: &[u8]) -> PeerError {
        let told = PeerErrorBody::read(body);
        let kind = match status {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => PeerErrorKind::Unauthorized,
            StatusCode::NOT_FOUND => PeerErrorKind::NoDatabase,
            StatusCode::CONFLICT => PeerErrorKind::Conflict,
            StatusCode::PAYLOAD_TOO_LARGE => PeerErrorKind::TooLarge,
            _ => PeerErrorKind::Answer,
        };
        let asked = self.asked(ask);
        let message = format!("{asked}: {} {} {}", status.as_u16(), told.error, told.reason);
        PeerError::new(kind, message.trim_end().to_owned())
    }

    /// What was asked of whom, for people.
    pub(crate) fn asked(&self, ask: &Ask) -> String {
        let path = ask.path.split('?').next().unwrap_or_default();
        format!("{} {}{path}", ask.method, self.name.trim_end_matches('/'))
    }
}

/// Whether a peer that answers so may answer otherwise later.
pub(crate) fn is_trouble(status: StatusCode) -> bool {
    status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
        || status == StatusCode::TOO_MANY_REQUESTS
        || status == StatusCode::REQUEST_TIMEOUT
}
