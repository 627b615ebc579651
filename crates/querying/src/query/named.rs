//! Queries that have names (`_name`).

use super::Query;

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
}
