//! One request to the server.

use super::outcome::Outcome;
use super::{elastic, larder};
use crate::config::{Protocol, Server};
use crate::counters::AgentCounters;
use crate::spool::Record;
use anyhow::{Context, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use http::{Body, Client, ClientRequest, HeaderMap, HeaderValue, Method, Reach, StatusCode, Trust, Uri};
use std::io;
use std::time::Duration;

/// Bytes of an answer: some hundred for each record.
const ANSWER_BYTES_MAX: usize = 8 << 20;

/// Makes requests.
#[derive(Debug)]
pub struct Requester {
    client: Client,
    server: Server,
    device: String,
    authorization: Option<HeaderValue>,
}

impl Requester {
    /// Requests to a server.
    pub fn new(server: &Server, device: &str) -> Result<Requester> {
        let trust = match &server.ca_file {
            Some(path) => Trust::of_file(path)?,
            None if server.url.starts_with("https:") => Trust::System,
            // The system's certificates are some megabytes in memory.
            None => Trust::Nobody,
        };
        Ok(Requester {
            client: Client::trusting(Reach::Anywhere, trust),
            authorization: authorization(server)?,
            server: server.clone(),
            device: device.to_owned(),
        })
    }

    /// The longest pause between two tries.
    pub fn retry_max(&self) -> Duration {
        self.server.retry_max.0
    }

    /// The id of a record: of one width, so that ids sort as they were given.
    pub fn id_of(&self, record: &Record) -> String {
        format!("{}-{:012x}-{:012}", self.device, record.epoch, record.number)
    }

    /// Sends records to one target.
    pub async fn send(&self, target: &str, records: &[Record], counters: &AgentCounters) -> Outcome {
        let ids: Vec<String> = records.iter().map(|record| self.id_of(record)).collect();
        let (path, media_type) = match self.server.protocol {
            Protocol::Larder => (larder::path(target), larder::MEDIA_TYPE),
            Protocol::Elasticsearch => (elastic::PATH.to_owned(), elastic::MEDIA_TYPE),
        };
        let body = match self.packed_body(target, &ids, records) {
            Ok(body) => body,
            Err(error) => return Outcome::Later(format!("cannot pack a request: {error}"), None),
        };
        let asked = self.ask(&path, media_type, body, counters);
        let (status, headers, body) = match tokio::time::timeout(self.server.timeout.0, asked).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Outcome::Later(format!("{}: {error:#}", self.server.url), None),
            Err(_) => return Outcome::Later(format!("{}: no answer in time", self.server.url), None),
        };
        if let Some(later) = later(status, &headers, &body) {
            return later;
        }
        match self.server.protocol {
            Protocol::Larder => larder::outcome(status, &body, records.len()),
            Protocol::Elasticsearch => elastic::outcome(status, &body, records.len()),
        }
    }

    /// The body of a request. It is packed as it is made, since as text it would take several times the records' memory.
    fn packed_body(&self, target: &str, ids: &[String], records: &[Record]) -> io::Result<Vec<u8>> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        match self.server.protocol {
            Protocol::Larder => larder::write_body(target, ids, records, &mut packed)?,
            Protocol::Elasticsearch => elastic::write_body(target, ids, records, &mut packed)?,
        }
        packed.finish()
    }

    async fn ask(
        &self,
        path: &str,
        media_type: &'static str,
        body: Vec<u8>,
        counters: &AgentCounters,
    ) -> Result<(StatusCode, HeaderMap, bytes::Bytes)> {
        let uri: Uri = format!("{}{path}", self.server.url.trim_end_matches('/')).parse()?;
        counters.sent_bytes.add(body.len() as u64);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        let request = ClientRequest {
            method: Method::POST,
            uri,
            headers,
            body: Body::from(body),
        };
        let mut answer = self.client.send(request, self.server.timeout.0).await?;
        let body = answer.body.read_all(ANSWER_BYTES_MAX).await?;
        Ok((answer.status, answer.headers, body))
    }
}

fn authorization(server: &Server) -> Result<Option<HeaderValue>> {
    let (Some(user), Some(file)) = (&server.user, &server.password_file) else {
        return Ok(None);
    };
    let password = std::fs::read_to_string(file)
        .with_context(|| format!("cannot read the password in {}", file.display()))?;
    let login = format!("{user}:{}", password.trim_end_matches(['\r', '\n']));
    let mut value = HeaderValue::from_str(&format!("Basic {}", BASE64_STANDARD.encode(login)))?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// Answers that say nothing about the records, whatever the protocol.
fn later(status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Option<Outcome> {
    let wait = headers
        .get(RETRY_AFTER)
        .and_then(|wait| wait.to_str().ok()?.parse().ok());
    let about_records = [
        StatusCode::OK,
        StatusCode::BAD_REQUEST,
        StatusCode::PAYLOAD_TOO_LARGE,
    ];
    if about_records.contains(&status) {
        return None;
    }
    let said: String = String::from_utf8_lossy(body).chars().take(300).collect();
    let reason = format!("the server answers {status}: {}", said.trim());
    Some(Outcome::Later(reason, wait.map(Duration::from_secs)))
}
