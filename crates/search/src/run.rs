//! Showing documents to a request, and keeping the best hits.

use crate::aggregations::{
    Aggregations, Background, Collected, Context, Counts, Finish, Grouping, Rows, ShowHit,
};
use crate::hit::Hit;
use crate::indexed::{Asker, Layout, Scoring, Wanted, count_field, wanted};
use crate::named;
use crate::order::{after, check, compare, is_newest, sort_values};
use crate::profile::{Profiling, Way};
use crate::request::Request;
use crate::seen::{Index, Outcome, Seen};
use crate::sort::SortKey;
use fulltext::{Mask, Reader};
use mapping::Mapping;
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use querying::Held;
use querying::Query;
use querying::{Clauses, Node, Scored, Statistics, compile};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;
use value::DocumentBuf;

/// The newest documents are wanted.
#[derive(Clone, Copy, Debug)]
pub struct NewestWanted {
    /// How many.
    pub count: usize,
    /// Whether those that match are counted.
    pub is_counted: bool,
}

/// One search under way.
#[derive(Debug)]
pub struct Run<'r> {
    request: &'r Request,
    /// What the request asks besides hits, read by the fields of all indices.
    aggregations: Aggregations,
    /// Its sort, as the index reads it whose documents are shown.
    sort: Vec<SortKey>,
    indices: Vec<Index>,
    now_ms: i64,
    /// The index whose documents are shown, its query and its filter.
    current: Option<(usize, Node, Option<Node>)>,
    /// The queries of aggregations for this index.
    filters: Vec<Node>,
    /// About the bytes of all queries for this index.
    compiled_bytes: usize,
    collected_values: Collected,
    held: Held,
    scored: Scored,
    statistics: Statistics,
    /// Those of the indices whose documents were shown, by their places.
    counted: HashMap<usize, Arc<Statistics>>,
    hits: Vec<Hit>,
    total: u64,
    max_score: Option<f32>,
    /// The documents that were collected of this index.
    collected: u64,
    terminated_early: bool,
    /// Whether what aggregations ask of the documents to come was collected by columns.
    is_grouped: bool,
    background: Background,
    profiling: Profiling,
}

impl<'r> Run<'r> {
    /// A run over these indices. `now_ms` is what `now` means in it; what it keeps is counted in `held`.
    pub fn new(request: &'r Request, indices: Vec<Index>, now_ms: i64, held: Held) -> Result<Run<'r>> {
        request.check()?;
        request.aggregations.check_buckets(request.buckets_max)?;
        let mut aggregations = request.aggregations.clone();
        let mappings: Vec<&Mapping> = indices.iter().map(|index| &*index.mapping).collect();
        aggregations.resolve(&mappings, now_ms)?;
        let collected_values = Collected::new(&aggregations);
        held.add(collected_values.bytes())?;
        Ok(Run {
            request,
            aggregations,
            sort: request.sort.clone(),
            indices,
            now_ms,
            current: None,
            filters: Vec::new(),
            compiled_bytes: 0,
            collected_values,
            held,
            scored: Scored::default(),
            statistics: Statistics::default(),
            counted: HashMap::new(),
            hits: Vec::new(),
            total: 0,
            max_score: None,
            collected: 0,
            terminated_early: false,
            is_grouped: false,
            background: Background::default(),
            profiling: Profiling::default(),
        })
    }

    /// Begins with the documents of one index. Where it says so, all of them are to be shown to [`Run::count`] first.
    pub fn begin(&mut self, index: usize) -> Result<bool> {
        self.check_scores()?;
        self.settle()?;
        let mapping = &self.index(index)?.mapping;
        let all = Query::MatchAll { boost: 1.0 };
        let clauses = Clauses::default();
        let compiled = |query: &Query| compile(query, mapping, self.now_ms, &clauses);
        let query = compiled(self.request.query.as_ref().unwrap_or(&all))?;
        let filter = self.request.post_filter.as_ref().map(compiled).transpose()?;
        self.check_sort(index)?;
        let sort = self.request.sort.iter();
        let sort = sort
            .map(|key| key.compiled(mapping, self.now_ms, &clauses))
            .collect::<Result<_>>()?;
        let mut filters = Vec::new();
        self.aggregations
            .compile(mapping, self.now_ms, &clauses, &mut filters)?;
        self.held.give_back(std::mem::take(&mut self.compiled_bytes));
        self.held.add(clauses.bytes())?;
        self.compiled_bytes = clauses.bytes();
        self.scored = Scored::default();
        self.statistics = Statistics::default();
        for node in std::iter::once(&query).chain(&filter).chain(&filters) {
            self.scored.expand(node, &mut self.statistics);
        }
        self.filters = filters;
        self.sort = sort;
        self.collected = 0;
        self.is_grouped = false;
        self.profiling.begin(index, self.total);
        if self.wants_scores() {
            query.scored(&mut self.scored);
        }
        self.current = Some((index, query, filter));
        Ok(!self.scored.is_empty())
    }

    fn index(&self, index: usize) -> Result<&Index> {
        self.indices
            .get(index)
            .ok_or_else(|| SearchError::illegal(format!("there is no index number {index} in this search")))
    }

    /// Fails where a function or a script could not make a score, of a filter of aggregations too.
    fn check_scores(&self) -> Result<()> {
        self.statistics
            .failure()
            .map_or(Ok(()), |error| Err(error.clone()))
    }

    fn wants_scores(&self) -> bool {
        let sorts = self
            .request
            .sort
            .iter()
            .any(|key| matches!(key, SortKey::Score(_) | SortKey::Script(_)));
        let shows = self.request.is_by_score() && self.request.size > 0;
        let aggregates = self.aggregations.want_scores();
        shows || sorts || aggregates || self.request.track_scores || self.request.min_score.is_some()
    }

    fn check_sort(&self, index: usize) -> Result<()> {
        let mapping = &self.index(index)?.mapping;
        self.request.sort.iter().try_for_each(|key| check(key, mapping))
    }

    /// Counts a document for the scores.
    pub fn count(&mut self, seen: &Seen<'_>) {
        if let Some((index, ..)) = &self.current
            && let Some(index) = self.indices.get(*index)
        {
            self.scored.count(&seen.view(0, index), &mut self.statistics);
        }
    }

    /// What an index that is laid out so is asked for the query; `None` where it cannot tell what scores need. `ids` gives the
    /// keys that a document may have whose `_id` is this text.
    pub fn wanted(
        &self,
        layout: &Layout,
        reader: &Reader,
        ids: &dyn Fn(&str) -> Vec<Vec<u8>>,
    ) -> fulltext::Result<Option<Wanted>> {
        let Some((at, query, _)) = &self.current else {
            return Ok(None);
        };
        if self.scored.fields().any(|counted| counted.field.meta.is_some()) {
            return Ok(None);
        }
        let name = self.indices.get(*at).map_or("", |index| index.name.as_str());
        let wanted = wanted(query, Asker::new(layout, name, ids, &self.statistics));
        let is_said = reader.matching(&Wanted::asked(), &Mask::default(), 0)? == 0;
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

    /// How many hits are kept.
    pub fn kept(&self) -> usize {
        self.request.from + self.request.size
    }

    /// Notes how documents of this index are found, and how many of them its full-text index had not reached.
    pub fn found_by(&mut self, way: Way, unreached: u64) {
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

    /// Takes a document if it matches; false where no more are wanted.
    pub fn see(&mut self, seen: &Seen<'_>) -> Result<bool> {
        let Some((at, query, filter)) = &self.current else {
            return Ok(false);
        };
        let Some(index) = self.indices.get(*at) else {
            return Ok(false);
        };
        if let Some(profile) = self.profiling.present() {
            profile.read += 1;
        }
        let view = seen.view(*at, index);
        let score = query.score(&view, &self.statistics);
        self.check_scores()?;
        let Some(score) = score else {
            return Ok(true);
        };
        let score = score * index.boost;
        if self.request.min_score.is_some_and(|least| score < least) {
            return Ok(true);
        }
        if self
            .request
            .terminate_after
            .is_some_and(|most| self.collected >= most)
        {
            self.terminated_early = true;
            return Ok(false);
        }
        self.collected += 1;
        if !self.request.aggregations.is_empty() && !self.is_grouped {
            let context = Context {
                filters: &self.filters,
                statistics: &self.statistics,
                weight: 1,
                score,
                held: &self.held,
            };
            self.collected_values
                .collect(&self.aggregations, &view, &context, 0)?;
        }
        if filter
            .as_ref()
            .is_some_and(|filter| filter.score(&view, &self.statistics).is_none())
        {
            return Ok(true);
        }
        self.total += 1;
        let score = self.wants_scores().then_some(score);
        self.max_score = match (self.max_score, score) {
            (Some(best), Some(score)) => Some(best.max(score)),
            (best, score) => best.or(score),
        };
        if self.request.size == 0 {
            return Ok(true);
        }
        let (document, ignored) = match self.request.is_bare {
            true => (DocumentBuf::from(&value::Document::new()), Vec::new()),
            false => (seen.document.clone(), view.ignored()),
        };
        let hit = Hit {
            index: *at,
            id: seen.id.to_owned(),
            sequence: seen.sequence,
            version: seen.version,
            score,
            document,
            nested: Vec::new(),
            ignored,
            matched: Vec::new(),
            sort: sort_values(&self.sort, &view, score, seen.sequence)?,
            counted: None,
        };
        if let Some(values) = &self.request.search_after
            && !after(&hit, values, &self.request.sort, &index.mapping)?
        {
            return Ok(true);
        }
        if let Some(last) = &self.request.after
            && !compare(&self.request.sort, last, &hit).is_lt()
        {
            return Ok(true);
        }
        let bytes = hit.bytes();
        if !self.held.fit(bytes) {
            // Those that are not among the best make room.
            self.trim();
            self.held.add(bytes)?;
        }
        self.hits.push(hit);
        if self.hits.len() >= 2 * (self.request.from + self.request.size) + 1000 {
            self.trim();
        }
        Ok(true)
    }

    /// Keeps no more hits than can be asked for.
    fn trim(&mut self) {
        let sort = &self.request.sort;
        self.hits.sort_by(|a, b| compare(sort, a, b));
        let kept = self.kept().min(self.hits.len());
        let others = self.hits.drain(kept..);
        self.held.give_back(others.map(|hit| hit.bytes()).sum());
    }

    /// Collects what aggregations have kept of the index whose documents were shown.
    fn settle(&mut self) -> Result<()> {
        let Some((at, ..)) = &self.current else {
            return Ok(());
        };
        let Some(index) = self.indices.get(*at) else {
            return Ok(());
        };
        let context = Context {
            filters: &self.filters,
            statistics: &self.statistics,
            weight: 1,
            score: 0.0,
            held: &self.held,
        };
        let place = (*at, &*index.mapping);
        self.collected_values
            .settle(&self.aggregations, place, &context)?;
        self.check_scores()?;
        self.counted
            .insert(place.0, Arc::new(std::mem::take(&mut self.statistics)));
        Ok(())
    }

    /// Hands over how often values are in other documents.
    pub fn set_background(&mut self, background: Background) {
        self.background = background;
    }

    /// How often values were found, where that is all that was asked.
    pub fn counts(self) -> Counts {
        self.collected_values.counts(self.total)
    }

    /// What it keeps, for whoever keeps something for it.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// What was found. With `typed_keys`, names of aggregations have their types in front; `show` makes of a hit within
    /// aggregations what clients see.
    pub fn finish(mut self, typed_keys: bool, show: &ShowHit<'_>) -> Result<Outcome> {
        self.check_scores()?;
        self.settle()?;
        self.trim();
        let asked = &self.aggregations;
        let aggregations = (!asked.is_empty()).then(|| {
            self.collected_values.finish(
                asked,
                &Finish {
                    typed: typed_keys,
                    show,
                    held: &self.held,
                    background: &self.background,
                    buckets: Cell::new(0),
                    buckets_max: self.request.buckets_max,
                },
            )
        });
        let from = self.request.from.min(self.hits.len());
        let mut hits = self.hits.split_off(from);
        for hit in &mut hits {
            hit.counted = self.counted.get(&hit.index).cloned();
        }
        named::mark(&mut hits, self.request, &self.indices, self.now_ms, &self.held)?;
        Ok(Outcome {
            total: self.total,
            max_score: self
                .max_score
                .filter(|_| self.request.is_by_score() || self.request.track_scores),
            hits,
            terminated_early: self.terminated_early,
            aggregations: aggregations.transpose()?,
            profiles: self.profiling.finish(self.total),
            held: self.held,
        })
    }
}
