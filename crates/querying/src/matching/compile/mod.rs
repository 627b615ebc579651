//! From queries to tests, by the types of fields.

mod covering;
mod distances;
mod functions;
mod intervals;
mod nearest;
mod patterns;
mod ranges;
mod spans;
mod texts;

use super::leaf::Leaf;
use super::minimum::minimum;
use super::patterns::TermPattern;
use super::test::{Test, flag_term};
use super::{Clauses, Node};
use crate::query::{BoolQuery, BoostingQuery, NestedQuery, Pattern, Query, no_query};
use mapping::asked;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::{self, Term};
use mapping::json::scalar;
use mapping::{Field, FieldKind, Mapping, Meta};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

/// Makes a query ready for documents of this mapping. `now_ms` is what `now` means; what it comes to is counted in `clauses`.
pub fn compile(query: &Query, mapping: &Mapping, now_ms: i64, clauses: &Clauses) -> Result<Node> {
    let compiler = Compiler {
        mapping,
        now_ms,
        clauses,
    };
    compiler.node(query)
}

#[derive(Clone, Copy)]
struct Compiler<'m> {
    mapping: &'m Mapping,
    now_ms: i64,
    clauses: &'m Clauses,
}

impl Compiler<'_> {
    fn node(self, query: &Query) -> Result<Node> {
        Ok(match query {
            Query::MatchAll { boost } => Node::All(*boost),
            Query::MatchNone => Node::Nothing,
            Query::Named { query, .. } => self.node(query)?,
            Query::Lenient(query) => patterns::leniently(self.node(query))?,
            Query::Bool(query) => self.bool(query)?,
            Query::ConstantScore { filter, boost } => Node::Constant(Box::new(self.node(filter)?), *boost),
            Query::DisMax {
                queries,
                tie_breaker,
                boost,
            } => Node::DisMax(self.nodes(queries)?, *tie_breaker, *boost),
            Query::Boosting(query) => self.boosting(query)?,
            Query::Nested(query) => self.nested(query)?,
            Query::Ids { values, boost } => Node::Ids(values.iter().cloned().collect(), *boost),
            Query::Exists { field, boost } => self.exists(field, *boost)?,
            Query::Term {
                field,
                value,
                case_insensitive,
                boost,
            } => self.term(field, value, *case_insensitive, *boost)?,
            Query::Terms { field, values, boost } => self.terms(field, values, *boost)?,
            Query::Range { field, range, boost } => self.range(field, range, *boost)?,
            Query::Pattern {
                field,
                pattern,
                rewrite,
                boost,
            } => self.pattern(field, pattern, *rewrite, *boost)?,
            Query::GeoDistance(query) => self.geo_distance(query)?,
            Query::DistanceFeature(query) => self.distance_feature(query)?,
            Query::Nearness(query) => self.nearness(query)?,
            Query::GeoWithin(query) => self.geo_within(query)?,
            Query::FunctionScore {
                query,
                scoring,
                boost,
            } => self.function_score(query, scoring, *boost)?,
            Query::ScriptScore {
                query,
                script,
                min_score,
                boost,
            } => self.script_score(query, script, *min_score, *boost)?,
            Query::Script { script, boost } => Node::Script(script.clone(), *boost),
            Query::Intervals { field, rule, boost } => self.intervals(field, rule, *boost)?,
            Query::Match { field, text, boost } => self.match_text(field, text, *boost)?,
            Query::MultiMatch(query) => self.multi_match(query)?,
            Query::Span { span, boost } => self.span(span, *boost)?,
            Query::TermsSet(query) => self.terms_set(query)?,
            Query::Slice(_) | Query::Nearest { .. } | Query::Found { .. } | Query::Knn(_) => {
                self.by_place(query)?
            }
        })
    }

    /// What is asked of documents by what they are and how near they are, not by their terms.
    fn by_place(self, query: &Query) -> Result<Node> {
        match query {
            Query::Nearest {
                field,
                vector,
                similarity,
            } => self.nearest(field, vector, *similarity),
            Query::Slice(sliced) => Ok(Node::Slice(sliced.clone(), sliced.field(self.mapping)?)),
            Query::Found { found, boost } => Ok(Node::Found(found.clone(), *boost)),
            _ => Err(not_looked_for()),
        }
    }

    fn boosting(self, query: &BoostingQuery) -> Result<Node> {
        Ok(Node::Boosting {
            positive: Box::new(self.node(&query.positive)?),
            negative: Box::new(self.node(&query.negative)?),
            factor: query.negative_boost,
            boost: query.boost,
        })
    }

    fn nested(self, query: &NestedQuery) -> Result<Node> {
        if !self.is_nested(&query.path, query.ignore_unmapped)? {
            return Ok(Node::Nothing);
        }
        Ok(Node::Nested {
            path: query.path.clone(),
            node: Box::new(self.node(&query.query)?),
            mode: query.mode,
            boost: query.boost,
        })
    }

    fn bool(self, query: &BoolQuery) -> Result<Node> {
        let boost = query.boost;
        if query.clauses().next().is_none() {
            return Ok(Node::All(boost));
        }
        // In this order, so that of several clauses that cannot be made the one is told that Elasticsearch tells.
        let must = self.said(&query.must)?;
        let must_not = self.said(&query.must_not)?;
        let should = self.spread(&query.should)?;
        let filter = self.said(&query.filter)?;
        let asks_nothing = must.is_empty() && filter.is_empty() && should.is_empty();
        if asks_nothing && (must_not.is_empty() || !query.finds_others) {
            return Ok(Node::Nothing);
        }
        let default = usize::from(must.is_empty() && filter.is_empty() && !should.is_empty());
        let minimum = match &query.minimum {
            // Where nothing else has to match, one of these has to, whatever was said.
            Some(spec) => minimum(spec, should.len())?.max(default),
            None => default,
        };
        Ok(Node::Bool {
            must,
            filter,
            should,
            must_not,
            minimum,
            boost,
        })
    }

    /// The clauses that say something.
    fn said(self, queries: &[Query]) -> Result<Vec<Node>> {
        let mut nodes = Vec::with_capacity(queries.len());
        for query in queries {
            if !self.says_nothing(query)? {
                nodes.push(self.node(query)?);
            }
        }
        Ok(nodes)
    }

    /// The same, with the terms of texts that count as clauses.
    fn spread(self, queries: &[Query]) -> Result<Vec<Node>> {
        let mut nodes = Vec::with_capacity(queries.len());
        for query in queries {
            if self.says_nothing(query)? {
                continue;
            }
            let counts = matches!(query, Query::Match { text, .. } if text.is_spread && !text.all);
            match self.node(query)? {
                Node::Bool {
                    should,
                    minimum: 1,
                    boost,
                    ..
                } if counts && boost == 1.0 => nodes.extend(should),
                node => nodes.push(node),
            }
        }
        Ok(nodes)
    }

    /// Whether there are nested objects at a path; that there are none is an error, unless it is not to be.
    fn is_nested(self, path: &str, ignore_unmapped: bool) -> Result<bool> {
        match self.mapping.field(path) {
            Some(field) if field.kind == FieldKind::Nested => Ok(true),
            _ if ignore_unmapped => Ok(false),
            _ => {
                let reason = format!("[nested] failed to find nested object under path [{path}]");
                Err(no_query(&reason))
            }
        }
    }

    fn nodes(self, queries: &[Query]) -> Result<Vec<Node>> {
        queries.iter().map(|query| self.node(query)).collect()
    }

    /// The fields of a name, in which `*` may stand for any text.
    fn fields(self, name: &str) -> Vec<Arc<Field>> {
        if !name.contains('*') {
            return self
                .mapping
                .field(name)
                .map(Cow::into_owned)
                .into_iter()
                .collect();
        }
        let matching = self
            .mapping
            .fields()
            .filter(|(full, _)| fields::simple_match(name, full));
        matching.map(|(_, field)| field.clone()).collect()
    }

    fn searchable(self, name: &str) -> Result<Option<Arc<Field>>> {
        let Some(field) = self.mapping.field(name).map(Cow::into_owned) else {
            return Ok(None);
        };
        if !field.index {
            return Err(SearchError::new(
                ErrorKind::QueryShard,
                format!("failed to create query: Cannot search on field [{name}] since it is not indexed."),
            ));
        }
        if matches!(field.kind, FieldKind::Binary) {
            return Err(SearchError::new(
                ErrorKind::QueryShard,
                "Binary fields do not support searching",
            ));
        }
        if field.is_vector() {
            let kind = &field.type_name;
            return Err(SearchError::new(
                ErrorKind::QueryShard,
                format!(
                    "failed to create query: Field [{name}] of type [{kind}] doesn't support term queries"
                ),
            ));
        }
        Ok(Some(field).filter(|field| !field.is_object()))
    }

    fn exists(self, name: &str, boost: f32) -> Result<Node> {
        if matches!(name, "_id" | "_index" | "_seq_no" | "_type" | "_version") {
            return Ok(Node::All(boost));
        }
        if name == "_source" {
            let reason = "The _source field is not searchable";
            return Err(SearchError::new(ErrorKind::QueryShard, reason));
        }
        let inside = format!("{name}.");
        let of_object = self.mapping.field(name).is_some_and(|field| field.is_object());
        let named = match of_object {
            // An object is there where any of its fields is.
            true => self.fields(&format!("{inside}*")),
            false => self.fields(name),
        };
        self.clauses.add(named.len())?;
        let named = named.into_iter().filter(|field| !field.is_object());
        let tests = named.map(|field| leaf(field, Test::Exists, 1.0)).collect();
        Ok(Node::Constant(Box::new(Node::DisMax(tests, 0.0, 1.0)), boost))
    }

    fn term(self, name: &str, value: &Value, case_insensitive: bool, boost: f32) -> Result<Node> {
        self.clauses.add(1)?;
        if name == "_id" {
            return Ok(Node::Ids(scalar(value).into_iter().collect(), boost));
        }
        if name == "_type" {
            return Ok(of_type(std::slice::from_ref(value), boost));
        }
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        if case_insensitive && !field.is_textual() {
            let reason = format!(
                "[{name}] field which is of type [{}], does not support case insensitive term queries",
                field.type_name
            );
            return Err(SearchError::new(ErrorKind::QueryShard, reason));
        }
        let test = match &field.kind {
            kind if field.is_textual() => {
                let text = scalar(value).unwrap_or_default();
                if field.meta == Some(Meta::Constant) && !case_insensitive {
                    return Ok(of_constant(&field, |constant| constant == text, boost));
                }
                if case_insensitive {
                    let pattern = Pattern::Regexp {
                        value: super::patterns::quoted(&text),
                        case_insensitive,
                    };
                    Test::Pattern(TermPattern::of(&pattern, self.clauses, str::to_owned)?)
                } else if *kind == FieldKind::Keyword {
                    Test::Term(normalized(&field, &text))
                } else {
                    Test::Term(text)
                }
            }
            FieldKind::Date | FieldKind::Range(_) => {
                let range = crate::query::Range {
                    low: Some((value.clone(), true)),
                    high: Some((value.clone(), true)),
                    ..crate::query::Range::default()
                };
                return self.range(name, &range, boost);
            }
            FieldKind::Point => {
                let reason = format!(
                    "Geometry fields do not support exact searching, use dedicated geometry queries instead: [{name}]"
                );
                return Err(SearchError::new(ErrorKind::QueryShard, reason));
            }
            FieldKind::Ip if scalar(value).is_some_and(|text| text.contains('/')) => network(value)?,
            kind => match asked::value(&field, kind, value)? {
                Some(Term::Boolean(flag)) => Test::Term(flag_term(flag).to_owned()),
                Some(value) => Test::Values(vec![value]),
                None => return Ok(Node::Nothing),
            },
        };
        Ok(leaf(field, test, boost))
    }

    fn terms(self, name: &str, values: &[Value], boost: f32) -> Result<Node> {
        if name == "_id" {
            return Ok(Node::Ids(values.iter().filter_map(scalar).collect(), boost));
        }
        if name == "_type" {
            return Ok(of_type(values, boost));
        }
        let Some(field) = self.searchable(name)? else {
            return Ok(Node::Nothing);
        };
        if field.is_textual() {
            let texts = values.iter().filter_map(scalar);
            if field.meta == Some(Meta::Constant) {
                let texts: Vec<String> = texts.collect();
                return Ok(of_constant(
                    &field,
                    |constant| texts.iter().any(|text| text == constant),
                    boost,
                ));
            }
            let words: HashSet<String> = match field.kind {
                FieldKind::Keyword => texts.map(|text| normalized(&field, &text)).collect(),
                _ => texts.collect(),
            };
            return Ok(leaf(field, Test::AnyTerm(words), boost));
        }
        let nodes = values.iter().map(|value| self.term(name, value, false, 1.0));
        let nodes = nodes.collect::<Result<Vec<_>>>()?;
        Ok(Node::Constant(Box::new(Node::DisMax(nodes, 0.0, 1.0)), boost))
    }
}

fn not_looked_for() -> SearchError {
    SearchError::unsupported("the query [knn] within [nested] and in aggregations")
}

/// All documents, if these names are those of types: all documents have one.
fn of_type(names: &[Value], boost: f32) -> Node {
    match names.iter().any(|name| name.as_str() == Some("_doc")) {
        true => Node::All(boost),
        false => Node::Nothing,
    }
}

/// All documents, if the one value of a field is such.
fn of_constant(field: &Field, is_it: impl FnOnce(&str) -> bool, boost: f32) -> Node {
    match field.constant.as_deref().is_some_and(is_it) {
        true => Node::All(boost),
        false => Node::Nothing,
    }
}

fn leaf(field: Arc<Field>, test: Test, boost: f32) -> Node {
    Node::Leaf(Box::new(Leaf { field, test, boost }))
}

fn normalized(field: &Field, text: &str) -> String {
    match &field.normalizer {
        Some(normalizer) => normalizer.normalize(text),
        None => text.to_owned(),
    }
}

fn network(value: &Value) -> Result<Test> {
    let text = scalar(value).unwrap_or_default();
    let invalid = || SearchError::illegal(format!("'{text}' is not an IP network"));
    let (address, bits) = text.split_once('/').ok_or_else(invalid)?;
    let ip = fields::ip(address).ok_or_else(invalid)?;
    let bits: u8 = bits.parse().map_err(|_| invalid())?;
    let least = if ip.to_ipv4_mapped().is_some() { 96 } else { 0 };
    let bits = least + u32::from(bits);
    (bits <= 128)
        .then_some(Test::Network(ip, bits))
        .ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse_query;
    use mapping::analysis::Analysis;
    use serde_json::json;

    fn compiled(query: &Value) -> Result<Node> {
        let source =
            json!({"properties": {"k": {"type": "keyword"}, "t": {"type": "text"}, "n": {"type": "long"}}});
        let mapping = Mapping::parse(&source, Analysis::default()).expect("a mapping");
        compile(&parse_query(query)?, &mapping, 0, &Clauses::default())
    }

    #[test]
    fn what_must_not_match_alone_finds_others_where_it_may() {
        let found = |adjusts: bool| {
            let query = json!({"bool": {"must_not": {"term": {"k": "a"}}, "adjust_pure_negative": adjusts}});
            !matches!(compiled(&query), Ok(Node::Nothing))
        };
        assert!(found(true));
        assert!(!found(false));
    }

    #[test]
    fn all_documents_have_a_type_and_a_version() {
        for field in ["_id", "_type", "_version"] {
            let node = compiled(&json!({"exists": {"field": field}}));
            assert!(matches!(node, Ok(Node::All(_))), "{field}");
        }
    }

    #[test]
    fn queries_that_an_index_cannot_answer_are_refused_as_by_elasticsearch() {
        let text = |kind: &str, field: &str| json!({kind: {field: {"query": "a", "analyzer": "none"}}});
        for (query, wanted) in [
            (
                json!({"nested": {"path": "k", "query": {"match_all": {}}}}),
                "failed to create query: [nested] failed to find nested object under path [k]",
            ),
            (
                json!({"exists": {"field": "_source"}}),
                "The _source field is not searchable",
            ),
            (text("match", "t"), "[match] analyzer [none] not found"),
            (text("match", "n"), "[match] analyzer [none] not found"),
            (text("match", "missing"), "[match] analyzer [none] not found"),
            (
                text("match_phrase", "k"),
                "[match_phrase] analyzer [none] not found",
            ),
            (
                text("match_phrase_prefix", "t"),
                "[match_phrase_prefix] analyzer [none] not found",
            ),
            (
                text("match_bool_prefix", "t"),
                "[match_bool_prefix] analyzer [none] not found",
            ),
            (
                json!({"multi_match": {"query": "a", "fields": ["t"], "type": "phrase", "analyzer": "none"}}),
                "[multi_match] analyzer [none] not found",
            ),
        ] {
            let error = compiled(&query).expect_err("refused");
            assert_eq!(
                error.to_string(),
                format!("query_shard_exception: {wanted}"),
                "{query}"
            );
        }
    }
}
