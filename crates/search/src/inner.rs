//! The nested objects by which a document was found: `inner_hits`.

use crate::hit::Hit;
use crate::matching::{Clauses, Statistics, compile};
use crate::order::{check, compare, sort_values};
use crate::query::{InnerHits, Query};
use crate::request::Request;
use mapping::Mapping;
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use serde_json::{Map, Value, json};

/// The nested objects of one document at most, as Elasticsearch has it.
const INNER_MAX: usize = 100;
/// What of a search is not asked of nested objects.
const OUTER: [&str; 5] = ["query", "aggs", "aggregations", "post_filter", "search_after"];

/// The nested objects of one path in a document that match.
#[derive(Debug)]
pub struct InnerFound {
    /// How many.
    pub total: u64,
    /// Those that are wanted.
    pub hits: Vec<Hit>,
}

impl Query {
    /// What is wanted of nested objects, each with the path and the query of those.
    pub fn inner_hits(&self) -> Vec<(&str, &Query, &InnerHits)> {
        let mut found = Vec::new();
        self.add_inner_hits(&mut found);
        found
    }

    fn add_inner_hits<'q>(&'q self, out: &mut Vec<(&'q str, &'q Query, &'q InnerHits)>) {
        let mut all = |queries: &'q [Query]| queries.iter().for_each(|query| query.add_inner_hits(out));
        match self {
            Query::Bool {
                must, filter, should, ..
            } => [must, filter, should]
                .into_iter()
                .for_each(|queries| all(queries)),
            Query::DisMax { queries, .. } => all(queries),
            Query::ConstantScore { filter: query, .. }
            | Query::Boosting { positive: query, .. }
            | Query::FunctionScore { query, .. }
            | Query::ScriptScore { query, .. } => query.add_inner_hits(out),
            Query::Nested {
                path,
                query,
                inner: Some(inner),
                ..
            } => out.push((path, query, inner)),
            _ => {}
        }
    }
}

impl InnerHits {
    /// How many are wanted and in which order; and what is said of how they are shown, which is somebody else's to read.
    pub fn request(&self) -> Result<(Request, Map<String, Value>)> {
        let mut body = self.body.clone();
        if let Some(other) = OUTER.iter().find(|name| body.contains_key(**name)) {
            return Err(SearchError::parsing(format!(
                "[inner_hits] unknown field [{other}]"
            )));
        }
        body.entry("size").or_insert(json!(3));
        let (request, shown) = Request::parse(&body)?;
        if request.from + request.size > INNER_MAX {
            return Err(SearchError::illegal(format!(
                "Inner result window is too large, the inner hit definition's [{}]'s from + size must be less than or equal to: \
                 [{INNER_MAX}] but was [{}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.",
                self.name.as_deref().unwrap_or_default(),
                request.from + request.size
            )));
        }
        Ok((request, shown))
    }
}

impl Request {
    /// The nested objects of a document that match, the best first. They are scored by themselves, not by what other documents have.
    pub fn within(
        &self,
        mapping: &Mapping,
        hit: &Hit,
        path: &str,
        query: &Query,
        now_ms: i64,
    ) -> Result<InnerFound> {
        let node = compile(query, mapping, now_ms, &Clauses::default())?;
        self.sort.iter().try_for_each(|key| check(key, mapping))?;
        let statistics = Statistics::default();
        let whole = View {
            index_at: hit.index,
            version: hit.version,
            id: &hit.id,
            sequence: hit.sequence,
            ..View::of_document(mapping, hit.document.as_ref())
        };
        let mut hits = Vec::new();
        for view in whole.nested(path) {
            let Some(score) = node.score(&view, &statistics) else {
                continue;
            };
            let is_scored = self.is_by_score() || self.track_scores;
            hits.push(Hit {
                index: hit.index,
                id: hit.id.clone(),
                sequence: hit.sequence,
                version: hit.version,
                score: is_scored.then_some(score),
                document: view.document.to_buf(),
                nested: Some((path.to_owned(), view.offset)),
                ignored: Vec::new(),
                sort: sort_values(&self.sort, &view, Some(score), view.offset as u64),
            });
        }
        let total = hits.len() as u64;
        hits.sort_by(|a, b| {
            let place = |hit: &Hit| hit.nested.as_ref().map_or(0, |(_, offset)| *offset);
            compare(&self.sort, a, b).then_with(|| place(a).cmp(&place(b)))
        });
        let hits = hits.into_iter().skip(self.from).take(self.size).collect();
        Ok(InnerFound { total, hits })
    }
}
