//! What a run asks of a full-text index, so that it is shown fewer documents than there are.

use super::Run;
use crate::aggregations::{Context, Grouping, Rows};
use crate::indexed::{Asker, IndexLookup, Layout, Scoring, count_field, wanted};
use crate::order::is_newest;
use crate::profile::FoundBy;
use fulltext::{Mask, Reader};
use mapping::error::Result;
use mapping::fields::View;
use value::DocumentBuf;

/// The newest documents are wanted.
#[derive(Clone, Copy, Debug)]
pub struct NewestWanted {
    /// How many.
    pub count: usize,
    /// Whether those that match are counted.
    pub is_counted: bool,
}

impl Run<'_> {
    /// What an index that is laid out so is asked for the query; `None` where it cannot tell what scores need. `ids` gives the
    /// keys that a document may have whose `_id` is this text.
    pub fn wanted(
        &self,
        layout: &Layout,
        reader: &Reader,
        ids: &dyn Fn(&str) -> Vec<Vec<u8>>,
    ) -> fulltext::Result<Option<IndexLookup>> {
        let Some((at, query, _)) = &self.current else {
            return Ok(None);
        };
        if self.scored.fields().any(|counted| counted.field.meta.is_some()) {
            return Ok(None);
        }
        let name = self.indices.get(*at).map_or("", |index| index.name.as_str());
        let wanted = wanted(query, Asker::new(layout, name, ids, &self.statistics));
        let is_said = reader.matching(&IndexLookup::asked(), &Mask::default(), 0)? == 0;
        Ok(Some(if is_said { wanted } else { wanted.with_asked() }))
    }

    /// Where columns say all that aggregations ask: how.
    pub fn grouping(&self, layout: &Layout) -> Option<Grouping> {
        let (at, ..) = self.current.as_ref()?;
        let asked = &self.aggregations;
        if asked.is_empty() || self.request.min_score.is_some() {
            return None;
        }
        asked.grouping(&self.indices.get(*at)?.mapping, layout, &self.filters)
    }

    /// Collects what columns say; aggregations take nothing of documents that are shown from then on.
    pub fn collect(&mut self, rows: &Rows) -> Result<()> {
        self.is_grouped = true;
        if let Some(profile) = self.profiling.present() {
            profile.by_columns = true;
        }
        let Some(index) = self.current.as_ref().and_then(|(at, ..)| self.indices.get(*at)) else {
            return Ok(());
        };
        let nothing = DocumentBuf::from(&value::Document::new());
        for (row, count) in &rows.0 {
            let view = View {
                row: Some(row),
                ..View::of_document(&index.mapping, nothing.as_ref())
            };
            let context = Context {
                filters: &self.filters,
                statistics: &self.statistics,
                weight: *count,
                score: 0.0,
                held: &self.held,
            };
            self.collected_values
                .collect(&self.aggregations, &view, &context, 0)?;
        }
        Ok(())
    }

    /// Where the best hits are the newest ones and nothing else is asked of all that match: how many are wanted. A query may match
    /// more than those that are shown then. `is_grouped` where columns say what aggregations ask.
    pub fn newest_wanted(&self, layout: &Layout, is_grouped: bool) -> Option<NewestWanted> {
        let request = self.request;
        let (at, ..) = self.current.as_ref()?;
        let asks_all = (!request.aggregations.is_empty() && !is_grouped)
            || request.post_filter.is_some()
            || request.min_score.is_some()
            || request.search_after.is_some()
            || request.after.is_some()
            || self.wants_scores();
        let mapping = &self.indices.get(*at)?.mapping;
        let is_newest = || is_newest(&request.sort, layout.time()?, mapping).then_some(());
        if asks_all || (request.size > 0 && is_newest().is_none()) {
            return None;
        }
        Some(NewestWanted {
            count: if request.size == 0 {
                0
            } else {
                request.from + request.size
            },
            is_counted: request.track_total_hits.is_some(),
        })
    }

    /// Where the best hits are those with the best scores and nothing else is asked of all that match: how an index scores its
    /// entries, as documents that were counted until now say. `is_grouped` where columns say what aggregations ask.
    pub fn scoring(
        &self,
        layout: &Layout,
        ids: &dyn Fn(&str) -> Vec<Vec<u8>>,
        is_grouped: bool,
    ) -> Option<Scoring> {
        let request = self.request;
        let (at, query, _) = self.current.as_ref()?;
        let index = self.indices.get(*at)?;
        let asks_all = (!request.aggregations.is_empty() && !is_grouped)
            || request.post_filter.is_some()
            || request.min_score.is_some()
            || request.search_after.is_some()
            || request.after.is_some()
            || request.size == 0
            || !request.is_by_score();
        // By another factor, scores that differ could become the same.
        if asks_all || index.boost != 1.0 {
            return None;
        }
        Scoring::new(
            query,
            Asker::new(layout, &index.name, ids, &self.statistics),
            layout,
            &self.statistics,
        )
    }

    /// Notes how documents of this index are found, and how many of them its full-text index had not reached.
    pub fn found_by(&mut self, way: FoundBy, unreached: u64) {
        if let Some(profile) = self.profiling.present() {
            profile.way = way;
            profile.unreached = unreached;
        }
    }

    /// Adds documents that match and were not shown.
    pub fn add_unseen(&mut self, count: u64) {
        self.total += count;
    }

    /// Counts the documents of an index for the scores, but for those that are left out.
    pub fn count_index(&mut self, layout: &Layout, reader: &Reader, mask: &Mask) -> fulltext::Result<()> {
        for counted in self.scored.fields() {
            count_field(counted, &mut self.statistics, layout, reader, mask)?;
        }
        self.statistics.set_counted();
        Ok(())
    }
}
