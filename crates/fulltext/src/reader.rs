//! The index as of one commit.

use crate::error::Result;
use crate::lookup::Lookup;
use crate::mask::Mask;
use crate::opened::Opened;
use crate::schema::Fields;
use tantivy::query::{EnableScoring, Weight};
use tantivy::{DocId, DocSet, Searcher, SegmentReader, TERMINATED};

/// The index as of one commit. Cheap to clone.
#[derive(Clone)]
pub struct Reader {
    pub(crate) searcher: Searcher,
    pub(crate) fields: Fields,
    pub(crate) opened: Opened,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reader({} entries)", self.searcher.num_docs())
    }
}

impl Reader {
    pub(crate) fn new(searcher: Searcher, fields: Fields, opened: Opened) -> Reader {
        Reader {
            searcher,
            fields,
            opened,
        }
    }

    /// The entries in it.
    pub fn count(&self) -> u64 {
        self.searcher.num_docs()
    }

    /// The parts that it consists of.
    pub fn segments(&self) -> usize {
        self.searcher.segment_readers().len()
    }

    pub(crate) fn weight(&self, lookup: &Lookup) -> Result<Box<dyn Weight>> {
        let query = lookup.query(self)?;
        Ok(query.weight(EnableScoring::disabled_from_searcher(&self.searcher))?)
    }

    /// The records that match, segment by segment, until `found` says that it wants no more.
    pub fn matches(&self, lookup: &Lookup, mask: &Mask, found: &mut dyn FnMut(u64) -> bool) -> Result<()> {
        let weight = self.weight(lookup)?;
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            let open = self.opened.of(segment)?;
            let mut goes_on = true;
            each(&*weight, at, segment, mask, &mut |entry| {
                goes_on = found(open.numbers.values.get_val(entry));
                goes_on
            })?;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// How many match; where they are more than `most`, some number above it.
    pub fn matching(&self, lookup: &Lookup, mask: &Mask, most: u64) -> Result<u64> {
        if let Lookup::All = lookup {
            return Ok(self.count() - mask.count());
        }
        let weight = self.weight(lookup)?;
        let mut count = 0;
        for (at, segment) in self.searcher.segment_readers().iter().enumerate() {
            if !mask.is_of(at) && most == u64::MAX {
                count += u64::from(weight.count(segment)?);
                continue;
            }
            each(&*weight, at, segment, mask, &mut |_| {
                count += 1;
                count <= most
            })?;
            if count > most {
                break;
            }
        }
        Ok(count)
    }
}

/// The entries of a segment that match, in their order, until `found` wants no more.
pub(crate) fn each(
    weight: &dyn Weight,
    at: usize,
    segment: &SegmentReader,
    mask: &Mask,
    found: &mut dyn FnMut(DocId) -> bool,
) -> Result<()> {
    let mut entries = weight.scorer(segment, 1.0)?;
    while entries.doc() != TERMINATED {
        let entry = entries.doc();
        if !segment.is_deleted(entry) && !mask.hides(at, entry) && !found(entry) {
            break;
        }
        entries.advance();
    }
    Ok(())
}
