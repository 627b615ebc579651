//! What documents are asked for, and reading it from JSON.

mod area;
mod compound;
mod expense;
mod full_text;
mod functions;
mod fuzziness;
mod geo;
mod inner;
mod intervals;
mod knn;
mod limits;
mod lucene;
mod members;
mod names;
mod regexp_flags;
mod renamed;
mod rewrite;
mod several;
mod sides;
mod simple;
mod sizes;
mod spans;
mod term_level;
mod terms_set;
mod texts;
mod within;

pub use area::GeoArea;
pub use functions::FunctionScore;
pub(crate) use functions::{BoostMode, Curve, Decay, Function, FunctionKind, ManyMode, Modifier, ScoreMode};
pub(crate) use fuzziness::{edits, no_query};
pub use inner::InnerHits;
pub use intervals::Rule;
pub(crate) use intervals::{Relation as Standing, RuleKind};
pub use limits::{CLAUSES_MAX, DEPTH_MAX, TERMS_MAX, too_many_clauses};
pub(crate) use limits::{too_long, too_many_terms};
pub use lucene::parse_query_string;
pub(crate) use members::Least;
pub use members::{
    BoolQuery, BoostingQuery, DistanceFeatureQuery, GeoDistanceQuery, GeoWithinQuery, MultiMatchQuery,
    NearnessQuery, NestedQuery, Span, TermsSetQuery,
};
pub use renamed::FieldUse;
pub use rewrite::EXPANSIONS;
pub use rewrite::{Rewrite, Weigh};
pub(crate) use several::are_all;
pub use sides::sides as box_sides;
pub use texts::{Fuzzy, Match, MatchKind, MultiKind, ZeroTerms};

use crate::neighbours::Neighbours;
use crate::script::DocumentScript;
use crate::slice::{Slice, Sliced};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use mapping::error::{Result, SearchError};
use mapping::intervals::Relation;
use mapping::json::scalar;
use mapping::meant::meant;
use mapping::shards::Shards;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// A query.
#[derive(Clone, Debug)]
#[allow(
    missing_docs,
    reason = "the variants and their members have Elasticsearch's names"
)]
pub enum Query {
    MatchAll {
        boost: f32,
    },
    MatchNone,
    Bool(BoolQuery),
    ConstantScore {
        filter: Box<Query>,
        boost: f32,
    },
    DisMax {
        queries: Vec<Query>,
        tie_breaker: f32,
        boost: f32,
    },
    Boosting(BoostingQuery),
    Nested(NestedQuery),
    Ids {
        values: Vec<String>,
        boost: f32,
    },
    Exists {
        field: String,
        boost: f32,
    },
    Term {
        field: String,
        value: Value,
        case_insensitive: bool,
        boost: f32,
    },
    Terms {
        field: String,
        values: Vec<Value>,
        boost: f32,
    },
    Range {
        field: String,
        range: Range,
        boost: f32,
    },
    Pattern {
        field: String,
        pattern: Pattern,
        rewrite: Rewrite,
        boost: f32,
    },
    GeoDistance(GeoDistanceQuery),
    DistanceFeature(DistanceFeatureQuery),
    Nearness(NearnessQuery),
    GeoWithin(GeoWithinQuery),
    Match {
        field: String,
        text: Match,
        boost: f32,
    },
    MultiMatch(MultiMatchQuery),
    FunctionScore {
        query: Box<Query>,
        scoring: Box<FunctionScore>,
        boost: f32,
    },
    ScriptScore {
        query: Box<Query>,
        script: DocumentScript,
        min_score: Option<f32>,
        boost: f32,
    },
    Script {
        script: DocumentScript,
        boost: f32,
    },
    Intervals {
        field: String,
        rule: Box<Rule>,
        boost: f32,
    },
    /// A query that finds nothing where it cannot be asked of its field.
    Lenient(Box<Query>),
    /// A query by whose name hits say that they match it.
    Named {
        name: String,
        query: Box<Query>,
    },
    /// The nearest documents, which are to be looked for before a search can be run.
    Knn(Box<Knn>),
    /// All documents with a vector, by how near it is.
    Nearest {
        field: String,
        vector: Arc<[f32]>,
        similarity: Option<f32>,
    },
    Span {
        span: Box<Span>,
        boost: f32,
    },
    TermsSet(Box<TermsSetQuery>),
    /// The documents of one slice.
    Slice(Arc<Sliced>),
    /// The nearest documents as they were found.
    Found {
        found: Arc<Neighbours>,
        boost: f32,
    },
}

/// Which documents are wanted for their vectors.
#[derive(Clone, Debug)]
pub struct Knn {
    field: String,
    vector: Arc<[f32]>,
    /// How many.
    count: Option<usize>,
    /// How many would be looked at where not all are.
    candidates: Option<usize>,
    filters: Vec<Query>,
    /// How near they must be.
    similarity: Option<f32>,
    boost: f32,
}

impl Query {
    /// Queries of which the first must match, the second should, and the last must not.
    fn clauses(must: Vec<Query>, should: Vec<Query>, must_not: Vec<Query>, boost: f32) -> Query {
        Query::Bool(BoolQuery {
            must,
            should,
            must_not,
            boost,
            ..BoolQuery::default()
        })
    }

    /// The query that a text stands for, whose clauses are no others'.
    fn whole(self, boost: f32) -> Query {
        Query::DisMax {
            queries: vec![self],
            tie_breaker: 0.0,
            boost,
        }
    }

    /// The documents of a slice of indices, of which each has these shards.
    pub fn sliced(slice: Slice, shards: HashMap<String, Shards>) -> Query {
        Query::Slice(Arc::new(slice.of(shards)))
    }

    /// The same query, of documents that match a filter besides.
    #[must_use]
    pub fn filtered(query: Option<Query>, filter: Query) -> Query {
        Query::Bool(BoolQuery {
            must: vec![query.unwrap_or(Query::MatchAll { boost: 1.0 })],
            filter: vec![filter],
            ..BoolQuery::default()
        })
    }
}

/// How the scores of nested objects become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "Elasticsearch's names")]
pub enum NestedMode {
    Avg,
    Max,
    Min,
    Sum,
    None,
}

/// From where to where values go; each end with whether it is one of them.
#[derive(Clone, Debug, Default)]
pub struct Range {
    /// The lower end.
    pub low: Option<(Value, bool)>,
    /// The upper end.
    pub high: Option<(Value, bool)>,
    /// The formats of dates, where not those of the field.
    pub format: Option<String>,
    /// The zone of dates that name none.
    pub time_zone: Option<String>,
    /// How ranges of documents lie to this one.
    pub relation: Relation,
}

/// A pattern of terms.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "Elasticsearch's names")]
pub enum Pattern {
    Prefix { value: String, case_insensitive: bool },
    Wildcard { value: String, case_insensitive: bool },
    Regexp { value: String, case_insensitive: bool },
    Fuzzy { value: String, fuzzy: Fuzzy },
}

/// Reads a query.
pub fn parse_query(value: &Value) -> Result<Query> {
    Parser { depth: 0 }.query(value)
}

#[derive(Clone, Copy)]
struct Parser {
    depth: usize,
}

/// The name of a query, which of those that are for one field lies within what is said of it.
fn name_of(query: &str, body: &Value) -> Result<Option<String>> {
    const OF_FIELDS: [&str; 13] = [
        "fuzzy",
        "intervals",
        "match",
        "match_bool_prefix",
        "match_phrase",
        "match_phrase_prefix",
        "prefix",
        "range",
        "regexp",
        "span_term",
        "term",
        "terms_set",
        "wildcard",
    ];
    let of_field = || {
        let mut members = body.as_object()?.values();
        members.find_map(|value| value.get("_name"))
    };
    let name = match body.get("_name") {
        None if OF_FIELDS.contains(&query) => of_field(),
        name => name,
    };
    let wrong =
        |name: &Value| SearchError::parsing(format!("[{query}] [_name] must be a string, but is [{name}]"));
    name.map(|name| scalar(name).ok_or_else(|| wrong(name)))
        .transpose()
}

impl Parser {
    fn inner(self) -> Result<Parser> {
        if self.depth >= DEPTH_MAX {
            return Err(SearchError::illegal(format!(
                "The nested depth of the query exceeds the maximum nested depth for queries of [{DEPTH_MAX}]"
            )));
        }
        Ok(Parser {
            depth: self.depth + 1,
        })
    }

    fn query(self, value: &Value) -> Result<Query> {
        let parser = self.inner()?;
        let Value::Object(object) = value else {
            return Err(SearchError::parsing(
                "[_na] query malformed, must start with start_object",
            ));
        };
        let mut members = object.iter();
        let Some((name, body)) = members.next() else {
            return Err(SearchError::illegal("query malformed, empty clause found"));
        };
        if let Some((other, _)) = members.next() {
            return Err(SearchError::parsing(format!(
                "[{name}] malformed query, expected [END_OBJECT] but found [FIELD_NAME], [{other}]"
            )));
        }
        let query = parser.of_name(name, body)?;
        Ok(match name_of(name, body)? {
            None => query,
            Some(name) => Query::Named {
                name,
                query: Box::new(query),
            },
        })
    }

    /// The query of a name, with what is said of it.
    fn of_name(self, name: &str, body: &Value) -> Result<Query> {
        match name {
            "match_all" | "match_none" | "bool" | "constant_score" | "dis_max" | "boosting" | "nested" => {
                self.compound(name, body)
            }
            "distance_feature" => self.distance_feature(body),
            "function_score" | "script_score" | "script" => self.functions(name, body),
            "intervals" => intervals::parse(body),
            "knn" => Ok(Query::Knn(Box::new(self.knn(body)?))),
            "geo_distance" | "geo_bounding_box" | "geo_polygon" => self.geo(name, body),
            "wrapper" => self.wrapped(body),
            "query_string" => lucene::parse(body),
            "simple_query_string" => simple::parse(body),
            "ids" | "exists" | "term" | "terms" | "range" | "prefix" | "wildcard" | "regexp" | "fuzzy" => {
                term_level::parse(name, body)
            }
            "match" | "match_phrase" | "match_phrase_prefix" | "match_bool_prefix" | "multi_match" => {
                full_text::parse(name, body)
            }
            "field_masking_span" | "span_containing" | "span_first" | "span_multi" | "span_near"
            | "span_not" | "span_or" | "span_term" | "span_within" => self.span(name, body),
            "terms_set" => Self::terms_set(body),
            "type" => term_level::of_type(body),
            "more_like_this" | "common" | "geo_shape" | "has_child" | "has_parent" | "parent_id"
            | "percolate" | "pinned" | "rank_feature" | "semantic" | "combined_fields" => {
                Err(SearchError::unsupported(format!("the query [{name}]")))
            }
            other => Err(SearchError::parsing(format!(
                "unknown query [{other}]{}",
                meant(other, names::NAMES)
            ))),
        }
    }

    /// A query whose JSON comes in base64.
    fn wrapped(self, body: &Value) -> Result<Query> {
        let malformed = |why: &str| SearchError::parsing(format!("[wrapper] query malformed{why}"));
        let members = body.as_object().filter(|members| members.len() == 1);
        let member = members.and_then(|members| members.iter().next());
        let (name, given) = member.ok_or_else(|| malformed(""))?;
        if name != "query" {
            return Err(malformed(&format!(", expected `query` but was {name}")));
        }
        let bytes = given.as_str().and_then(|text| STANDARD.decode(text).ok());
        let query: Option<Value> = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
        self.query(&query.ok_or_else(|| malformed(", [query] is no JSON in base64"))?)
    }

    fn queries(self, value: &Value) -> Result<Vec<Query>> {
        let values = mapping::json::one_or_many(value);
        if values.len() > CLAUSES_MAX {
            return Err(too_many_clauses(CLAUSES_MAX));
        }
        values.into_iter().map(|value| self.query(value)).collect()
    }
}
