//! One batch of changes: what the target lacks of it is read from the source and written.

use crate::PeerErrorKind;
use crate::backoff::Backoff;
use crate::document::{Document, StreamedDocument};
use crate::error::PeerError;
use crate::peer::{Missing, Peer, Refusal, Revisions, Row};
use crate::progress::Progress;
use crate::statistics::Statistics;
use bytes::Bytes;
use std::collections::BTreeMap;
use tokio::sync::mpsc;

/// The bytes of documents that are gathered before they are written (CouchDB's `DOC_BUFFER_BYTE_SIZE` is 512 kB; a
/// flush costs the same for more).
const WRITE_BYTES: usize = 1024 * 1024;
/// The documents that wait between reading and writing.
const DOCUMENTS_WAITING_MAX: usize = 16;
/// How often what is missing is asked for again, where a document with attachments broke off on its way (CouchDB's
/// `retries_per_request`).
const RETRIES: u32 = 5;

/// Copies what the target lacks of these changes.
pub(crate) async fn copy<S: Peer, T: Peer>(
    source: &S,
    target: &T,
    rows: Vec<Row>,
    progress: &Progress,
) -> Result<(), PeerError> {
    let revisions = revisions(rows);
    let checked = number_of(&revisions, |one| &one.revisions);
    let mut missing = target.missing(&revisions).await?;
    let found = number_of(&missing, |one| &one.revisions);
    count(progress, |counts| {
        counts.missing_checked += checked;
        counts.missing_found += found;
    });
    let mut backoff = Backoff::of_requests();
    let mut is_whole = false;
    while let Err(error) = copy_missing(source, target, &missing, progress).await {
        match error.kind {
            PeerErrorKind::Interrupted if backoff.failures() < RETRIES => {
                tracing::debug!(%error, "documents with attachments are asked for again");
                tokio::time::sleep(backoff.fail()).await;
            }
            // An attachment was left out because the target has a possible ancestor of the revision, but the target
            // lacks it. From now on none is left out.
            PeerErrorKind::AttachmentMissing if !is_whole => is_whole = true,
            _ => return Err(error),
        }
        // A part may have been written before the failure, so the target is asked again.
        missing = target.missing(&revisions).await?;
        for one in missing.iter_mut().filter(|_| is_whole) {
            one.possible_ancestors.clear();
        }
    }
    Ok(())
}

fn number_of<T>(all: &[T], revisions: impl Fn(&T) -> &Vec<String>) -> u64 {
    all.iter().map(|one| revisions(one).len() as u64).sum()
}

/// Copies these revisions.
async fn copy_missing<S: Peer, T: Peer>(
    source: &S,
    target: &T,
    missing: &[Missing],
    progress: &Progress,
) -> Result<(), PeerError> {
    if missing.is_empty() {
        return Ok(());
    }
    let (sender, documents) = mpsc::channel(DOCUMENTS_WAITING_MAX);
    let (read, ()) = tokio::try_join!(
        source.read(missing, sender),
        write_all(target, documents, progress)
    )?;
    count(progress, |counts| {
        counts.bulk_get_attempts += read.bulk_attempts;
        counts.bulk_get_docs += read.bulk_read;
    });
    Ok(())
}

/// The revisions to ask about; a document that changed twice is asked about once.
fn revisions(rows: Vec<Row>) -> Vec<Revisions> {
    let mut by_id: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows {
        let known = by_id.entry(row.id).or_default();
        for revision in row.revisions {
            if !known.contains(&revision) {
                known.push(revision);
            }
        }
    }
    let revisions = |(id, revisions)| Revisions { id, revisions };
    by_id.into_iter().map(revisions).collect()
}

fn count(progress: &Progress, change: impl FnOnce(&mut Statistics)) {
    progress.update(|snapshot| change(&mut snapshot.statistics));
}

/// Writes documents as they arrive, small ones together in requests of about [`WRITE_BYTES`].
async fn write_all<T: Peer>(
    target: &T,
    mut documents: mpsc::Receiver<Document>,
    progress: &Progress,
) -> Result<(), PeerError> {
    let mut gathered: Vec<Bytes> = Vec::new();
    let mut gathered_bytes = 0;
    while let Some(document) = documents.recv().await {
        count(progress, |counts| counts.docs_read += 1);
        match document {
            Document::Whole(json) => {
                gathered_bytes += json.len();
                gathered.push(json);
            }
            Document::Streamed(document) => write_streamed(target, document, progress).await?,
        }
        if gathered_bytes >= WRITE_BYTES {
            write(target, std::mem::take(&mut gathered), progress).await?;
            gathered_bytes = 0;
        }
    }
    write(target, gathered, progress).await
}

/// Writes a document while its attachments come.
async fn write_streamed<T: Peer>(
    target: &T,
    document: StreamedDocument,
    progress: &Progress,
) -> Result<(), PeerError> {
    let refused = target.write_streamed(document).await?;
    report(target, 1, refused.into_iter().collect(), progress);
    Ok(())
}

/// Writes documents; a target that takes none of them together gets half of them at a time, so that what it refuses is
/// only what it would refuse alone.
async fn write<T: Peer>(target: &T, documents: Vec<Bytes>, progress: &Progress) -> Result<(), PeerError> {
    let mut pending = vec![documents];
    while let Some(documents) = pending.pop() {
        if documents.is_empty() {
            continue;
        }
        match target.write(&documents).await {
            Ok(refusals) => report(target, documents.len(), refusals, progress),
            Err(error) => match refused_with(error.kind) {
                Some(_) if documents.len() > 1 => {
                    // The first half goes on top of the stack, so the documents keep their order.
                    let (first, second) = documents.split_at(documents.len() / 2);
                    pending.push(second.to_vec());
                    pending.push(first.to_vec());
                }
                Some(word) => {
                    let refusals = documents.iter().map(|json| refused(json, word, &error));
                    report(target, documents.len(), refusals.collect(), progress);
                }
                None => return Err(error),
            },
        }
    }
    Ok(())
}

/// The short word for why documents were refused, where the failure is about them and not about the target.
fn refused_with(kind: PeerErrorKind) -> Option<&'static str> {
    match kind {
        PeerErrorKind::TooLarge => Some("request_entity_too_large"),
        PeerErrorKind::Invalid => Some("doc_validation"),
        _ => None,
    }
}

/// A document that is not taken alone either.
fn refused(json: &[u8], word: &str, error: &PeerError) -> Refusal {
    #[derive(serde::Deserialize)]
    struct Named {
        #[serde(rename = "_id", default)]
        id: String,
        #[serde(rename = "_rev", default)]
        revision: String,
    }
    let named = serde_json::from_slice::<Named>(json).ok();
    let (id, revision) = named.map_or_else(Default::default, |named| (named.id, named.revision));
    Refusal {
        id,
        revision,
        error: word.to_owned(),
        reason: error.message.clone(),
    }
}

fn report<T: Peer>(target: &T, sent: usize, refusals: Vec<Refusal>, progress: &Progress) {
    for refusal in &refusals {
        let Refusal {
            id,
            revision,
            error,
            reason,
        } = refusal;
        tracing::warn!(
            target_database = target.name(),
            id,
            revision,
            error,
            reason,
            "a document was refused"
        );
    }
    let refused = refusals.len() as u64;
    count(progress, |counts| {
        counts.docs_written += (sent as u64).saturating_sub(refused);
        counts.doc_write_failures += refused;
    });
    progress.refuse(refusals);
}

impl Missing {
    /// The revisions, all of one document.
    pub fn new(id: impl Into<String>, revisions: Vec<String>) -> Missing {
        Missing {
            id: id.into(),
            revisions,
            possible_ancestors: Vec::new(),
        }
    }
}
