//! The queries within a query: those that have names (`_name`), those whose nested objects are wanted (`inner_hits`).

use super::{InnerHits, Query};

impl Query {
    /// Shows each query that has a name, those within it first.
    pub fn each_named<'q>(&'q self, see: &mut impl FnMut(&'q str, &'q Query)) {
        let mut all = |queries: &mut dyn Iterator<Item = &'q Query>| {
            queries.for_each(|query| query.each_named(see));
        };
        match self {
            Query::Named { name, query } => {
                query.each_named(see);
                see(name, query);
            }
            Query::Bool(query) => {
                let scored = query.must.iter().chain(&query.must_not).chain(&query.should);
                all(&mut scored.chain(&query.filter));
            }
            Query::DisMax { queries, .. } => all(&mut queries.iter()),
            Query::ConstantScore { filter: query, .. } | Query::ScriptScore { query, .. } => {
                all(&mut std::iter::once(&**query));
            }
            Query::Nested(nested) => all(&mut std::iter::once(&*nested.query)),
            Query::Boosting(query) => all(&mut [&*query.positive, &*query.negative].into_iter()),
            Query::FunctionScore { query, scoring, .. } => {
                let filters = scoring.functions.iter().filter_map(|one| one.filter.as_ref());
                all(&mut filters.chain(std::iter::once(&**query)));
            }
            _ => {}
        }
    }

    /// What is wanted of nested objects, each with the path and the query of those.
    pub fn inner_hits(&self) -> Vec<(&str, &Query, &InnerHits)> {
        let mut found = Vec::new();
        self.add_inner_hits(&mut found);
        found
    }

    fn add_inner_hits<'q>(&'q self, out: &mut Vec<(&'q str, &'q Query, &'q InnerHits)>) {
        let mut all = |queries: &'q [Query]| queries.iter().for_each(|query| query.add_inner_hits(out));
        match self {
            Query::Bool(query) => [&query.must, &query.filter, &query.should]
                .into_iter()
                .for_each(|queries| all(queries)),
            Query::DisMax { queries, .. } => all(queries),
            Query::ConstantScore { filter: query, .. }
            | Query::FunctionScore { query, .. }
            | Query::ScriptScore { query, .. }
            | Query::Named { query, .. } => query.add_inner_hits(out),
            Query::Boosting(query) => query.positive.add_inner_hits(out),
            Query::Nested(nested) => match &nested.inner {
                // What is wanted within it is wanted of its own hits.
                Some(inner) => out.push((&nested.path, &nested.query, inner)),
                None => nested.query.add_inner_hits(out),
            },
            _ => {}
        }
    }
}
