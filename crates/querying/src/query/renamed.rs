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
    pub fn renamed(mut self, names: &dyn Fn(&str, FieldUse) -> Vec<String>) -> Query {
        self.rename(names);
        self
    }

    fn rename(&mut self, names: &dyn Fn(&str, FieldUse) -> Vec<String>) {
        let named = match self {
            Query::Bool(query) => return query.clauses_mut().for_each(|query| query.rename(names)),
            Query::DisMax { queries, .. } => {
                return queries.iter_mut().for_each(|query| query.rename(names));
            }
            Query::Lenient(query) => return query.rename(names),
            Query::MultiMatch(query) => {
                let named = query.fields.iter().flat_map(|(field, boost)| {
                    let names = names(field, FieldUse::Text).into_iter();
                    names.map(|name| (name, *boost))
                });
                query.fields = named.collect();
                if query.fields.is_empty() {
                    *self = Query::MatchNone;
                }
                return;
            }
            Query::Match { field, .. } => names(field, FieldUse::Text),
            Query::Pattern { field, .. } => names(field, FieldUse::Pattern),
            Query::Range { field, range, .. } => names(field, between(range)),
            Query::Exists { field, .. } => names(field, FieldUse::Presence),
            _ => return,
        };
        *self = any(named, |name| self.clone().of_field(name));
    }

    /// The same query of another field, if it is of one.
    fn of_field(mut self, name: String) -> Query {
        if let Query::Match { field, .. }
        | Query::Pattern { field, .. }
        | Query::Range { field, .. }
        | Query::Exists { field, .. } = &mut self
        {
            *field = name;
        }
        self
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
