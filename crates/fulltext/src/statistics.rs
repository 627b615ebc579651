//! What scores need to know: how many entries have a field and a term, how many terms there are.

use crate::entry::Key;
use crate::error::Result;
use crate::lookup::{Lookup, Part, term};
use crate::mask::Mask;
use crate::reader::{Reader, each};
use crate::schema::length_column;
use tantivy::SegmentReader;

impl Reader {
    /// The entries that have a text of this key, and their terms together.
    pub fn lengths(&self, key: Key, mask: &Mask) -> Result<(u64, u64)> {
        let (mut entries, mut terms) = (0, 0);
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let Some((lengths, _)) = segment
                .fast_fields()
                .u64_lenient_for_type(None, &length_column(key))?
            else {
                continue;
            };
            let base = base_of(segment, key)?;
            for entry in 0..segment.max_doc() {
                if segment.is_deleted(entry) || mask.hides(at, entry) {
                    continue;
                }
                if let Some(length) = lengths.first(entry) {
                    entries += 1;
                    terms += length - base;
                }
            }
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

/// Columns of whole numbers may be kept as signed ones, which begin elsewhere.
fn base_of(segment: &SegmentReader, key: Key) -> Result<u64> {
    use tantivy::columnar::ColumnType;
    let signed = segment
        .fast_fields()
        .u64_lenient_for_type(Some(&[ColumnType::I64]), &length_column(key))?;
    Ok(match signed {
        Some(_) => 1 << 63,
        None => 0,
    })
}
