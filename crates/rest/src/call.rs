//! One request, taken apart.

use crate::access::Asker;
use crate::body;
use crate::parameters::Parameters;
use crate::respond::media_type;
use crate::server::Server;
use auth::{Privileges, User};
use bytes::Bytes;
use engine::Context;
use http::{HeaderMap, Method, Request, StatusCode, percent_decode};
use indices::error::{ElasticError, Result};
use search::Held;
use serde_json::{Map, Value};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

/// One request.
#[derive(Debug)]
pub struct Call {
    /// What it shares with other requests.
    pub server: Arc<Server>,
    /// Its method.
    pub method: Method,
    /// The parts of the path, decoded.
    pub path: Vec<String>,
    /// Its parameters, as far as nothing has taken them.
    pub parameters: Parameters,
    /// Its body, decompressed.
    pub body: Bytes,
    /// Whether the answer is for people, who read dates and sizes as text.
    pub human: bool,
    /// Whether the answer is wanted as JSON or YAML, and not as text.
    pub wants_objects: bool,
    /// The parts of the answer that are wanted, where not all of them are.
    pub filter_path: Option<String>,
    /// What the client calls its request.
    pub opaque_id: Option<String>,
    /// Who asks, where users exist.
    pub user: Option<Arc<User>>,
    /// Whether a key was shown in place of a password.
    pub has_key: bool,
    /// What the user may do; everything where there is no user at all.
    pub privileges: Option<Privileges>,
    /// The memory of its answer, until that is sent.
    pub held: Held,
    /// The client's address.
    pub peer: SocketAddr,
    /// What it runs under.
    pub context: Context,
}

/// Bodies up to this size are decoded without being counted.
const SHORT_BODY_BYTES: usize = 1 << 20;

impl Call {
    /// Takes apart a request that is answered within this context.
    pub async fn new(server: Arc<Server>, request: Request, asker: Asker, context: Context) -> Result<Call> {
        let privileges = asker.user.as_ref().map(|user| server.engine.privileges(user));
        let path = request.path().split('/').filter(|part| !part.is_empty());
        let invalid = || ElasticError::illegal("the path has an escape that is not %HH in UTF-8");
        let decode = |part: &str| {
            percent_decode(part)
                .map(std::borrow::Cow::into_owned)
                .ok_or_else(invalid)
        };
        let path: Vec<String> = path.map(decode).collect::<Result<_>>()?;
        let mut parameters = Parameters::parse(request.path(), request.query())?;
        let human = parameters.flag("human")?.unwrap_or(false);
        // How the answer looks was read with the head.
        parameters.without_effect(&["pretty", "error_trace"]);
        let filter_path = parameters.take("filter_path");
        let wants_objects = wants_objects(&mut parameters, request.header("accept").unwrap_or_default())?;
        let opaque_id = request.header("x-opaque-id").map(str::to_owned);
        let mut bytes = body::read(&request.headers, request.body, server.engine.memory()).await?;
        if !bytes.is_empty() {
            check_media_type(&request.headers)?;
        }
        // A body may come in the query, where a client cannot send one with GET.
        if let Some(source) = parameters.take("source")
            && bytes.is_empty()
        {
            bytes = source.into();
        }
        parameters.take("source_content_type");
        Ok(Call {
            held: Held::within(server.engine.memory()),
            server,
            method: request.method,
            path,
            parameters,
            body: bytes,
            human,
            wants_objects,
            filter_path,
            opaque_id,
            user: asker.user,
            has_key: asker.has_key,
            privileges,
            peer: request.peer,
            context,
        })
    }

    /// Does work that only reads, within the time that there is for such. Pinned, so that there is room for it once.
    pub async fn read<T>(&self, work: Pin<&mut impl Future<Output = Result<T>>>) -> Result<T> {
        match self.server.read_time_max {
            Some(limit) => self.context.clone().within(Some(limit)).run(work).await,
            None => work.await,
        }
    }

    /// Whether anything of a member of the answer is wanted.
    pub fn shows(&self, name: &str) -> bool {
        self.filter_path
            .as_deref()
            .is_none_or(|filter| fetch::filter_path::shows(filter, name))
    }

    /// What the server does of its own accord, with all rights.
    pub fn of_server(server: Arc<Server>) -> Call {
        Call {
            held: Held::within(server.engine.memory()),
            server,
            method: Method::POST,
            path: Vec::new(),
            parameters: Parameters::default(),
            body: Bytes::new(),
            human: false,
            wants_objects: false,
            filter_path: None,
            opaque_id: None,
            user: None,
            has_key: false,
            privileges: None,
            peer: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            context: Context::default(),
        }
    }

    /// Refuses other methods than these.
    pub fn only(&self, methods: &[Method]) -> Result<()> {
        if methods.contains(&self.method) {
            return Ok(());
        }
        let names: Vec<&str> = methods.iter().map(Method::as_str).collect();
        Err(self.not_allowed(&names.join(", ")))
    }

    /// The path has other methods than this.
    pub fn not_allowed(&self, allowed: &str) -> ElasticError {
        let path = self.parameters.path();
        let reason = format!(
            "Incorrect HTTP method for uri [{path}] and method [{}], allowed: [{allowed}]",
            self.method
        );
        ElasticError::plain(StatusCode::METHOD_NOT_ALLOWED, reason)
    }

    /// The body as an object; an empty one where there is no body.
    pub fn object(&self) -> Result<Map<String, Value>> {
        if self.body.iter().all(u8::is_ascii_whitespace) {
            return Ok(Map::new());
        }
        if self.body.len() > SHORT_BODY_BYTES {
            self.held.add(json::tree_bytes(&self.body))?;
        }
        match serde_json::from_slice(&self.body)? {
            Value::Object(object) => Ok(object),
            _ => Err(ElasticError::parsing("the body must be a JSON object")),
        }
    }

    /// The body as an object, which must be there.
    pub fn required_object(&self) -> Result<Map<String, Value>> {
        if self.body.is_empty() {
            return Err(ElasticError::malformed("request body is required"));
        }
        self.object()
    }

    /// The same of a request whose body may be a parameter.
    pub fn source_object(&self) -> Result<Map<String, Value>> {
        if self.body.is_empty() {
            return Err(ElasticError::malformed(
                "request body or source parameter is required",
            ));
        }
        self.object()
    }
}

/// Whether a list is wanted as objects, and not as text: by the parameter `format`, or by the media type that is accepted.
fn wants_objects(parameters: &mut Parameters, accepted: &str) -> Result<bool> {
    let Some(format) = parameters.take("format") else {
        let accepted = media_type(accepted);
        return Ok(["application/json", "application/yaml"].contains(&accepted.as_str()));
    };
    match format.to_ascii_lowercase().as_str() {
        "json" | "yaml" => Ok(true),
        "cbor" | "smile" => Err(ElasticError::unsupported(format!(
            "the format [{format}] of answers"
        ))),
        _ => Ok(false),
    }
}

fn check_media_type(headers: &HeaderMap) -> Result<()> {
    let Some(given) = headers.get(http::header::CONTENT_TYPE) else {
        return Ok(());
    };
    let given = given.to_str().unwrap_or_default();
    let kind = given
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let known = [
        "",
        "application/json",
        "application/x-ndjson",
        "application/vnd.elasticsearch+json",
        "application/vnd.elasticsearch+x-ndjson",
    ];
    match known.contains(&kind.as_str()) {
        true => Ok(()),
        false => Err(ElasticError::plain(
            StatusCode::NOT_ACCEPTABLE,
            format!("Content-Type header [{given}] is not supported"),
        )),
    }
}
