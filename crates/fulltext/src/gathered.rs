//! A query whose entries are gathered before any is asked for. What is excluded may be asked for an entry before the one at
//! which it stands, which phrases of the engine do not allow.

use tantivy::query::{BitSetDocSet, ConstScorer, EnableScoring, Explanation, Query, Scorer, Weight};
use tantivy::{BitSet, DocId, DocSet, SegmentReader, TERMINATED};

#[derive(Debug)]
pub(crate) struct GatheredQuery(pub(crate) Box<dyn Query>);

impl Clone for GatheredQuery {
    fn clone(&self) -> Self {
        GatheredQuery(self.0.box_clone())
    }
}

impl Query for GatheredQuery {
    fn weight(&self, scoring: EnableScoring<'_>) -> tantivy::Result<Box<dyn Weight>> {
        Ok(Box::new(GatheredWeight(self.0.weight(scoring)?)))
    }
}

struct GatheredWeight(Box<dyn Weight>);

impl Weight for GatheredWeight {
    fn scorer(&self, reader: &SegmentReader, boost: f32) -> tantivy::Result<Box<dyn Scorer>> {
        let mut gathered = BitSet::with_max_value(reader.max_doc());
        let mut entries = self.0.scorer(reader, 1.0)?;
        while entries.doc() != TERMINATED {
            gathered.insert(entries.doc());
            entries.advance();
        }
        Ok(Box::new(ConstScorer::new(BitSetDocSet::from(gathered), boost)))
    }

    fn explain(&self, reader: &SegmentReader, entry: DocId) -> tantivy::Result<Explanation> {
        self.0.explain(reader, entry)
    }
}
