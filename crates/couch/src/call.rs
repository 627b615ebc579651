//! One request, taken apart.

use crate::content_encoding;
use crate::limits::BODY_BYTES_MAX;
use crate::operation::Operation;
use crate::query::Query;
use crate::server::Server;
use crate::vhosts::ASKED_PATH;
use access::config::Config;
use access::database::Database;
use access::error::{CouchError, Result};
use access::ids;
use access::login::Visitor;
use access::security::{self, Permission};
use access::user::User;
use bytes::Bytes;
use http::{
    Body, HeaderMap, Method, Request, RequestBody, Response, Uri, header, percent_decode, percent_encode,
};
use json::Reader;
use serde_json::{Map, Value as Json};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::task::JoinSet;
use value::{Document, Value};

/// One request.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    pub(crate) method: Method,
    /// The parts of the path, decoded.
    pub(crate) path: Arc<[String]>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    /// The body as it comes over the wire; [`Call::take_body`] gives what it stands for.
    pub(crate) body: RequestBody,
    /// The address that asks.
    pub(crate) peer: SocketAddr,
    /// Who asks.
    pub(crate) user: User,
    /// What it runs as.
    pub(crate) operation: Arc<Operation>,
    /// The target as it came, encoded.
    pub(crate) uri: Uri,
    /// Whether it came through TLS.
    is_secure: bool,
    /// Where it was led here from another path.
    rewritten: Option<Rewritten>,
}

/// The parts of paths in databases under which documents of anybody are shown, or told of.
const SHOWING: [&str; 8] = [
    "_all_docs",
    "_bulk_get",
    "_changes",
    "_design",
    "_find",
    "_missing_revs",
    "_partition",
    "_revs_diff",
];

/// What is known of a request that rewrites of design documents, or a virtual host, led to another path.
#[derive(Clone, Debug)]
struct Rewritten {
    times: usize,
    is_secure: bool,
    /// The parts of the path that was asked for first.
    requested: Arc<[String]>,
}

impl Rewritten {
    /// A request that came by the name of a virtual host.
    fn by_host(config: &Config, headers: &HeaderMap) -> Option<Rewritten> {
        let asked = headers.get(ASKED_PATH)?.to_str().ok()?;
        let path = asked.split('?').next()?;
        Some(Rewritten {
            times: 0,
            is_secure: false,
            requested: parts(config, path).ok()?.into(),
        })
    }
}

tokio::task_local! {
    /// Set while a request is answered that was led to another path.
    static REWRITTEN: Rewritten;
}

impl Call {
    /// Takes a request apart. Who asks is found out by the route.
    pub(crate) fn new(server: Arc<Server>, request: Request) -> Result<Call> {
        check_length(&server.config, &request.uri)?;
        let path = parts(&server.config, request.uri.path())?.into();
        let query = Query::parse(request.query())?;
        let user = User::at(&request.peer);
        let operation = Operation::begin(&server.engine, &server.config, &request, &query);
        let rewritten = REWRITTEN.try_with(Clone::clone).ok();
        let rewritten = rewritten.or_else(|| Rewritten::by_host(&server.config, &request.headers));
        let is_secure = request.asker.is_secure();
        Ok(Call {
            server,
            method: overridden(request.method, &request.headers),
            path,
            query,
            headers: request.headers,
            body: request.body,
            peer: request.peer,
            user,
            operation,
            uri: request.uri,
            is_secure: is_secure || rewritten.as_ref().is_some_and(|rewritten| rewritten.is_secure),
            rewritten,
        })
    }

    /// The same call for work that goes on after the head of the answer; its body stays here.
    pub(crate) fn without_body(&self) -> Call {
        Call {
            server: self.server.clone(),
            method: self.method.clone(),
            path: self.path.clone(),
            query: self.query.clone(),
            headers: self.headers.clone(),
            body: RequestBody::from(Body::empty()),
            peer: self.peer,
            user: self.user.clone(),
            operation: self.operation.clone(),
            uri: self.uri.clone(),
            is_secure: self.is_secure,
            rewritten: self.rewritten.clone(),
        }
    }

    /// The parts of the path that the client asked for.
    pub(crate) fn requested_path(&self) -> &[String] {
        let rewritten = self.rewritten.as_ref();
        rewritten.map_or(&self.path, |rewritten| &rewritten.requested)
    }

    /// How often the request was led to another path.
    pub(crate) fn times_rewritten(&self) -> usize {
        self.rewritten.as_ref().map_or(0, |rewritten| rewritten.times)
    }

    /// Has another request of this user answered in place of this one. In a task of its own: one within the other, a hundred of
    /// them would take more stack than there is.
    pub(crate) async fn answer_instead(&self, request: Request) -> Result<Response> {
        let rewritten = Rewritten {
            times: self.times_rewritten() + 1,
            is_secure: self.is_secure,
            requested: self.requested_path().into(),
        };
        let answered = (self.server.answer)(self.server.clone(), self.user.clone(), request);
        let mut answering = JoinSet::new();
        answering.spawn(REWRITTEN.scope(rewritten, answered));
        let answered = answering.join_next().await.and_then(Result::ok);
        answered.ok_or_else(|| {
            let status = http::StatusCode::INTERNAL_SERVER_ERROR;
            CouchError::new(status, "internal_server_error", "the answer could not be made")
        })
    }

    /// The database that the path names first.
    pub(crate) fn database(&self) -> Result<Database> {
        self.database_named(self.database_name())
    }

    pub(crate) fn database_named(&self, name: &str) -> Result<Database> {
        let database = self.opened(name)?;
        match database.permission {
            Permission::Own if self.path.get(1).is_some_and(|part| part == "_design") => {
                Err(security::design_refusal())
            }
            Permission::Own => Err(CouchError::unauthorized("You are not a server admin.")),
            _ => {
                let part = self.path.get(1).map(String::as_str).unwrap_or_default();
                match SHOWING.contains(&part) {
                    true => database.require_all().map(|()| database),
                    false => Ok(database),
                }
            }
        }
    }

    /// The database that the path names first, for one document: it may be that the user may read and write only some.
    pub(crate) fn database_of_document(&self) -> Result<Database> {
        self.opened(self.database_name())
    }

    fn opened(&self, name: &str) -> Result<Database> {
        Database::open(&self.server.engine, &self.server.config, &self.user, name)
    }

    fn database_name(&self) -> &str {
        self.path.first().map(String::as_str).unwrap_or_default()
    }

    /// The parts of the request that say who asks.
    pub(crate) fn visitor(&self) -> Visitor<'_> {
        Visitor {
            engine: &self.server.engine,
            config: &self.server.config,
            logins: &self.server.logins,
            method: &self.method,
            path: &self.path,
            headers: &self.headers,
            peer: self.peer,
        }
    }

    /// The id of a document that comes without one.
    pub(crate) fn new_id(&self) -> String {
        self.server.ids.next_configured(&self.server.config)
    }

    /// A header as text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The address of something on this server, as the client reached it.
    pub(crate) fn url(&self, parts: &[&str]) -> String {
        let mut url = format!("{}://{}", self.scheme(), self.host());
        for part in parts {
            url.push('/');
            url.push_str(&percent_encode(part));
        }
        url
    }

    /// The scheme that the client used, which a proxy in between tells where it is not this server's own.
    fn scheme(&self) -> &'static str {
        let names = [
            ("x_forwarded_ssl", "X-Forwarded-Ssl", "on"),
            ("x_forwarded_proto", "X-Forwarded-Proto", "https"),
        ];
        let mut names = names.iter();
        let is_secure =
            self.is_secure || names.any(|(setting, name, told)| self.forwarded(setting, name) == Some(told));
        if is_secure { "https" } else { "http" }
    }

    /// The host that the client asked for.
    fn host(&self) -> &str {
        let forwarded = self.forwarded("x_forwarded_host", "X-Forwarded-Host");
        forwarded.or(self.header("host")).unwrap_or("localhost")
    }

    /// What a proxy says in a header whose name is configured.
    fn forwarded(&self, setting: &str, default: &str) -> Option<&str> {
        let name = self.server.config.get("chttpd", setting);
        self.header(name.as_deref().unwrap_or(default))
    }

    /// The body, decompressed if it came compressed. It can be taken once.
    pub(crate) fn take_body(&mut self) -> Result<RequestBody> {
        let body = std::mem::replace(&mut self.body, RequestBody::from(Body::empty()));
        match self.headers.get(header::CONTENT_ENCODING) {
            Some(encoding) => content_encoding::decoded(body, encoding, self.server.engine.memory()),
            None => Ok(body),
        }
    }

    /// The whole body.
    pub(crate) async fn bytes(&mut self) -> Result<Bytes> {
        let configured = self.server.config.number("chttpd", "max_http_request_size");
        let limit_bytes = configured.map_or(BODY_BYTES_MAX, |bytes: usize| bytes.min(BODY_BYTES_MAX));
        Ok(self.take_body()?.read_all(limit_bytes).await?)
    }

    /// The whole body of a request that has to bring one.
    pub(crate) async fn given_bytes(&mut self) -> Result<Bytes> {
        let announcing = [header::CONTENT_LENGTH, header::TRANSFER_ENCODING];
        let is_announced = announcing.iter().any(|name| self.headers.contains_key(name));
        let bytes = self.bytes().await?;
        match bytes.is_empty() && !is_announced {
            true => Err(CouchError::bad_request("Missing request body")),
            false => Ok(bytes),
        }
    }

    /// The whole body as JSON.
    pub(crate) async fn json(&mut self) -> Result<Value> {
        let bytes = self.given_bytes().await?;
        self.operation.room_to_decode(&bytes).await?;
        Ok(Reader::whole(&bytes)?)
    }

    /// The whole body as a JSON object.
    pub(crate) async fn json_object(&mut self) -> Result<Document> {
        match self.json().await? {
            Value::Document(document) => Ok(document),
            _ => Err(CouchError::bad_request("Request body must be a JSON object")),
        }
    }

    /// The same as it is handed on to what knows no BSON: views, searches, replications.
    pub(crate) async fn json_map(&mut self) -> Result<Map<String, Json>> {
        let bytes = self.given_bytes().await?;
        self.operation.room_to_decode(&bytes).await?;
        match serde_json::from_slice(&bytes) {
            Ok(Json::Object(body)) => Ok(body),
            Ok(_) => Err(CouchError::bad_request("Request body must be a JSON object")),
            Err(_) => Err(CouchError::bad_request("invalid UTF-8 JSON")),
        }
    }

    /// Refuses a body that is not said to be JSON.
    pub(crate) fn check_is_json(&self) -> Result<()> {
        let kind = self.header("content-type").unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        match kind {
            "application/json" => Ok(()),
            _ => Err(CouchError::new(
                http::StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "bad_content_type",
                "Content-Type must be application/json",
            )),
        }
    }

    /// Refuses all methods but GET and HEAD.
    pub(crate) fn require_get(&self) -> Result<()> {
        self.require_read("GET,HEAD")
    }

    /// The same with the methods that CouchDB names there: `GET` stands for both at some endpoints.
    pub(crate) fn require_read(&self, allowed: &'static str) -> Result<()> {
        match self.method {
            Method::GET | Method::HEAD => Ok(()),
            _ => Err(CouchError::method_not_allowed(allowed)),
        }
    }

    /// Whether the client does not want to know what becomes of its document.
    pub(crate) fn is_batch(&self) -> bool {
        self.query.get("batch") == Some("ok")
    }

    /// Whether a write waits until it is flushed to disk.
    pub(crate) fn is_journaled(&self) -> bool {
        self.header("x-couch-full-commit") != Some("false")
    }
}

/// Refuses a path and query that are longer than the settings allow, if they set a limit.
fn check_length(config: &Config, uri: &Uri) -> Result<()> {
    let length = uri.path_and_query().map_or(0, |target| target.as_str().len());
    match config.number::<usize>("chttpd", "max_uri_length") {
        Some(most) if length > most => {
            let reason = "the request uri is too long";
            Err(CouchError::new(
                http::StatusCode::URI_TOO_LONG,
                "too_long",
                reason,
            ))
        }
        _ => Ok(()),
    }
}

/// The parts of a path, decoded. Where the slash of a design document's id is encoded, its name is a part of its own too, so that
/// what is below it is found.
fn parts(config: &Config, path: &str) -> Result<Vec<String>> {
    let parts = path.split('/').filter(|part| !part.is_empty());
    let mut parts = parts
        .map(|part| decode_part(config, part))
        .collect::<Result<Vec<_>>>()?;
    let design = parts.get(1).and_then(|id| id.strip_prefix(ids::DESIGN));
    if let Some(name) = design.filter(|name| !name.is_empty()).map(str::to_owned) {
        drop(parts.splice(1..2, ["_design".to_owned(), name]));
    }
    Ok(parts)
}

/// A part of a path, decoded.
pub(crate) fn decode_part(config: &Config, part: &str) -> Result<String> {
    let invalid = || CouchError::bad_request("invalid_url_encoding");
    let is_spaced =
        part.contains('+') && config.get("chttpd", "decode_plus_to_space").as_deref() != Some("false");
    let part = match is_spaced {
        true => part.replace('+', " ").into(),
        false => std::borrow::Cow::from(part),
    };
    percent_decode(&part)
        .map(std::borrow::Cow::into_owned)
        .ok_or_else(invalid)
}

/// The methods that a POST may stand for (`src/chttpd/src/chttpd.erl`, `handle_request_int`).
const OVERRIDES: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "TRACE", "CONNECT", "COPY"];

/// A POST may stand for another method, where a proxy lets none but POST through.
fn overridden(method: Method, headers: &HeaderMap) -> Method {
    let wanted = headers
        .get("x-http-method-override")
        .filter(|_| method == Method::POST)
        .and_then(|name| name.to_str().ok())
        .filter(|name| OVERRIDES.contains(name))
        .and_then(|name| Method::from_bytes(name.as_bytes()).ok());
    wanted.unwrap_or(method)
}
