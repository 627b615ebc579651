//! Looking up many documents at a time, so that records that are stored close together are read together.

use super::hit::Hit;
use crate::Result;
use store::Snapshot;

/// The most hits that are looked up and matched at a time, fewer if by the mean size that would be more than [`CHUNK_BYTES`].
const CHUNK_MAX: usize = 8192;

/// No more documents are looked up after this many bytes, since some may be much longer than the mean.
pub(super) const CHUNK_BYTES: usize = 2 << 20;

/// The number of this collection's documents that are looked up at a time.
pub(super) fn chunk_max(snapshot: &Snapshot) -> usize {
    (CHUNK_BYTES / snapshot.mean_bytes().max(1)).clamp(1, CHUNK_MAX)
}

/// Reads the missing documents of the first of these hits, until they have many bytes. Returns the number of hits that are done. A hit
/// whose record is gone stays without a document.
pub(super) async fn look_up(snapshot: &Snapshot, hits: &mut [Hit]) -> Result<usize> {
    let lacks = |hit: &&mut Hit| hit.document.is_none();
    if let [hit] = hits {
        if lacks(&hit) {
            hit.document = snapshot.document(hit.record).await?;
        }
        return Ok(1);
    }
    let mut ids = Vec::with_capacity(hits.len());
    ids.extend(hits.iter_mut().filter(lacks).map(|hit| hit.record));
    if ids.is_empty() {
        return Ok(hits.len());
    }
    let mut documents = snapshot.documents_within(&ids, CHUNK_BYTES).await?.into_iter();
    for (at, hit) in hits.iter_mut().enumerate() {
        if hit.document.is_some() {
            continue;
        }
        match documents.next() {
            Some(document) => hit.document = document,
            None => return Ok(at),
        }
    }
    Ok(hits.len())
}
