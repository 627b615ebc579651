//! The nearest vectors: the section `knn` of a search, and the query of this name.

use super::{BoolQuery, Knn, Parser, Query};
use crate::neighbours::Neighbours;
use mapping::error::{Result, SearchError};
use mapping::json::{Members, as_f64, one_or_many};
use mapping::vectors::of_hex;
use serde_json::Value;
use std::sync::Arc;

/// Candidates at most, and so nearest documents.
const CANDIDATES_MAX: usize = 10_000;
/// The nearest documents where neither the query nor the search says how many.
const NEAREST: usize = 10;
/// What is not done, and why nobody needs it or what else would be needed.
const UNSUPPORTED: [&str; 4] = ["query_vector_builder", "inner_hits", "_name", "visit_percentage"];

impl Knn {
    /// Reads the section of a search: one of them, or several.
    pub fn parse_all(value: &Value) -> Result<Vec<Knn>> {
        let one = |value| Parser { depth: 0 }.knn(value);
        one_or_many(value).into_iter().map(one).collect()
    }

    /// Only of documents that match this, too.
    pub fn filter(&mut self, filter: Query) {
        self.filters.push(filter);
    }

    /// Returns `k`, or its default in a search for this number of hits. Errors: `k` and `num_candidates` contradict each other.
    pub fn count(&self, hits: usize) -> Result<usize> {
        let hits = if hits == 0 { NEAREST } else { hits };
        let count = match (self.count, self.candidates) {
            (Some(count), _) => count,
            (None, Some(candidates)) => hits.min(candidates),
            (None, None) => hits.min(CANDIDATES_MAX),
        };
        // Where nobody says how many, half as many again are looked at.
        let candidates = self.candidates.unwrap_or((count + count / 2).min(CANDIDATES_MAX));
        let reason = match candidates {
            _ if count == 0 => "[k] must be greater than 0".to_owned(),
            few if few < count => "[num_candidates] cannot be less than [k]".to_owned(),
            many if many > CANDIDATES_MAX => format!("[num_candidates] cannot exceed [{CANDIDATES_MAX}]"),
            _ => return Ok(count),
        };
        Err(SearchError::illegal(reason))
    }

    /// The query of all documents among which the nearest are; its scores say how near they are.
    pub fn query(&self) -> Query {
        let nearest = Query::Nearest {
            field: self.field.clone(),
            vector: self.vector.clone(),
            similarity: self.similarity,
        };
        Query::Bool(BoolQuery {
            must: vec![nearest],
            filter: self.filters.clone(),
            ..BoolQuery::default()
        })
    }

    /// The query of those that were found to be the nearest.
    pub fn found(&self, found: Neighbours) -> Query {
        Query::Found {
            found: Arc::new(found),
            boost: self.boost,
        }
    }
}

impl Query {
    /// A query with the nearest documents besides: the score of one that both find is the sum.
    #[must_use]
    pub fn or_nearest(query: Option<Query>, nearest: Vec<Knn>) -> Option<Query> {
        if nearest.is_empty() {
            return query;
        }
        let nearest = nearest.into_iter().map(|knn| Query::Knn(Box::new(knn)));
        let should = query.into_iter().chain(nearest).collect();
        Some(Query::clauses(Vec::new(), should, Vec::new(), 1.0))
    }

    /// The places of the queries for nearest documents that were not looked for yet.
    pub fn unfound(&mut self) -> Vec<&mut Query> {
        let mut places = Vec::new();
        self.add_unfound(&mut places);
        places
    }

    fn add_unfound<'q>(&'q mut self, out: &mut Vec<&'q mut Query>) {
        match self {
            Query::Knn(_) => out.push(self),
            Query::Bool(query) => query.clauses_mut().for_each(|query| query.add_unfound(out)),
            Query::DisMax { queries, .. } => queries.iter_mut().for_each(|query| query.add_unfound(out)),
            Query::ConstantScore { filter: query, .. }
            | Query::ScriptScore { query, .. }
            | Query::Named { query, .. } => query.add_unfound(out),
            Query::Boosting(query) => {
                query.positive.add_unfound(out);
                query.negative.add_unfound(out);
            }
            Query::FunctionScore { query, scoring, .. } => {
                query.add_unfound(out);
                let filters = scoring.functions.iter_mut();
                let filters = filters.filter_map(|function| function.filter.as_mut());
                filters.for_each(|filter| filter.add_unfound(out));
            }
            _ => {}
        }
    }
}

impl Parser {
    pub(super) fn knn(self, body: &Value) -> Result<Knn> {
        let mut members = Members::of("knn", body)?;
        for name in UNSUPPORTED {
            if members.take(name).is_some() {
                return Err(SearchError::unsupported(format!("[{name}] of [knn]")));
            }
        }
        let missing = || SearchError::parsing("[knn] requires a [field]");
        let field = members.text("field")?.ok_or_else(missing)?;
        let vector = members.take("query_vector").filter(|vector| !vector.is_null());
        let missing =
            || SearchError::illegal("either [query_vector_builder] or [query_vector] must be provided");
        let vector = vector_of(vector.ok_or_else(missing)?)?;
        let filters = members.take("filter");
        let filters = filters.map_or(Ok(Vec::new()), |filters| self.queries(filters))?;
        // A second look at vectors that were rounded: none are.
        if let Some(rescore) = members.take("rescore_vector") {
            let mut members = Members::of("rescore_vector", rescore)?;
            members.number("oversample")?;
            members.end()?;
        }
        let knn = Knn {
            field,
            vector: vector.into(),
            count: count(&mut members, "k")?,
            candidates: count(&mut members, "num_candidates")?,
            filters,
            similarity: members.number("similarity")?.map(|similarity| similarity as f32),
            boost: members.boost()?,
        };
        members.end()?;
        if knn.count.is_some() || knn.candidates.is_some() {
            knn.count(1)?;
        }
        Ok(knn)
    }
}

fn count(members: &mut Members<'_>, name: &str) -> Result<Option<usize>> {
    let number = members.integer(name)?;
    Ok(number.map(|number| usize::try_from(number).unwrap_or(0)))
}

/// Numbers, or the hexadecimal digits of bytes.
fn vector_of(value: &Value) -> Result<Vec<f32>> {
    let invalid =
        || SearchError::parsing("[query_vector] must be an array of numbers, or hexadecimal digits of bytes");
    match value {
        Value::Array(numbers) => {
            let number = |value: &Value| match value {
                Value::Number(_) => as_f64(value).map(|number| number as f32),
                _ => None,
            };
            numbers
                .iter()
                .map(number)
                .collect::<Option<_>>()
                .ok_or_else(invalid)
        }
        Value::String(digits) => of_hex(digits).ok_or_else(invalid),
        _ => Err(invalid()),
    }
}
