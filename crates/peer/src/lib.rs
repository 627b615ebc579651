//! A database that speaks the CouchDB protocol, as replication reads and writes it
//! (`src/docs/src/replication/protocol.rst`).
//!
//! A [`CouchPeer`] is the `Peer` of the crate `replicate` for every store with that protocol: a CouchDB, a PouchDB, another
//! Larder, or this one. A [`Transport`] takes its requests there: over HTTP, or to whatever answers them within the process
//! ([`Local`]), so that a local database is read and written by the same rules as any other. What a client asks of a replication
//! is read into a [`request::Request`], which names both sides.
//!
//! Left to others: whom an address belongs to and who may ask it, which is settled before a transport is made.

mod ask;
mod changes;
mod plain;
mod pull;
mod push;
mod read;
pub mod related;
pub mod request;
mod transport;
mod write;

pub use ask::{Answer, Ask};
pub use transport::{Address, Local, Route, Transport};

use bytes::Bytes;
use http::{Method, StatusCode, percent_encode};
use replicate::{
    Changes, ChangesQuery, Document, Missing, Peer, PeerError, PeerErrorKind, ReadCounts, Refusal, Revisions,
    StreamedDocument,
};
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::mpsc;

/// The bytes of an answer about one document that is read whole.
const DOCUMENT_BYTES_MAX: usize = 128 * 1024 * 1024;

type Result<T, E = PeerError> = std::result::Result<T, E>;

/// One side of a replication.
#[derive(Debug)]
pub struct CouchPeer {
    transport: Transport,
    /// Whether the peer reads many documents at once; false once it was found that it does not.
    has_bulk_get: AtomicBool,
    /// Whether the peer sends attachments in parts of their own; false once it was found that it does not.
    has_multipart: AtomicBool,
}

impl CouchPeer {
    /// The database at the end of a transport. With `use_bulk_get`, many documents are read at once until it is found that the
    /// server cannot.
    pub fn new(transport: Transport, use_bulk_get: bool) -> CouchPeer {
        CouchPeer {
            transport,
            has_bulk_get: AtomicBool::new(use_bulk_get),
            has_multipart: AtomicBool::new(true),
        }
    }

    /// Sends a request; an answer with another status than a good one is an error.
    async fn ask<T: serde::de::DeserializeOwned>(&self, ask: &Ask) -> Result<T> {
        let (status, body) = self.transport.whole(ask).await?;
        if !status.is_success() {
            return Err(self.transport.answered(ask, status, &body));
        }
        self.parse(ask, &body)
    }

    fn parse<T: serde::de::DeserializeOwned>(&self, ask: &Ask, body: &[u8]) -> Result<T> {
        serde_json::from_slice(body).map_err(|error| self.not_the_protocol(ask, &error.to_string()))
    }

    fn not_the_protocol(&self, ask: &Ask, what: &str) -> PeerError {
        let asked = self.transport.asked(ask);
        PeerError::new(
            PeerErrorKind::Answer,
            format!("{asked}: the answer is not the protocol: {what}"),
        )
    }

    fn is_bulk_get_used(&self) -> bool {
        self.has_bulk_get.load(Ordering::Relaxed)
    }

    fn give_up_bulk_get(&self) {
        self.has_bulk_get.store(false, Ordering::Relaxed);
    }

    fn is_multipart_used(&self) -> bool {
        self.has_multipart.load(Ordering::Relaxed)
    }

    fn give_up_multipart(&self) {
        self.has_multipart.store(false, Ordering::Relaxed);
    }
}

/// What a database says of itself.
#[derive(serde::Deserialize)]
struct Mark {
    /// A text, or a number in old versions.
    #[serde(default)]
    instance_start_time: Value,
}

impl Mark {
    fn text(self) -> String {
        match self.instance_start_time {
            Value::String(text) => text,
            Value::Null => "0".to_owned(),
            other => other.to_string(),
        }
    }
}

impl Peer for CouchPeer {
    fn name(&self) -> String {
        self.transport.name().to_owned()
    }

    async fn open(&self) -> Result<String> {
        let mark: Mark = self.ask(&Ask::new(Method::GET, "")).await?;
        Ok(mark.text())
    }

    async fn create(&self, parameters: &Map<String, Value>) -> Result<()> {
        let mut path = String::new();
        for (name, value) in parameters {
            path.push(if path.is_empty() { '?' } else { '&' });
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            path.push_str(&format!("{}={}", percent_encode(name), percent_encode(&text)));
        }
        let ask = Ask::new(Method::PUT, path);
        let (status, body) = self.transport.whole(&ask).await?;
        // Somebody else may have made it meanwhile.
        match status.is_success() || status == StatusCode::PRECONDITION_FAILED {
            true => Ok(()),
            false => Err(self.transport.answered(&ask, status, &body)),
        }
    }

    async fn local(&self, name: &str) -> Result<Option<Map<String, Value>>> {
        let ask = Ask::new(Method::GET, format!("/_local/{}", percent_encode(name)));
        let (status, body) = self.transport.whole(&ask).await?;
        match status {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => self.parse(&ask, &body).map(Some),
            status => Err(self.transport.answered(&ask, status, &body)),
        }
    }

    async fn put_local(&self, name: &str, document: &Map<String, Value>) -> Result<String> {
        #[derive(serde::Deserialize)]
        struct Put {
            rev: String,
        }
        let body = Value::Object(document.clone()).to_string();
        let path = format!("/_local/{}", percent_encode(name));
        let put: Put = self.ask(&Ask::json(Method::PUT, path, body)).await?;
        Ok(put.rev)
    }

    async fn changes(&self, query: &ChangesQuery<'_>) -> Result<Changes> {
        self.read_changes(query).await
    }

    async fn missing(&self, revisions: &[Revisions]) -> Result<Vec<Missing>> {
        self.find_missing(revisions).await
    }

    async fn read(&self, missing: &[Missing], documents: mpsc::Sender<Document>) -> Result<ReadCounts> {
        self.read_documents(missing, &documents).await
    }

    async fn write(&self, documents: &[Bytes]) -> Result<Vec<Refusal>> {
        self.write_documents(documents).await
    }

    async fn write_streamed(&self, document: StreamedDocument) -> Result<Option<Refusal>> {
        let document = match self.transport.takes_gzip() {
            true => document,
            false => plain::decoded(document)?,
        };
        self.push(document).await
    }

    async fn flush(&self) -> Result<String> {
        let mark: Mark = self
            .ask(&Ask::json(Method::POST, "/_ensure_full_commit", ""))
            .await?;
        Ok(mark.text())
    }
}
