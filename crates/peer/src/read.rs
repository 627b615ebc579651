//! Reading revisions with their ancestry: many documents at once where the peer does that, else one by one.

use crate::ask::{Ask, document_path};
use crate::{CouchPeer, Result};
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header, percent_encode};
use replicate::{Document, Missing, ReadCounts};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::sync::mpsc;

/// The documents that are asked for at once (their bodies are in memory together).
const BULK_DOCUMENTS_MAX: usize = 100;
/// The bytes of an address, beyond which revisions are asked for in several requests (CouchDB's `max_url_len`).
const REVISIONS_BYTES_MAX: usize = 6_000;

#[derive(serde::Deserialize)]
struct Bulk {
    results: Vec<BulkResult>,
}

#[derive(serde::Deserialize)]
struct BulkResult {
    id: String,
    docs: Vec<Found>,
}

/// One revision: `{"ok": …}`, `{"error": …}` or `{"missing": …}`.
#[derive(serde::Deserialize)]
struct Found {
    ok: Option<Box<RawValue>>,
}

/// What is looked at in a document on its way.
#[derive(serde::Deserialize)]
struct Glance {
    #[serde(rename = "_attachments")]
    attachments: Option<Value>,
}

impl CouchPeer {
    pub(super) async fn read_documents(
        &self,
        missing: &[Missing],
        documents: &mpsc::Sender<Document>,
    ) -> Result<ReadCounts> {
        let mut counts = ReadCounts::default();
        for some in missing.chunks(BULK_DOCUMENTS_MAX) {
            if !self.is_bulk_get_used() {
                for one in some {
                    self.read_one(one, documents).await?;
                }
                continue;
            }
            let attempts = some.iter().map(|one| one.revisions.len() as u64).sum::<u64>();
            counts.bulk_attempts += attempts;
            match self.read_bulk(some).await? {
                Some(found) => {
                    for (one, found) in some.iter().zip(found) {
                        counts.bulk_read += self.send_found(one, found, documents).await?;
                    }
                }
                None => {
                    self.give_up_bulk_get();
                    for one in some {
                        self.read_one(one, documents).await?;
                    }
                }
            }
        }
        Ok(counts)
    }

    /// Asks for many documents; `None` if the peer does not do that. Attachments come as stubs.
    async fn read_bulk(&self, missing: &[Missing]) -> Result<Option<Vec<Vec<Found>>>> {
        let one = |one: &Missing, revision: &String| json!({"id": one.id, "rev": revision});
        let asked: Vec<Value> = missing
            .iter()
            .flat_map(|each| each.revisions.iter().map(move |revision| one(each, revision)))
            .collect();
        let body = json!({"docs": asked}).to_string();
        let path = "/_bulk_get?revs=true&latest=true&attachments=false";
        let ask = Ask::json(Method::POST, path, body);
        let (status, answer) = self.transport.whole(&ask).await?;
        match status {
            status if status.is_success() => {}
            StatusCode::NOT_FOUND
            | StatusCode::METHOD_NOT_ALLOWED
            | StatusCode::BAD_REQUEST
            | StatusCode::NOT_IMPLEMENTED
            | StatusCode::UNSUPPORTED_MEDIA_TYPE => return Ok(None),
            status => return Err(self.transport.answered(&ask, status, &answer)),
        }
        let bulk: Bulk = self.parse(&ask, &answer)?;
        // Some peers give one result for each revision, others one for each document.
        let mut by_id: HashMap<String, Vec<Found>> = HashMap::with_capacity(missing.len());
        for result in bulk.results {
            by_id.entry(result.id).or_default().extend(result.docs);
        }
        let found = |one: &Missing| by_id.remove(&one.id).unwrap_or_default();
        Ok(Some(missing.iter().map(found).collect()))
    }

    /// Sends on what was found of one document; one with attachments, or not found in whole, is read by itself. How many
    /// were sent.
    async fn send_found(
        &self,
        missing: &Missing,
        found: Vec<Found>,
        documents: &mpsc::Sender<Document>,
    ) -> Result<u64> {
        let bodies: Vec<Box<RawValue>> = found.into_iter().filter_map(|found| found.ok).collect();
        let is_whole = bodies.len() >= missing.revisions.len();
        if !is_whole || bodies.iter().any(|body| has_attachments(body)) {
            self.read_one(missing, documents).await?;
            return Ok(0);
        }
        // The same leaf may have been found for several of its ancestors.
        let mut sent: Vec<Box<RawValue>> = Vec::with_capacity(bodies.len());
        for body in bodies {
            if sent.iter().any(|before| before.get() == body.get()) {
                continue;
            }
            let whole = Bytes::copy_from_slice(body.get().as_bytes());
            if documents.send(Document::Whole(whole)).await.is_err() {
                break;
            }
            sent.push(body);
        }
        Ok(sent.len() as u64)
    }

    /// Reads the revisions of one document, with their attachments in parts of their own where the peer does that.
    async fn read_one(&self, missing: &Missing, documents: &mpsc::Sender<Document>) -> Result<()> {
        for revisions in chunks(&missing.revisions) {
            let path = format!(
                "{}?revs=true&open_revs={}&latest=true{}",
                document_path(&missing.id),
                percent_encode(&json!(revisions).to_string()),
                since(missing),
            );
            if !self.is_multipart_used() || !self.pull(path.clone(), documents).await? {
                self.read_inline(path, documents).await?;
            }
        }
        Ok(())
    }

    /// Reads revisions with their attachments inline, of a peer that has no other way.
    async fn read_inline(&self, path: String, documents: &mpsc::Sender<Document>) -> Result<()> {
        let ask = Ask::new(Method::GET, format!("{path}&attachments=true"))
            .with(header::ACCEPT, HeaderValue::from_static("application/json"));
        let (status, answer) = self.transport.whole(&ask).await?;
        if status == StatusCode::NOT_FOUND {
            // The document was purged meanwhile.
            return Ok(());
        }
        if !status.is_success() {
            return Err(self.transport.answered(&ask, status, &answer));
        }
        let found: Vec<Found> = self.parse(&ask, &answer)?;
        for body in found.into_iter().filter_map(|found| found.ok) {
            let whole = Bytes::copy_from_slice(body.get().as_bytes());
            if documents.send(Document::Whole(whole)).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn has_attachments(body: &RawValue) -> bool {
    let glance = serde_json::from_str::<Glance>(body.get());
    glance.is_ok_and(|glance| {
        glance
            .attachments
            .is_some_and(|attachments| attachments.as_object().is_some_and(|all| !all.is_empty()))
    })
}

/// The revisions whose attachments the target has, as a parameter.
fn since(missing: &Missing) -> String {
    let mut length = 0;
    let known: Vec<&String> = missing
        .possible_ancestors
        .iter()
        .take_while(|revision| {
            length += revision.len() + 9;
            length < REVISIONS_BYTES_MAX
        })
        .collect();
    match known.is_empty() {
        true => String::new(),
        false => format!("&atts_since={}", percent_encode(&json!(known).to_string())),
    }
}

/// The revisions in parts that an address can hold.
fn chunks(revisions: &[String]) -> Vec<&[String]> {
    // Each comes with quotes and a comma, which are encoded.
    let longest = revisions
        .iter()
        .map(|revision| revision.len() + 9)
        .max()
        .unwrap_or(1);
    revisions.chunks((REVISIONS_BYTES_MAX / longest).max(1)).collect()
}
