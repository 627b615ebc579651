//! The nested objects by which a document was found: `inner_hits`.

use crate::hit::Hit;
use crate::named::Names;
use crate::order::{check, compare, sort_values};
use crate::request::Request;
use mapping::error::{Result, SearchError};
use mapping::fields::View;
use mapping::{FieldKind, Mapping};
use querying::{Clauses, compile};
use querying::{InnerHits, Query};
use serde_json::{Map, Value, json};

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

impl Request {
    /// How many nested objects are wanted, of which a document has so many at most, and in which order; and what is said of how they
    /// are shown, which is somebody else's to read.
    pub fn of_inner_hits(inner: &InnerHits, most: usize) -> Result<(Request, Map<String, Value>)> {
        let mut body = inner.body.clone();
        if let Some(other) = OUTER.iter().find(|name| body.contains_key(**name)) {
            return Err(SearchError::parsing(format!(
                "[inner_hits] unknown field [{other}]"
            )));
        }
        body.entry("size").or_insert(json!(3));
        let (request, shown) = Request::parse(&body)?;
        if request.from + request.size > most {
            return Err(SearchError::illegal(format!(
                "Inner result window is too large, the inner hit definition's [{}]'s from + size must be less than or equal to: \
                 [{most}] but was [{}]. This limit can be set by changing the [index.max_inner_result_window] index level setting.",
                inner.name.as_deref().unwrap_or_default(),
                request.from + request.size
            )));
        }
        Ok((request, shown))
    }

    /// The nested objects of a document that match, the best first. The names of queries are those of the `whole` search.
    pub fn within(
        &self,
        mapping: &Mapping,
        hit: &Hit,
        path: &str,
        query: &Query,
        whole: &Request,
        now_ms: i64,
    ) -> Result<InnerFound> {
        let node = compile(query, mapping, now_ms, &Clauses::default())?;
        self.sort.iter().try_for_each(|key| check(key, mapping))?;
        let counted = hit.counted.clone().unwrap_or_default();
        let names = Names::of(whole, mapping, now_ms)?;
        let mut hits = Vec::new();
        for (view, nested) in nested_below(hit, mapping, path) {
            let Some(score) = node.score(&view, &counted) else {
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
                nested,
                ignored: Vec::new(),
                matched: names.matched(&view, &counted)?,
                sort: sort_values(&self.sort, &view, Some(score), view.offset as u64)?,
                counted: hit.counted.clone(),
            });
        }
        let total = hits.len() as u64;
        hits.sort_by(|a, b| {
            let place = |hit: &Hit| -> Vec<usize> { hit.nested.iter().map(|(_, offset)| *offset).collect() };
            compare(&self.sort, a, b).then_with(|| place(a).cmp(&place(b)))
        });
        let hits = hits.into_iter().skip(self.from).take(self.size).collect();
        Ok(InnerFound { total, hits })
    }
}

/// The nested objects of a path in a hit, each with those that it is in.
fn nested_below<'h>(
    hit: &'h Hit,
    mapping: &'h Mapping,
    path: &'h str,
) -> Vec<(View<'h>, Vec<(String, usize)>)> {
    let scope = hit.nested.last().map_or(0, |(scope, _)| scope.len());
    let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
    let is_nested = |path: &&str| {
        let field = mapping.field(path);
        field.is_some_and(|field| field.kind == FieldKind::Nested)
    };
    let steps = ends.filter(|end| *end > scope).map(|end| &path[..end]);
    let mut found = vec![(hit.view(mapping), hit.nested.clone())];
    for step in steps.filter(is_nested) {
        let within = found.iter().flat_map(|(view, around)| {
            view.nested(step).into_iter().map(|view| {
                let mut nested = around.clone();
                nested.push((step.to_owned(), view.offset));
                (view, nested)
            })
        });
        found = within.collect();
    }
    // An object that is not nested has none.
    found.retain(|(view, _)| view.scope == Some(path));
    found
}
