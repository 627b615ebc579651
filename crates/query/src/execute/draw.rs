//! Drawing documents at random without reading all of them. The numbers of records lie close together, so most numbers between the
//! first and the last belong to a record.

use super::find::FindSpec;
use super::lookup::CHUNK_BYTES;
use crate::Result;
use crate::plan::Ordering;
use std::collections::HashSet;
use store::{Collection, Order, PageLimit, RecordId, Snapshot};
use value::DocumentBuf;
use value::random::Random;

/// As in MongoDB, all documents are read if there are fewer than this, or if more than a twentieth of them is drawn.
const DOCUMENTS_MIN: u64 = 100;
const PART_MAX: u64 = 20;

/// If the drawn documents have more bytes than this, they are not kept in memory together. Some may be much longer than the mean.
const DRAWN_BYTES_MAX: usize = 4 * CHUNK_BYTES;

/// If fewer than one in this many numbers belongs to a record, searching for records takes longer than reading all of them.
const NUMBERS_A_RECORD_MAX: u64 = 8;

/// Draws `size` different documents of a collection, each with the same chance, in random order. Returns `None` if all documents
/// have to be read for it, or if those drawn are too long to be in memory together.
pub async fn draw(collection: &Collection, spec: &FindSpec, size: u64) -> Result<Option<Vec<DocumentBuf>>> {
    let snapshot = spec.snapshot(collection).await?;
    let count = snapshot.count();
    let bytes = size.saturating_mul(snapshot.mean_bytes() as u64);
    if count <= DOCUMENTS_MIN || size > count / PART_MAX || bytes > CHUNK_BYTES as u64 {
        return Ok(None);
    }
    let ends = (
        end(&snapshot, Order::Forward).await?,
        end(&snapshot, Order::Backward).await?,
    );
    let (Some(first), Some(last)) = ends else {
        return Ok(None);
    };
    let numbers = last.0 - first.0 + 1;
    if numbers / NUMBERS_A_RECORD_MAX > count {
        return Ok(None);
    }
    let mut random = Random::from_entropy();
    let mut looked_at = HashSet::new();
    let mut drawn = Vec::with_capacity(size as usize);
    while (drawn.len() as u64) < size {
        spec.interruption.check()?;
        let missing = size as usize - drawn.len();
        let mut records: Vec<RecordId> = (0..missing)
            .map(|_| RecordId(first.0 + random.below(numbers)))
            .filter(|record| looked_at.insert(*record))
            .collect();
        // Records that are stored together are read together.
        records.sort_unstable();
        let documents = snapshot.documents_within(&records, DRAWN_BYTES_MAX).await?;
        if documents.len() < records.len() {
            return Ok(None);
        }
        drawn.extend(documents.into_iter().flatten());
    }
    random.shuffle(&mut drawn);
    Ok(Some(drawn))
}

/// The first record in this order.
async fn end(snapshot: &Snapshot, order: Order) -> Result<Option<RecordId>> {
    let limit = PageLimit {
        entries: 1,
        ..PageLimit::default()
    };
    let page = snapshot.records(None, order, limit).await?;
    Ok((!page.is_empty()).then(|| page.id(0)))
}

impl FindSpec {
    /// Whether it asks for all documents, in any order.
    pub fn is_of_all(&self) -> bool {
        self.filter.is_empty()
            && matches!(self.ordering, Ordering::Any)
            && self.projection.is_none()
            && self.skip == 0
            && self.limit.is_none()
            && self.hint.is_none()
            && self.min.is_none()
            && self.max.is_none()
    }
}
