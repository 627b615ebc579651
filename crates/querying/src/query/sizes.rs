//! How many terms and how long regular expressions queries have, which an index may limit.

use super::{Pattern, Query, too_long, too_many_terms};
use mapping::error::Result;

impl Query {
    /// Refuses lists of more than so many terms, and regular expressions of more than so many letters.
    pub fn check_sizes(&self, terms: usize, letters: usize) -> Result<()> {
        let all = |queries: &mut dyn Iterator<Item = &Query>| -> Result<()> {
            for query in queries {
                query.check_sizes(terms, letters)?;
            }
            Ok(())
        };
        match self {
            Query::Terms { values, .. } if values.len() > terms => Err(too_many_terms(values.len(), terms)),
            Query::Pattern {
                pattern: Pattern::Regexp { value, .. },
                ..
            } => match value.chars().count() {
                length if length > letters => Err(too_long(length, letters)),
                _ => Ok(()),
            },
            Query::Bool(query) => all(&mut query.clauses()),
            Query::DisMax { queries, .. } => all(&mut queries.iter()),
            Query::Boosting(query) => all(&mut [&*query.positive, &*query.negative].into_iter()),
            Query::Nested(nested) => nested.query.check_sizes(terms, letters),
            Query::ConstantScore { filter: query, .. }
            | Query::ScriptScore { query, .. }
            | Query::Named { query, .. }
            | Query::Lenient(query) => query.check_sizes(terms, letters),
            Query::FunctionScore { query, scoring, .. } => {
                let filters = scoring.functions.iter().filter_map(|one| one.filter.as_ref());
                all(&mut filters.chain(std::iter::once(&**query)))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse_query;
    use serde_json::json;

    #[test]
    fn what_is_too_much_is_found_wherever_it_is() {
        for (query, is_fine) in [
            (json!({"terms": {"a": ["1", "2"]}}), true),
            (json!({"terms": {"a": ["1", "2", "3"]}}), false),
            (json!({"regexp": {"a": "abc"}}), true),
            (json!({"bool": {"must_not": {"regexp": {"a": "abcd"}}}}), false),
            (
                json!({"nested": {"path": "p", "query": {"terms": {"p.a": [1, 2, 3]}}}}),
                false,
            ),
        ] {
            let checked = parse_query(&query).expect("a query").check_sizes(2, 3);
            assert_eq!(checked.is_ok(), is_fine, "{query}");
        }
    }
}
