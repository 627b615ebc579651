//! Looking documents up many at a time: records that lie near each other are then read together.

use super::hit::Hit;
use crate::Result;
use store::Snapshot;

/// The hits that are looked up and matched at a time: as many as fit into about [`CHUNK_BYTES`] by the mean of the collection.
const CHUNK_MAX: usize = 8192;

/// The bytes of documents after which no more are looked up, since some may be much longer than the mean.
pub(super) const CHUNK_BYTES: usize = 2 << 20;

/// The documents of this collection that are looked up at a time.
pub(super) fn chunk_max(snapshot: &Snapshot) -> usize {
    (CHUNK_BYTES / snapshot.mean_bytes().max(1)).clamp(1, CHUNK_MAX)
}

/// Reads the documents of the first of these hits that have none, until they are many bytes; up to which hit. One whose record is
/// gone stays without a document.
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
