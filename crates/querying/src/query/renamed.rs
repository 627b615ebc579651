//! A query on fields of other names.

use super::{Query, Range};
use serde_json::Value;

/// What is asked of a field, which may say what it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldUse {
    /// Its texts, or a value that a text stands for.
    Text,
    /// Its texts, by a pattern.
    Pattern,
    /// Its values between two texts.
    Texts,
    /// Its values between two numbers.
    Numbers,
    /// Whether it is there.
    Presence,
}

impl Query {
    /// The query with each field that it names in its place the fields that `names` gives; of several any may match.
    #[must_use]
    pub fn renamed(self, names: &dyn Fn(&str, FieldUse) -> Vec<String>) -> Query {
        let all = |queries: Vec<Query>| queries.into_iter().map(|query| query.renamed(names)).collect();
        match self {
            Query::Bool {
                must,
                filter,
                should,
                must_not,
                minimum,
                boost,
            } => Query::Bool {
                must: all(must),
                filter: all(filter),
                should: all(should),
                must_not: all(must_not),
                minimum,
                boost,
            },
            Query::DisMax {
                queries,
                tie_breaker,
                boost,
            } => Query::DisMax {
                queries: all(queries),
                tie_breaker,
                boost,
            },
            Query::Match { field, text, boost } => any(names(&field, FieldUse::Text), |field| Query::Match {
                field,
                text: text.clone(),
                boost,
            }),
            Query::Lenient(query) => Query::Lenient(Box::new(query.renamed(names))),
            Query::Pattern {
                field,
                pattern,
                rewrite,
                boost,
            } => any(names(&field, FieldUse::Pattern), |field| Query::Pattern {
                field,
                pattern: pattern.clone(),
                rewrite,
                boost,
            }),
            Query::Range { field, range, boost } => {
                any(names(&field, between(&range)), |field| Query::Range {
                    field,
                    range: range.clone(),
                    boost,
                })
            }
            Query::Exists { field, boost } => any(names(&field, FieldUse::Presence), |field| Query::Exists {
                field,
                boost,
            }),
            Query::MultiMatch {
                fields,
                kind,
                tie_breaker,
                text,
                boost,
            } => {
                let named = fields.iter().flat_map(|(field, boost)| {
                    let names = names(field, FieldUse::Text).into_iter();
                    names.map(|name| (name, *boost))
                });
                let fields: Vec<(String, f32)> = named.collect();
                if fields.is_empty() {
                    return Query::MatchNone;
                }
                Query::MultiMatch {
                    fields,
                    kind,
                    tie_breaker,
                    text,
                    boost,
                }
            }
            other => other,
        }
    }
}

fn between(range: &Range) -> FieldUse {
    let is_number = |(value, _): &(Value, bool)| mapping::json::as_f64(value).is_some();
    match range.low.iter().chain(&range.high).all(is_number) {
        true => FieldUse::Numbers,
        false => FieldUse::Texts,
    }
}

fn any(names: Vec<String>, query: impl Fn(String) -> Query) -> Query {
    let mut queries: Vec<Query> = names.into_iter().map(query).collect();
    match (queries.len(), queries.pop()) {
        (1, Some(only)) => only,
        (_, None) => Query::MatchNone,
        (_, Some(last)) => {
            queries.push(last);
            Query::DisMax {
                queries,
                tie_breaker: 0.0,
                boost: 1.0,
            }
        }
    }
}
