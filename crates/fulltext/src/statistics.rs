//! What scores need to know: how many entries have a field and a term, how many terms there are.

use crate::entry::Key;
use crate::error::Result;
use crate::lookup::{Lookup, Part, term};
use crate::mask::Mask;
use crate::reader::{Reader, each};
use crate::schema::length_column;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tantivy::columnar::{Column, ColumnType};
use tantivy::index::SegmentId;
use tantivy::{DocId, SegmentReader};

impl Reader {
    /// The entries that have a text of this key, and their terms together.
    pub fn lengths(&self, key: Key, mask: &Mask) -> Result<(u64, u64)> {
        let (mut entries, mut terms) = (0, 0);
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let Some(lengths) = Lengths::of(segment, key)? else {
                continue;
            };
            let (all, all_terms) = self.sums.of(segment, key, &lengths);
            let mut hidden = (0, 0);
            let deleted = (0..segment.max_doc()).filter(|entry| segment.is_deleted(*entry));
            if segment.has_deletes() {
                deleted.for_each(|entry| lengths.add(entry, &mut hidden));
            }
            for entry in mask.of(at) {
                lengths.add(*entry, &mut hidden);
            }
            entries += all - hidden.0;
            terms += all_terms - hidden.1;
        }
        Ok((entries, terms))
    }

    /// The entries that have a term.
    pub fn having(&self, key: Key, part: Part, text: &str, mask: &Mask) -> Result<u64> {
        let term = term(self.fields.part(part), key, text);
        let lookup = Lookup::Terms(key, part, vec![text.to_owned()]);
        let mut weight = None;
        let mut count = 0;
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            if !segment.has_deletes() && !mask.is_of(at) {
                let inverted = segment.inverted_index(self.fields.part(part))?;
                count += u64::from(inverted.doc_freq(&term)?);
                continue;
            }
            if weight.is_none() {
                weight = Some(self.weight(&lookup)?);
            }
            if let Some(weight) = &weight {
                each(&**weight, at, segment, mask, &mut |_| {
                    count += 1;
                    true
                })?;
            }
        }
        Ok(count)
    }
}

/// How many terms of a key entries of a segment have.
pub(crate) struct Lengths {
    column: Column<u64>,
    /// Columns of whole numbers may be kept as signed ones, which begin elsewhere.
    base: u64,
}

impl Lengths {
    pub(crate) fn of(segment: &SegmentReader, key: Key) -> Result<Option<Lengths>> {
        let name = length_column(key);
        let column = segment.fast_fields().u64_lenient_for_type(None, &name)?;
        Ok(column.map(|(column, kind)| Lengths {
            column,
            base: if kind == ColumnType::I64 { 1 << 63 } else { 0 },
        }))
    }

    /// 0 where there are none.
    pub(crate) fn get(&self, entry: DocId) -> u64 {
        self.column.first(entry).map_or(0, |length| length - self.base)
    }

    /// The same of several entries.
    pub(crate) fn read(&self, entries: &[DocId], out: &mut [Option<u64>]) {
        self.column.first_vals(entries, out);
        out.iter_mut().flatten().for_each(|length| *length -= self.base);
    }

    /// Counts an entry that has some, and those.
    fn add(&self, entry: DocId, (entries, terms): &mut (u64, u64)) {
        if let Some(length) = self.column.first(entry) {
            *entries += 1;
            *terms += length - self.base;
        }
    }
}

/// By segment and key, the entries that have lengths, and what those add up to.
type Sums = HashMap<(SegmentId, Key), (u64, u64)>;

/// What the lengths of all entries of a segment add up to, those that are deleted included, which stays as it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct LengthSums(Arc<Mutex<Sums>>);

/// Sums that are kept at most: segments go, and no one says so.
const SUMS_MAX: usize = 10_000;

impl LengthSums {
    fn of(&self, segment: &SegmentReader, key: Key, lengths: &Lengths) -> (u64, u64) {
        let place = (segment.segment_id(), key);
        if let Some(known) = self.0.lock().get(&place) {
            return *known;
        }
        let mut sums = (0, 0);
        (0..segment.max_doc()).for_each(|entry| lengths.add(entry, &mut sums));
        let mut known = self.0.lock();
        if known.len() >= SUMS_MAX {
            known.clear();
        }
        known.insert(place, sums);
        sums
    }
}
