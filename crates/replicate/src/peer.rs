//! What replication needs of a store.

use crate::document::{Document, StreamedDocument};
use crate::error::PeerError;
use crate::options::Filter;
use bytes::Bytes;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::sync::mpsc;

type Result<T> = std::result::Result<T, PeerError>;

/// A store that documents are read from or written to.
///
/// Sequences are whatever the store says they are, a number, a text or an array: they are handed back as they came.
pub trait Peer: Send + Sync + 'static {
    /// Its name for people, credentials stripped.
    fn name(&self) -> String;

    /// Checks that the database exists. Returns a mark that changes when the database is deleted and made again;
    /// `"0"` if the store has none.
    fn open(&self) -> impl Future<Output = Result<String>> + Send;

    /// Makes the database.
    fn create(&self, parameters: &Map<String, Value>) -> impl Future<Output = Result<()>> + Send;

    /// The local document of this name; `None` if there is none.
    fn local(&self, name: &str) -> impl Future<Output = Result<Option<Map<String, Value>>>> + Send;

    /// Writes a local document, which names the revision that it replaces. Returns its new revision.
    fn put_local(
        &self,
        name: &str,
        document: &Map<String, Value>,
    ) -> impl Future<Output = Result<String>> + Send;

    /// A page of changes.
    fn changes(&self, query: &ChangesQuery<'_>) -> impl Future<Output = Result<Changes>> + Send;

    /// Which of these revisions are missing.
    fn missing(&self, revisions: &[Revisions]) -> impl Future<Output = Result<Vec<Missing>>> + Send;

    /// Reads these revisions, or the leaves that follow them, with their ancestry and attachments, and sends them one
    /// by one. Ends early if the receiver is dropped.
    fn read(
        &self,
        missing: &[Missing],
        documents: mpsc::Sender<Document>,
    ) -> impl Future<Output = Result<ReadCounts>> + Send;

    /// Writes revisions as they are. Returns those that were refused. A store that may lose them in a restart must
    /// return another mark from then on, so that no checkpoint counts them as written.
    fn write(&self, documents: &[Bytes]) -> impl Future<Output = Result<Vec<Refusal>>> + Send;

    /// Writes one revision as it is with the attachments that follow it. Returns the refusal if it was refused.
    fn write_streamed(
        &self,
        document: StreamedDocument,
    ) -> impl Future<Output = Result<Option<Refusal>>> + Send;

    /// Makes everything written so far durable. Returns the mark of the database as [`Peer::open`] does.
    fn flush(&self) -> impl Future<Output = Result<String>> + Send;
}

/// Which changes are wanted.
#[derive(Clone, Debug)]
pub struct ChangesQuery<'q> {
    /// Those after this sequence.
    pub since: &'q Value,
    /// The most changes to return.
    pub limit: usize,
    /// How long to wait if there are none yet; `None` to return at once.
    pub wait: Option<Duration>,
    /// Those that pass.
    pub filter: &'q Filter,
    /// The winner alone, not all leaves.
    pub winners_only: bool,
}

/// A page of changes.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// The changes in their order.
    pub rows: Vec<Row>,
    /// How many more there were in the page, of what cannot be replicated.
    pub skipped: usize,
    /// How far the page reaches.
    pub last_sequence: Value,
    /// The number of changes after it; `None` if the store does not say.
    pub pending: Option<u64>,
}

/// A changed document.
#[derive(Clone, Debug)]
pub struct Row {
    /// The number of the change.
    pub sequence: Value,
    /// The document.
    pub id: String,
    /// Its leaves.
    pub revisions: Vec<String>,
}

/// Revisions of one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revisions {
    /// The document.
    pub id: String,
    /// Leaves of its tree, as `N-hash`.
    pub revisions: Vec<String>,
}

/// Revisions of one document that a store lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The document.
    pub id: String,
    /// Leaves of its tree, as `N-hash`.
    pub revisions: Vec<String>,
    /// Revisions that the store has and that may be their ancestors: attachments that these hold need not travel.
    pub possible_ancestors: Vec<String>,
}

/// How documents were read.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadCounts {
    /// Documents that were requested several at a time.
    pub bulk_attempts: u64,
    /// Documents that were returned so.
    pub bulk_read: u64,
}

/// A document that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The document.
    pub id: String,
    /// Its revision, where the store says it.
    pub revision: String,
    /// The short word for why.
    pub error: String,
    /// Why.
    pub reason: String,
}
