//! What is wanted of the nested objects by which documents are found.

use super::Query;
use mapping::error::{Result, SearchError};
use mapping::json::scalar;
use serde_json::{Map, Value};

/// The option `inner_hits` of a query.
#[derive(Clone, Debug)]
pub struct InnerHits {
    /// Their name in the answer, where it is not the path.
    pub name: Option<String>,
    /// How many, in which order, and how they are shown.
    pub body: Map<String, Value>,
}

impl InnerHits {
    pub(super) fn parse(value: &Value) -> Result<InnerHits> {
        let object = value.as_object();
        let mut body = object
            .cloned()
            .ok_or_else(|| SearchError::parsing("[inner_hits] must be an object"))?;
        let name = body.shift_remove("name").as_ref().and_then(scalar);
        body.shift_remove("ignore_unmapped");
        Ok(InnerHits { name, body })
    }
}

impl Query {
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
