//! The other server: how it is asked, again where it has no room, and what it answers.

use super::super::progress::Progress;
use super::batch::Batch;
use super::given;
use bytes::Bytes;
use http::{Body, Client, ClientError, ClientRequest, HeaderMap, Method, StatusCode, Uri, percent_encode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use search::Held;
use serde_json::{Map, Value, json};
use std::fmt;
use std::time::Duration;

/// How long the other server keeps a scroll between two batches.
const SCROLL: &str = "5m";
/// How long an answer, or a connection, may take where the request says nothing.
const WAIT: Duration = Duration::from_secs(30);
/// How often a request is made again that the other server had no room for.
const RETRIES_MAX: u32 = 10;
/// The wait before the first of these; each next one is twice as long.
const RETRY_WAIT: Duration = Duration::from_millis(500);

/// The other server, and what is wanted of it.
pub(crate) struct Remote {
    client: Client,
    /// The address without a slash at its end.
    host: String,
    headers: HeaderMap,
    answer_wait: Duration,
    connect_wait: Duration,
    index: String,
    search: Value,
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)
    }
}

impl Remote {
    /// Reads `remote` and the rest of `source`, which is the other server's to understand.
    pub(crate) fn read(
        call: &Call,
        remote: Value,
        index: &str,
        mut source: Map<String, Value>,
        batch: usize,
    ) -> Result<Remote> {
        let Value::Object(mut remote) = remote else {
            return Err(ElasticError::parsing("[remote] must be an object"));
        };
        let host = given::text(&mut remote, "host")?.ok_or_else(|| {
            ElasticError::illegal("[host] must be specified to reindex from a remote cluster")
        })?;
        let mut search = json!({"size": batch, "sort": ["_doc"]});
        for name in ["query", "_source", "sort"] {
            if let Some(value) = source.shift_remove(name) {
                search[name] = value;
            }
        }
        if let Some(other) = source.keys().next() {
            return Err(ElasticError::parsing(format!(
                "[reindex] unknown field [{other}]"
            )));
        }
        let headers = given::headers(&mut remote)?;
        let mut wait = |name: &str| -> Result<Duration> {
            let given = given::text(&mut remote, name)?;
            Ok(given.map_or(Ok(WAIT), |text| search::parse_time(&text, name))?)
        };
        let (answer_wait, connect_wait) = (wait("socket_timeout")?, wait("connect_timeout")?);
        if let Some(other) = remote.keys().next() {
            return Err(ElasticError::parsing(format!("[remote] unknown field [{other}]")));
        }
        Ok(Remote {
            client: Client::new(given::reach(call)),
            host: given::host(&host)?,
            headers,
            answer_wait,
            connect_wait,
            index: index.to_owned(),
            search,
        })
    }

    /// The first batch. Whether the total is counted to its end has to be asked for from version 7 on.
    pub(super) async fn begin(&self, held: &Held, progress: &mut Progress) -> Result<Batch> {
        let root = self.ask(Method::GET, "/", &Value::Null, held, progress).await?;
        let root: Value = serde_json::from_slice(&root.bytes)?;
        let version = root["version"]["number"].as_str().unwrap_or_default();
        let major: u32 = version
            .split('.')
            .next()
            .and_then(|part| part.parse().ok())
            .unwrap_or(0);
        let is_opensearch = root["version"]["distribution"] == "opensearch";
        let exact = if major >= 7 || is_opensearch {
            "&track_total_hits=true"
        } else {
            ""
        };
        let names: Vec<String> = self.index.split(',').map(percent_encode).collect();
        let path = format!("/{}/_search?scroll={SCROLL}{exact}", names.join(","));
        self.ask(Method::POST, &path, &self.search, held, progress).await
    }

    pub(super) async fn next(&self, scroll: &str, held: &Held, progress: &mut Progress) -> Result<Batch> {
        let body = json!({"scroll": SCROLL, "scroll_id": scroll});
        self.ask(Method::POST, "/_search/scroll", &body, held, progress)
            .await
    }

    /// Lets the other server forget a scroll; it would by itself after a while.
    pub(super) async fn end(&self, scroll: &str) {
        let body = json!({"scroll_id": [scroll]});
        if let Err(error) = self.send(Method::DELETE, "/_search/scroll", &body).await {
            tracing::debug!(reason = error.reason, "a scroll of another server was not ended");
        }
    }

    /// Asks, again where the other server has no room, and reads the answer.
    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: &Value,
        held: &Held,
        progress: &mut Progress,
    ) -> Result<Batch> {
        let (mut wait, mut tries) = (RETRY_WAIT, 0);
        loop {
            let mut answer = self.send(method.clone(), path, body).await?;
            let has_no_room =
                [StatusCode::TOO_MANY_REQUESTS, StatusCode::SERVICE_UNAVAILABLE].contains(&answer.status);
            if has_no_room && tries < RETRIES_MAX {
                tries += 1;
                progress.retried();
                tokio::time::sleep(wait).await;
                wait *= 2;
                continue;
            }
            let batch = Batch::read(&self.host, &mut answer.body, self.answer_wait, held).await?;
            if answer.status.is_success() {
                return Ok(batch);
            }
            let told: String = String::from_utf8_lossy(&batch.bytes).chars().take(2000).collect();
            let reason = format!(
                "method [{method}], host [{}], URI [{path}], status line [{}]: {told}",
                self.host, answer.status
            );
            return Err(ElasticError::new(answer.status, "status_exception", reason));
        }
    }

    async fn send(&self, method: Method, path: &str, body: &Value) -> Result<http::ClientResponse> {
        let uri: Uri = format!("{}{path}", self.host)
            .parse()
            .map_err(|_| ElasticError::illegal(format!("[{}{path}] is no address", self.host)))?;
        let body = match body {
            Value::Null => Bytes::new(),
            body => Bytes::from(body.to_string()),
        };
        let request = ClientRequest {
            method,
            uri,
            headers: self.headers.clone(),
            body: Body::from(body),
        };
        let answered = self
            .client
            .send(request, self.connect_wait + self.answer_wait)
            .await;
        answered.map_err(|error| match error {
            ClientError::Private(_) => ElasticError::new(
                StatusCode::FORBIDDEN,
                "security_exception",
                format!(
                    "[{}]: {error}, which only administrators may reindex from",
                    self.host
                ),
            ),
            error => failed(&self.host, &error.to_string()),
        })
    }
}

pub(super) fn failed(host: &str, why: &str) -> ElasticError {
    ElasticError::new(
        StatusCode::BAD_GATEWAY,
        "connect_exception",
        format!("[{host}] cannot be read: {why}"),
    )
}
