//! Showing documents to a request, and keeping the best hits.

mod by_index;
mod see;

pub use by_index::NewestWanted;

use crate::aggregations::{Aggregations, Background, Collected, Context, Counts, Finish, ShowHit, Within};
use crate::hit::Hit;
use crate::named;
use crate::order::check;
use crate::profile::Profiling;
use crate::request::Request;
use crate::seen::{Index, Outcome, Seen};
use crate::sort::SortKey;
use mapping::Mapping;
use mapping::error::{Result, SearchError};
use querying::Held;
use querying::Query;
use querying::{Clauses, Node, Scored, Statistics, compile, work};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

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
        // Before it is made: few words of a request can stand for more buckets, with all that is within each, than memory has.
        let at_once = aggregations.bytes_at_once();
        held.add(at_once)?;
        let collected_values = Collected::new(&aggregations);
        held.give_back(at_once);
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

    /// How many hits are kept.
    pub fn kept(&self) -> usize {
        self.request.from + self.request.size
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
                    within: Within::default(),
                    buckets: Cell::new(0),
                    buckets_max: self.request.buckets_max,
                },
            )
        });
        let from = self.request.from.min(self.hits.len());
        let mut hits = self.hits.split_off(from);
        for hit in &mut hits {
            hit.counted = self.counted.get(&hit.index).cloned();
            // All fields are looked at for this: of the hits that are shown alone, not of all that match.
            if let Some(index) = self.indices.get(hit.index).filter(|_| !self.request.is_bare) {
                work(index.mapping.fields().count())?;
                let ignored = hit.view(&index.mapping).ignored();
                hit.ignored = ignored;
            }
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
