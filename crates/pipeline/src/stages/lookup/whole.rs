//! Reading the whole foreign collection of a lookup, if there are so many look-ups that this is less work than an index scan for
//! each.

use super::found::LookupResults;
use super::{JoinFields, Lookup};
use crate::Result;
use crate::join_key::JoinKey;
use crate::kept::Kept;
use crate::stage::Run;
use query::execute::Interruption;
use std::sync::Arc;
use store::{Collection, Sequence};
use value::{Value, ValueRef};

/// The whole collection is read once there was one look-up for this many of its documents. A look-up by an index costs about as much
/// as reading this many documents in order, so both together cost at most twice the better one.
const ASKED_FOR_PART: u64 = 16;

/// The bytes that take about as long to read as one more document.
const BYTES_AS_A_DOCUMENT: u64 = 256;

/// The most bytes of documents that are kept.
const DOCUMENT_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What the table takes beside each document.
const OVERHEAD_BYTES: u64 = 200;

/// The foreign collection, once it was read.
pub(super) struct WholeSide {
    /// The number of look-ups so far.
    asked: u64,
    read: Option<Read>,
}

/// All documents of the foreign collection at one moment.
struct Read {
    head: Sequence,
    found: LookupResults,
    _kept: Kept,
}

impl WholeSide {
    pub(super) fn new() -> WholeSide {
        WholeSide { asked: 0, read: None }
    }

    /// The results for these values, if they are better taken from the whole collection; `None` if the index is to be
    /// used.
    pub(super) async fn find(
        &mut self,
        (lookup, fields): (&Lookup, &JoinFields),
        keys: &[Vec<(JoinKey, Value)>],
        run: &Run,
        interruption: &Interruption,
    ) -> Result<Option<&LookupResults>> {
        self.asked += keys.len() as u64;
        let plain = keys.iter().flatten().all(|(_, value)| is_plain(value.as_ref()));
        let Some(collection) = side(lookup, run)?.filter(|_| plain) else {
            return Ok(None);
        };
        // Later commits must be seen, as a scan of an index would see them.
        if self
            .read
            .as_ref()
            .is_some_and(|read| read.head != collection.head())
        {
            *self = WholeSide::new();
            return Ok(None);
        }
        if self.read.is_none() {
            let stats = collection.stats();
            let bytes = stats.data_bytes + stats.count * OVERHEAD_BYTES;
            let work = stats.count + stats.data_bytes / BYTES_AS_A_DOCUMENT;
            if stats.data_bytes > DOCUMENT_BYTES_MAX || self.asked * ASKED_FOR_PART < work {
                return Ok(None);
            }
            let mut kept = run.kept("$lookup");
            if !kept.fits(usize::try_from(bytes).unwrap_or(usize::MAX)) {
                return Ok(None);
            }
            self.read = read(lookup, fields, &collection, kept, run, interruption).await?;
        }
        Ok(self.read.as_ref().map(|read| &read.found))
    }
}

impl WholeSide {
    /// The foreign collection, if it was read before and has not changed since.
    pub(super) fn at_hand(&self, lookup: &Lookup, run: &Run) -> Result<Option<&LookupResults>> {
        let Some(read) = &self.read else { return Ok(None) };
        let is_same = side(lookup, run)?.is_some_and(|collection| collection.head() == read.head);
        Ok(is_same.then_some(&read.found))
    }
}

/// The collection on the other side, where its documents are looked up as they are, and as they are now.
fn side(lookup: &Lookup, run: &Run) -> Result<Option<Arc<Collection>>> {
    if lookup.has_pipeline || run.surroundings.moment.is_some() {
        return Ok(None);
    }
    let resolved = run.surroundings.collections.resolve(&lookup.sub.namespace)?;
    Ok(resolved
        .collection
        .filter(|collection| resolved.stages.is_empty() && !collection.is_view()))
}

/// Whether a value equals only values with the same key. Null does not, since it also equals a missing value.
pub(super) fn is_plain(value: ValueRef<'_>) -> bool {
    !matches!(
        value,
        ValueRef::Null
            | ValueRef::Undefined
            | ValueRef::Regex { .. }
            | ValueRef::Array(_)
            | ValueRef::Document(_)
    )
}

/// Reads all documents of the foreign collection; `None` if there are too many by now.
async fn read(
    lookup: &Lookup,
    fields: &JoinFields,
    collection: &Collection,
    mut kept: Kept,
    run: &Run,
    interruption: &Interruption,
) -> Result<Option<Read>> {
    let head = collection.head();
    let collation = run.variables.collation();
    let mut stream = lookup.sub.open(None, &run.variables, run, interruption).await?;
    let stats = collection.stats();
    let data_bytes = stats.data_bytes.min(DOCUMENT_BYTES_MAX);
    let count = stats.count.min(data_bytes);
    let mut found = LookupResults::with_capacity(
        usize::try_from(count).unwrap_or_default(),
        usize::try_from(data_bytes).unwrap_or_default(),
    );
    let mut key = Vec::new();
    let mut bytes = 0;
    loop {
        let page = stream.next_page(interruption).await?;
        if page.is_empty() {
            return Ok(Some(Read {
                head,
                found,
                _kept: kept,
            }));
        }
        for document in page {
            bytes += document.bytes().len() + OVERHEAD_BYTES as usize;
            found.add(document.as_raw(), fields, collation, &mut key);
        }
        if !kept.fits(bytes) {
            return Ok(None);
        }
    }
}
