//! The best documents of a bucket.

use super::context::{Context, Finish};
use crate::hit::Hit;
use crate::order::{check, compare, sort_values};
use crate::sort::{SortKey, parse_sort, unfiltered};
use mapping::Mapping;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::View;
use mapping::json::as_i64;
use mapping::short::shortest;
use querying::Held;
use serde_json::{Map, Value, json};

/// The documents of one bucket at most, as Elasticsearch has it.
const TOP_MAX: usize = 100;

/// What is asked of the best documents.
#[derive(Clone, Debug)]
pub(super) struct TopSpec {
    pub(super) from: usize,
    pub(super) size: usize,
    pub(super) sort: Vec<SortKey>,
    /// Whether hits carry their scores.
    has_scores: bool,
    /// Whether the best of their scores is given.
    has_best: bool,
    /// What is said of how hits are shown, which is somebody else's to read.
    pub(super) shown: Map<String, Value>,
}

impl TopSpec {
    pub(super) fn parse(name: &str, body: &Map<String, Value>) -> Result<TopSpec> {
        let mut shown = body.clone();
        let mut count = |member: &str, default: usize| match shown.shift_remove(member) {
            None => Ok(default),
            Some(given) => match as_i64(&given) {
                Some(number) if number >= 0 => Ok(number as usize),
                Some(number) => Err(SearchError::illegal(format!(
                    "[{member}] must be greater than or equal to 0. Found [{number}] in [{name}]"
                ))),
                None => Err(SearchError::new(
                    ErrorKind::NumberFormat,
                    format!("For input string: {given}"),
                )),
            },
        };
        let (from, size) = (count("from", 0)?, count("size", 3)?);
        if from.saturating_add(size) > TOP_MAX {
            return Err(SearchError::illegal(format!(
                "Top hits result window is too large, the top hits aggregator [{name}]'s from + size must be less than or equal to: \
                 [{TOP_MAX}] but was [{}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.",
                from + size
            )));
        }
        let sort = shown
            .shift_remove("sort")
            .as_ref()
            .map_or(Ok(Vec::new()), parse_sort)
            .and_then(unfiltered)?;
        let tracked = shown.shift_remove("track_scores");
        let has_best = sort.is_empty() || tracked == Some(Value::Bool(true));
        let has_scores = has_best || sort.iter().any(|key| matches!(key, SortKey::Score(_)));
        Ok(TopSpec {
            from,
            size,
            sort,
            has_scores,
            has_best,
            shown,
        })
    }

    pub(super) fn check(&self, mapping: &Mapping) -> Result<()> {
        self.sort.iter().try_for_each(|key| check(key, mapping))
    }
}

/// The best so far.
#[derive(Clone, Debug, Default)]
pub(super) struct TopHits {
    hits: Vec<Hit>,
    count: u64,
}

impl TopHits {
    /// About the bytes of the hits.
    pub(super) fn bytes(&self) -> usize {
        self.hits.iter().map(Hit::bytes).sum()
    }

    pub(super) fn collect(&mut self, spec: &TopSpec, view: &View<'_>, context: &Context<'_>) -> Result<()> {
        self.count += 1;
        let score = context.score;
        let hit = Hit {
            index: view.index_at,
            id: view.id.to_owned(),
            sequence: view.sequence,
            version: view.version,
            score: spec.has_scores.then_some(score),
            document: view.document.to_buf(),
            nested: view
                .scope
                .map(|scope| (scope.to_owned(), view.offset))
                .into_iter()
                .collect(),
            ignored: view.ignored(),
            matched: Vec::new(),
            sort: sort_values(&spec.sort, view, Some(score), view.sequence)?,
            counted: None,
        };
        let bytes = hit.bytes();
        if !context.held.fit(bytes) {
            self.trim(spec, context.held);
            context.held.add(bytes)?;
        }
        self.hits.push(hit);
        if self.hits.len() >= 2 * (spec.from + spec.size) + 100 {
            self.trim(spec, context.held);
        }
        Ok(())
    }

    fn trim(&mut self, spec: &TopSpec, held: &Held) {
        self.hits.sort_by(|a, b| compare(&spec.sort, a, b));
        let others = self.hits.drain((spec.from + spec.size).min(self.hits.len())..);
        held.give_back(others.map(|hit| hit.bytes()).sum());
    }

    pub(super) fn finish(mut self, spec: &TopSpec, context: &Finish<'_>) -> Result<Map<String, Value>> {
        self.trim(spec, context.held);
        let best = self.hits.iter().filter_map(|hit| hit.score).reduce(f32::max);
        let best = best.filter(|_| spec.has_best).map(shortest);
        let from = spec.from.min(self.hits.len());
        let hits = self.hits[from..].iter();
        let shown: Vec<Value> = hits
            .map(|hit| {
                let shown = (context.show)(hit, &spec.sort, &spec.shown)?;
                context.held.add_shown(&shown).map(|()| shown)
            })
            .collect::<Result<_>>()?;
        Ok(Map::from_iter([(
            "hits".to_owned(),
            json!({"total": {"value": self.count, "relation": "eq"}, "max_score": best, "hits": shown}),
        )]))
    }
}
