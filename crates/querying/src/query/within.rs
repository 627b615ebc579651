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
            Query::Bool {
                must,
                filter,
                should,
                must_not,
                ..
            } => all(&mut must.iter().chain(must_not).chain(should).chain(filter)),
            Query::DisMax { queries, .. } => all(&mut queries.iter()),
            Query::ConstantScore { filter: query, .. }
            | Query::Nested { query, .. }
            | Query::ScriptScore { query, .. } => all(&mut std::iter::once(&**query)),
            Query::Boosting {
                positive, negative, ..
            } => all(&mut [&**positive, &**negative].into_iter()),
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
            Query::Bool {
                must, filter, should, ..
            } => [must, filter, should]
                .into_iter()
                .for_each(|queries| all(queries)),
            Query::DisMax { queries, .. } => all(queries),
            Query::ConstantScore { filter: query, .. }
            | Query::Boosting { positive: query, .. }
            | Query::FunctionScore { query, .. }
            | Query::ScriptScore { query, .. }
            | Query::Named { query, .. } => query.add_inner_hits(out),
            // What is wanted within it is wanted of its own hits.
            Query::Nested {
                path,
                query,
                inner: Some(inner),
                ..
            } => out.push((path, query, inner)),
            Query::Nested {
                query, inner: None, ..
            } => query.add_inner_hits(out),
            _ => {}
        }
    }
}
