//! What scores need to know: how many entries have a field and a term, how many terms there are.

use crate::entry::Key;
use crate::error::Result;
use crate::lookup::{Lookup, Part, term};
use crate::mask::Mask;
use crate::reader::{Reader, each};
use crate::schema::{column, length_column};
use std::sync::OnceLock;
use tantivy::columnar::{Cardinality, Column, ColumnType};
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, DocSet, SegmentReader, TERMINATED};

impl Reader {
    /// The entries that have a text of this key, and their terms together.
    pub fn lengths(&self, key: Key, mask: &Mask) -> Result<(u64, u64)> {
        let (mut entries, mut terms) = (0, 0);
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let Some(lengths) = self.opened.of(segment)?.lengths(segment, key)? else {
                continue;
            };
            let (all, all_terms) = lengths.sums(segment);
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

    /// How many texts entries have in the column of this key besides their first.
    pub fn others(&self, key: Key, mask: &Mask) -> Result<u64> {
        let mut count = 0;
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let Some(others) = self.opened.of(segment)?.others(segment, key)? else {
                continue;
            };
            count += others.all;
            if segment.has_deletes() {
                let deleted = (0..segment.max_doc()).filter(|entry| segment.is_deleted(*entry));
                count -= deleted.map(|entry| others.get(entry)).sum::<u64>();
            }
            count -= mask.of(at).iter().map(|entry| others.get(*entry)).sum::<u64>();
        }
        Ok(count)
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

    /// Shows each term of a key that begins so and of which this is true, with the entries of a segment that have it; a term that
    /// several segments have comes several times. Without an answer no more are asked.
    pub fn terms(
        &self,
        key: Key,
        part: Part,
        begin: &str,
        is_one: &dyn Fn(&str) -> Option<bool>,
        mask: &Mask,
        see: &mut dyn FnMut(&str, u64),
    ) -> Result<()> {
        let field = self.fields.part(part);
        let head_bytes = term(field, key, "").serialized_value_bytes().len();
        let start = term(field, key, begin).serialized_value_bytes().to_vec();
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let inverted = segment.inverted_index(field)?;
            let mut terms = inverted.terms().range().ge(&start).into_stream()?;
            while terms.advance() && terms.key().starts_with(&start) {
                let Ok(text) = std::str::from_utf8(&terms.key()[head_bytes..]) else {
                    continue;
                };
                match is_one(text) {
                    Some(true) => {}
                    Some(false) => continue,
                    None => return Ok(()),
                }
                let mut count = u64::from(terms.value().doc_freq);
                if segment.has_deletes() || mask.is_of(at) {
                    count = 0;
                    let basic = IndexRecordOption::Basic;
                    let mut postings = inverted.read_postings_from_terminfo(terms.value(), basic)?;
                    while postings.doc() != TERMINATED {
                        let entry = postings.doc();
                        count += u64::from(!segment.is_deleted(entry) && !mask.hides(at, entry));
                        postings.advance();
                    }
                }
                if count > 0 {
                    see(text, count);
                }
            }
        }
        Ok(())
    }
}

/// How many terms of a key entries of a segment have.
pub(crate) struct Lengths {
    column: Column<u64>,
    /// Columns of whole numbers may be kept as signed ones, which begin elsewhere.
    base: u64,
    /// The entries of the segment that have some, and what those add up to, deleted ones included.
    sums: OnceLock<(u64, u64)>,
}

impl Lengths {
    pub(crate) fn of(segment: &SegmentReader, key: Key) -> Result<Option<Lengths>> {
        let name = length_column(key);
        let column = segment.fast_fields().u64_lenient_for_type(None, &name)?;
        Ok(column.map(|(column, kind)| Lengths {
            column,
            base: if kind == ColumnType::I64 { 1 << 63 } else { 0 },
            sums: OnceLock::new(),
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

    fn sums(&self, segment: &SegmentReader) -> (u64, u64) {
        *self.sums.get_or_init(|| {
            let mut sums = (0, 0);
            (0..segment.max_doc()).for_each(|entry| self.add(entry, &mut sums));
            sums
        })
    }

    /// Counts an entry that has some, and those.
    fn add(&self, entry: DocId, (entries, terms): &mut (u64, u64)) {
        if let Some(length) = self.column.first(entry) {
            *entries += 1;
            *terms += length - self.base;
        }
    }
}

/// The texts that entries of a segment have in a column besides their first.
pub(crate) struct Others {
    column: Column<u64>,
    /// Those of all entries, deleted ones included.
    all: u64,
}

impl Others {
    /// `None` where no entry has several.
    pub(crate) fn of(segment: &SegmentReader, key: Key) -> Result<Option<Others>> {
        let texts = segment.fast_fields().str(&column(key))?;
        let column = texts.map(|texts| texts.ords().clone());
        let Some(column) = column.filter(|column| column.get_cardinality() == Cardinality::Multivalued)
        else {
            return Ok(None);
        };
        let mut others = Others { column, all: 0 };
        others.all = (0..segment.max_doc()).map(|entry| others.get(entry)).sum();
        Ok(Some(others))
    }

    fn get(&self, entry: DocId) -> u64 {
        (self.column.values_for_doc(entry).count() as u64).saturating_sub(1)
    }
}
