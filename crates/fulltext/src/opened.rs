//! Columns of segments that stay open from one search to the next: a segment never changes, and to open a column of a large one
//! reads all over it.

use crate::entry::Key;
use crate::error::Result;
use crate::kept::Kept;
use crate::schema::{NUMBER, SEQUENCE, TIME, column};
use crate::statistics::{Lengths, Others};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::columnar::{Cardinality, Column, ColumnType};
use tantivy::index::SegmentId;
use tantivy::{Searcher, SegmentReader};

/// The columns of an index that are open, by segment.
#[derive(Clone, Default)]
pub(crate) struct Opened(Arc<Mutex<HashMap<SegmentId, Arc<OpenSegment>>>>);

/// Those of one segment.
pub(crate) struct OpenSegment {
    /// The times that sort it.
    pub(crate) times: Column<i64>,
    pub(crate) sequences: Column<u64>,
    pub(crate) numbers: Column<u64>,
    by_key: Mutex<HashMap<Key, OpenKey>>,
    /// What was found in it.
    pub(crate) kept: Mutex<Kept>,
}

/// What was asked of a key.
#[derive(Clone, Default)]
struct OpenKey {
    lengths: Option<Option<Arc<Lengths>>>,
    others: Option<Option<Arc<Others>>>,
    is_single_time: Option<bool>,
}

impl Opened {
    /// The columns of a segment.
    pub(crate) fn of(&self, segment: &SegmentReader) -> tantivy::Result<Arc<OpenSegment>> {
        let id = segment.segment_id();
        if let Some(open) = self.0.lock().get(&id) {
            return Ok(open.clone());
        }
        let columns = segment.fast_fields();
        let open = Arc::new(OpenSegment {
            times: columns.i64(TIME)?,
            sequences: columns.u64(SEQUENCE)?,
            numbers: columns.u64(NUMBER)?,
            by_key: Mutex::default(),
            kept: Mutex::default(),
        });
        Ok(self.0.lock().entry(id).or_insert(open).clone())
    }

    /// Closes those of segments that are not of these any more: they would keep the place of deleted files.
    pub(crate) fn keep_only(&self, searcher: &Searcher) {
        let segments = searcher.segment_readers();
        let is_there = |id: &SegmentId| segments.iter().any(|segment| segment.segment_id() == *id);
        self.0.lock().retain(|id, _| is_there(id));
    }
}

impl OpenSegment {
    /// The lengths of a key's texts; `None` if it has none.
    pub(crate) fn lengths(&self, segment: &SegmentReader, key: Key) -> Result<Option<Arc<Lengths>>> {
        if let Some(known) = self.known(key).lengths {
            return Ok(known);
        }
        let lengths = Lengths::of(segment, key)?.map(Arc::new);
        let mut keys = self.by_key.lock();
        let known = &mut keys.entry(key).or_default().lengths;
        Ok(known.get_or_insert(lengths).clone())
    }

    /// The texts of a key that entries have besides their first; `None` if none has several.
    pub(crate) fn others(&self, segment: &SegmentReader, key: Key) -> Result<Option<Arc<Others>>> {
        if let Some(known) = self.known(key).others {
            return Ok(known);
        }
        let others = Others::of(segment, key)?.map(Arc::new);
        let mut keys = self.by_key.lock();
        let known = &mut keys.entry(key).or_default().others;
        Ok(known.get_or_insert(others).clone())
    }

    /// Whether each entry has one time of this key at most.
    pub(crate) fn is_single_time(&self, segment: &SegmentReader, key: Key) -> tantivy::Result<bool> {
        if let Some(known) = self.known(key).is_single_time {
            return Ok(known);
        }
        let types = [ColumnType::I64];
        let own = segment
            .fast_fields()
            .u64_lenient_for_type(Some(&types), &column(key))?;
        let is_single = own.is_some_and(|(own, _)| own.get_cardinality() != Cardinality::Multivalued);
        self.by_key.lock().entry(key).or_default().is_single_time = Some(is_single);
        Ok(is_single)
    }

    fn known(&self, key: Key) -> OpenKey {
        self.by_key.lock().get(&key).cloned().unwrap_or_default()
    }
}
