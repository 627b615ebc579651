//! The best documents of a bucket.

use super::context::{Context, Finish};
use crate::held::Held;
use crate::hit::Hit;
use crate::order::{check, compare, sort_values};
use crate::sort::{SortKey, parse_sort};
use mapping::Mapping;
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use mapping::json::as_i64;
use serde_json::{Map, Value, json};

/// The documents of one bucket at most, as Elasticsearch has it.
const TOP_MAX: usize = 100;

/// What is asked of the best documents.
#[derive(Clone, Debug)]
pub(super) struct TopSpec {
    pub(super) from: usize,
    pub(super) size: usize,
    pub(super) sort: Vec<SortKey>,
    /// What is said of how hits are shown, which is somebody else's to read.
    pub(super) shown: Map<String, Value>,
}

impl TopSpec {
    pub(super) fn parse(body: &Map<String, Value>) -> Result<TopSpec> {
        let mut shown = body.clone();
        let mut count = |name: &str, default: usize| match shown.shift_remove(name) {
            None => Ok(default),
            Some(number) => as_i64(&number)
                .and_then(|number| usize::try_from(number).ok())
                .filter(|number| *number <= TOP_MAX)
                .ok_or_else(|| {
                    SearchError::illegal(format!("[{name}] of top_hits must be from 0 to {TOP_MAX}"))
                }),
        };
        let (from, size) = (count("from", 0)?, count("size", 3)?);
        let sort = shown
            .shift_remove("sort")
            .as_ref()
            .map_or(Ok(Vec::new()), parse_sort)?;
        // Hits that are sorted have scores only on demand, and here none.
        shown.shift_remove("track_scores");
        Ok(TopSpec {
            from,
            size,
            sort,
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
            score: spec.sort.is_empty().then_some(score),
            document: view.document.to_buf(),
            nested: view.scope.map(|scope| (scope.to_owned(), view.offset)),
            ignored: view.ignored(),
            sort: sort_values(&spec.sort, view, Some(score), view.sequence),
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
