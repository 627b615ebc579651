//! A store in memory that can fail and crash; in a crash it loses what was not flushed.

use bytes::Bytes;
use parking_lot::Mutex;
use replicate::{
    Changes, ChangesQuery, Document, FollowingAttachment, Missing, Peer, PeerError, PeerErrorKind,
    ReadCounts, Refusal, Revisions, Row, StreamedDocument,
};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::mpsc;

type Result<T> = std::result::Result<T, PeerError>;

/// The documents, of each its revisions with the ancestry of each leaf.
#[derive(Clone, Debug, Default)]
struct Kept {
    /// Of each document the branches: revisions from the newest to the oldest.
    documents: BTreeMap<String, Vec<Vec<String>>>,
    /// The last change of each document.
    sequences: BTreeMap<String, u64>,
    head: u64,
    locals: BTreeMap<String, Map<String, Value>>,
}

#[derive(Debug, Default)]
struct State {
    now: Kept,
    flushed: Kept,
    exists: bool,
    /// The requests that still work; none where all do.
    works: Option<usize>,
    /// Makes the hashes of edits differ.
    edits: u64,
}

/// A store in memory.
#[derive(Debug)]
pub struct Store {
    name: String,
    state: Mutex<State>,
}

impl Store {
    /// An empty store.
    pub fn new(name: &str) -> Store {
        let store = Store::absent(name);
        store.state.lock().exists = true;
        store
    }

    /// A store that is not there yet.
    pub fn absent(name: &str) -> Store {
        Store {
            name: name.to_owned(),
            state: Mutex::default(),
        }
    }

    /// Writes a document after its winner, durably, as a client does.
    pub fn edit(&self, id: &str, deleted: bool) {
        let mut state = self.state.lock();
        let hash = next_hash(&mut state, &self.name, deleted);
        let branches = state.now.documents.entry(id.to_owned()).or_default();
        branches.sort();
        let mut branch = branches.pop().unwrap_or_default();
        branch.insert(0, format!("{}-{hash}", branch.len() + 1));
        branches.push(branch);
        state.now.touch(id);
        state.flushed = state.now.clone();
    }

    /// Writes another first revision of a document.
    pub fn conflict(&self, id: &str) {
        let mut state = self.state.lock();
        let hash = next_hash(&mut state, &self.name, false);
        let branches = state.now.documents.entry(id.to_owned()).or_default();
        branches.push(vec![format!("1-{hash}")]);
        state.now.touch(id);
        state.flushed = state.now.clone();
    }

    /// From now on so many requests work.
    pub fn fail_after(&self, requests: usize) {
        self.state.lock().works = Some(requests);
    }

    /// Works again.
    pub fn recover(&self) {
        self.state.lock().works = None;
    }

    /// Loses what was not flushed.
    pub fn crash(&self) {
        let mut state = self.state.lock();
        state.now = state.flushed.clone();
        state.works = None;
    }

    /// The leaves of all documents.
    pub fn leaves(&self) -> BTreeMap<String, BTreeSet<String>> {
        let state = self.state.lock();
        let leaves = |branches: &Vec<Vec<String>>| branches.iter().map(|branch| branch[0].clone()).collect();
        state
            .now
            .documents
            .iter()
            .map(|(id, branches)| (id.clone(), leaves(branches)))
            .collect()
    }

    fn ask<T>(&self, answer: impl FnOnce(&mut State) -> T) -> Result<T> {
        let mut state = self.state.lock();
        match &mut state.works {
            Some(0) => return Err(PeerError::new(PeerErrorKind::Unreachable, "the store is away")),
            Some(left) => *left -= 1,
            None => {}
        }
        Ok(answer(&mut state))
    }
}

fn next_hash(state: &mut State, name: &str, deleted: bool) -> String {
    state.edits += 1;
    let kind = if deleted { "deleted" } else { "edit" };
    format!("{name}{kind}{}", state.edits)
}

impl Kept {
    fn touch(&mut self, id: &str) {
        self.head += 1;
        self.sequences.insert(id.to_owned(), self.head);
    }

    /// Puts a branch in, as a replicated revision is.
    fn merge(&mut self, id: &str, branch: Vec<String>) {
        let branches = self.documents.entry(id.to_owned()).or_default();
        if branches.iter().any(|present| present.contains(&branch[0])) {
            return;
        }
        branches.retain(|present| !branch.contains(&present[0]));
        branches.push(branch);
        self.touch(id);
    }
}

impl Peer for Store {
    fn name(&self) -> String {
        self.name.clone()
    }

    async fn open(&self) -> Result<String> {
        let exists = self.ask(|state| state.exists)?;
        match exists {
            true => Ok("0".to_owned()),
            false => Err(PeerError::new(PeerErrorKind::NoDatabase, "no database")),
        }
    }

    async fn create(&self, _: &Map<String, Value>) -> Result<()> {
        self.ask(|state| state.exists = true)
    }

    async fn local(&self, name: &str) -> Result<Option<Map<String, Value>>> {
        self.ask(|state| state.now.locals.get(name).cloned())
    }

    async fn put_local(&self, name: &str, document: &Map<String, Value>) -> Result<String> {
        self.ask(|state| {
            let mut kept = document.clone();
            kept.insert("_rev".to_owned(), Value::from("0-1"));
            // Durable at once, and nothing before it: the worst that can happen to a checkpoint.
            state.flushed.locals.insert(name.to_owned(), kept.clone());
            state.now.locals.insert(name.to_owned(), kept);
            "0-1".to_owned()
        })
    }

    async fn changes(&self, query: &ChangesQuery<'_>) -> Result<Changes> {
        let since = query.since.as_u64().unwrap_or(0);
        self.ask(|state| {
            let mut changed: Vec<(u64, &String)> = state
                .now
                .sequences
                .iter()
                .map(|(id, number)| (*number, id))
                .collect();
            changed.retain(|(number, _)| *number > since);
            changed.sort();
            changed.truncate(query.limit);
            let row = |(number, id): &(u64, &String)| Row {
                sequence: Value::from(*number),
                id: (*id).clone(),
                revisions: state.now.documents[*id]
                    .iter()
                    .map(|branch| branch[0].clone())
                    .collect(),
            };
            let last = changed.last().map_or(since, |(number, _)| *number);
            let named = changed.iter().filter(|(_, id)| !id.is_empty());
            let rows: Vec<Row> = named.map(row).collect();
            Changes {
                skipped: changed.len() - rows.len(),
                rows,
                last_sequence: Value::from(last),
                pending: None,
            }
        })
    }

    async fn missing(&self, revisions: &[Revisions]) -> Result<Vec<Missing>> {
        self.ask(|state| {
            let lacking = |one: &Revisions| {
                let present = state.now.documents.get(&one.id).cloned().unwrap_or_default();
                let known: BTreeSet<&String> = present.iter().flatten().collect();
                let missing = one.revisions.iter().filter(|revision| !known.contains(revision));
                Missing::new(one.id.clone(), missing.cloned().collect())
            };
            let all = revisions.iter().map(lacking);
            all.filter(|missing| !missing.revisions.is_empty()).collect()
        })
    }

    async fn read(&self, missing: &[Missing], documents: mpsc::Sender<Document>) -> Result<ReadCounts> {
        for one in missing {
            let found: Vec<Value> = self.ask(|state| {
                let branches = state.now.documents[&one.id].iter();
                let wanted =
                    branches.filter(|branch| one.revisions.iter().any(|wanted| branch.contains(wanted)));
                wanted
                    .map(|branch| json!({"_id": one.id, "branch": branch}))
                    .collect()
            })?;
            for document in found {
                let json = Bytes::from(document.to_string());
                let is_sent = match one.id.len() % 2 {
                    0 => send_streamed(&one.id, json, &documents).await,
                    _ => documents.send(Document::Whole(json)).await.is_ok(),
                };
                if !is_sent {
                    return Ok(ReadCounts::default());
                }
            }
        }
        Ok(ReadCounts::default())
    }

    async fn write(&self, documents: &[Bytes]) -> Result<Vec<Refusal>> {
        if documents
            .iter()
            .any(|json| json.starts_with(br#"{"_id":"_invalid"#))
        {
            return Err(PeerError::new(PeerErrorKind::Invalid, "one of them is invalid"));
        }
        self.ask(|state| {
            let mut refusals = Vec::new();
            for json in documents {
                let document: Value = serde_json::from_slice(json).expect("a document");
                let id = document["_id"].as_str().expect("an id");
                let branch: Vec<String> =
                    serde_json::from_value(document["branch"].clone()).expect("a branch");
                if id == "refused" {
                    refusals.push(Refusal {
                        id: id.to_owned(),
                        revision: branch[0].clone(),
                        error: "forbidden".to_owned(),
                        reason: "no".to_owned(),
                    });
                    continue;
                }
                state.now.merge(id, branch);
            }
            refusals
        })
    }

    async fn write_streamed(&self, mut document: StreamedDocument) -> Result<Option<Refusal>> {
        let wanted: u64 = document.attachments.iter().map(|one| one.length).sum();
        let mut received = 0;
        while let Some(piece) = document.pieces.recv().await {
            received += piece.len() as u64;
        }
        assert_eq!(received, wanted);
        let refusals = self.write(&[document.json]).await?;
        Ok(refusals.into_iter().next())
    }

    async fn flush(&self) -> Result<String> {
        self.ask(|state| {
            state.flushed = state.now.clone();
            "0".to_owned()
        })
    }
}

/// Sends a document with two attachments in pieces; false where nobody takes it.
async fn send_streamed(id: &str, json: Bytes, documents: &mpsc::Sender<Document>) -> bool {
    let (sender, pieces) = mpsc::channel(1);
    let attachment = |length: u64| FollowingAttachment {
        name: length.to_string(),
        content_type: "text/plain".to_owned(),
        length,
        is_encoded: false,
    };
    let document = StreamedDocument {
        id: id.to_owned(),
        revision: String::new(),
        json,
        attachments: vec![attachment(2), attachment(1)],
        pieces,
    };
    if documents.send(Document::Streamed(document)).await.is_err() {
        return false;
    }
    for piece in ["a", "b", "c"] {
        // Whoever refuses the document does not want the rest.
        let _ = sender.send(Bytes::from(piece)).await;
    }
    true
}
