//! Entries that do not count any more, because their documents have changed since the index was committed.

use crate::error::Result;
use crate::reader::Reader;
use tantivy::schema::IndexRecordOption;
use tantivy::{BitSet, DocId, DocSet, TERMINATED, Term};

/// Entries of a [`Reader`] that are left out.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    /// By segment; `None` where nothing is left out.
    segments: Vec<Option<Hidden>>,
    count: u64,
}

/// Entries of a segment that are left out.
#[derive(Clone, Debug)]
struct Hidden {
    set: BitSet,
    entries: Vec<DocId>,
}

impl Mask {
    pub(crate) fn hides(&self, segment: usize, entry: DocId) -> bool {
        matches!(self.segments.get(segment), Some(Some(hidden)) if hidden.set.contains(entry))
    }

    /// Whether entries of a segment are left out.
    pub(crate) fn is_of(&self, segment: usize) -> bool {
        matches!(self.segments.get(segment), Some(Some(_)))
    }

    /// The entries of a segment that are left out, but for those that are deleted.
    pub(crate) fn of(&self, segment: usize) -> &[DocId] {
        match self.segments.get(segment) {
            Some(Some(hidden)) => &hidden.entries,
            _ => &[],
        }
    }

    /// How many entries are left out.
    pub fn count(&self) -> u64 {
        self.count
    }
}

impl Reader {
    /// Leaves out the entries of these documents too.
    pub fn hide<'i>(&self, mask: &mut Mask, ids: impl Iterator<Item = &'i [u8]>) -> Result<()> {
        let mut terms: Vec<Term> = ids.map(|id| Term::from_field_bytes(self.fields.id, id)).collect();
        // In their order, the look-ups in a dictionary are near each other.
        terms.sort_unstable();
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let inverted = segment.inverted_index(self.fields.id)?;
            for term in &terms {
                let Some(mut found) = inverted.read_postings(term, IndexRecordOption::Basic)? else {
                    continue;
                };
                if mask.segments.len() <= at {
                    mask.segments.resize_with(at + 1, || None);
                }
                let hidden = mask.segments[at].get_or_insert_with(|| Hidden {
                    set: BitSet::with_max_value(segment.max_doc()),
                    entries: Vec::new(),
                });
                while found.doc() != TERMINATED {
                    if !segment.is_deleted(found.doc()) && !hidden.set.contains(found.doc()) {
                        hidden.set.insert(found.doc());
                        hidden.entries.push(found.doc());
                        mask.count += 1;
                    }
                    found.advance();
                }
            }
        }
        Ok(())
    }
}
