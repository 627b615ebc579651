//! Queries whose cost grows with the terms and documents of an index, which a cluster may forbid.

use super::{Match, MatchKind, Pattern, Query};

const PREFIX: &str = "[prefix] queries";

impl Query {
    /// What Elasticsearch calls the first query within this one that is expensive; `type_of` tells the mapped type of a field. Fields of
    /// the type `wildcard` are made for patterns.
    pub fn expense(&self, type_of: &dyn Fn(&str) -> Option<String>) -> Option<&'static str> {
        let first = |queries: &mut dyn Iterator<Item = &Query>| {
            let mut found = queries.filter_map(|query| query.expense(type_of));
            found.next()
        };
        match self {
            Query::Pattern { field, .. } if type_of(field).as_deref() == Some("wildcard") => None,
            Query::Pattern { pattern, .. } => Some(match pattern {
                Pattern::Prefix { .. } => PREFIX,
                Pattern::Wildcard { .. } => "[wildcard] queries",
                Pattern::Regexp { .. } => "[regexp] queries",
                Pattern::Fuzzy { .. } => "[fuzzy] queries",
            }),
            Query::Range { field, .. } if type_of(field).is_some_and(|kind| is_string(&kind)) => {
                Some("[range] queries on [text] or [keyword] fields")
            }
            Query::Match { text, .. } => text.expense(),
            Query::MultiMatch(query) => query.text.expense(),
            Query::Script { .. } => Some("[script] queries"),
            Query::ScriptScore { .. } => Some("[script score] queries"),
            Query::Nested(_) => Some("[joining] queries"),
            Query::Bool(query) => first(&mut query.clauses()),
            Query::DisMax { queries, .. } => first(&mut queries.iter()),
            Query::Boosting(query) => first(&mut [&*query.positive, &*query.negative].into_iter()),
            Query::ConstantScore { filter: query, .. }
            | Query::Named { query, .. }
            | Query::Lenient(query) => query.expense(type_of),
            Query::FunctionScore { query, scoring, .. } => {
                let filters = scoring.functions.iter().filter_map(|one| one.filter.as_ref());
                first(&mut filters.chain(std::iter::once(&**query)))
            }
            _ => None,
        }
    }
}

/// Whether fields of this type are ranges of terms to a query for a range.
fn is_string(kind: &str) -> bool {
    matches!(
        kind,
        "text" | "keyword" | "match_only_text" | "search_as_you_type"
    )
}

impl Match {
    fn expense(&self) -> Option<&'static str> {
        match self.kind {
            MatchKind::BoolPrefix => Some(PREFIX),
            _ => self.fuzzy.is_some().then_some("[fuzzy] queries"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_query;
    use serde_json::json;
    use std::collections::BTreeMap;

    #[test]
    fn what_is_expensive_is_found_wherever_it_is() {
        let types = BTreeMap::from([("t", "text"), ("m", "match_only_text"), ("w", "wildcard")]);
        for (query, wanted) in [
            (
                json!({"bool": {"filter": [{"term": {"a": 1}}, {"prefix": {"a": "b"}}]}}),
                Some("[prefix] queries"),
            ),
            (
                json!({"constant_score": {"filter": {"wildcard": {"a": "b*"}}}}),
                Some("[wildcard] queries"),
            ),
            (
                json!({"match": {"t": {"query": "a", "fuzziness": 1}}}),
                Some("[fuzzy] queries"),
            ),
            (
                json!({"range": {"t": {"gt": "a"}}}),
                Some("[range] queries on [text] or [keyword] fields"),
            ),
            (
                json!({"range": {"m": {"gt": "a"}}}),
                Some("[range] queries on [text] or [keyword] fields"),
            ),
            (json!({"range": {"n": {"gt": 1}}}), None),
            (json!({"match": {"t": "a"}}), None),
            (json!({"wildcard": {"w": "b*"}}), None),
            (
                json!({"nested": {"path": "p", "query": {"match_all": {}}}}),
                Some("[joining] queries"),
            ),
        ] {
            let found = parse_query(&query)
                .expect("a query")
                .expense(&|field| types.get(field).map(|name| (*name).to_owned()));
            assert_eq!(found, wanted, "{query}");
        }
    }
}
