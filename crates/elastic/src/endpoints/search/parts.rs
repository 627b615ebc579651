//! What the body of a search says besides what is asked of documents.

use super::collapse::{self, Collapse};
use super::parameters::AskedSearch;
use super::rescore::{self, Rescore};
use super::{bounds, profile};
use indices::error::{ElasticError, Result};
use search::Knn;
use serde_json::{Map, Value, json};
use std::time::Instant;
use suggest::Suggest;

/// What a body says besides what a request is read from.
pub(super) struct Parts {
    pub(super) deadline: Option<Instant>,
    pub(super) collapse: Option<Collapse>,
    pub(super) rescores: Vec<Rescore>,
    pub(super) boosts: Option<Value>,
    pub(super) suggest: Option<Suggest>,
    pub(super) knn: Vec<Knn>,
    pub(super) groups: Vec<String>,
    pub(super) is_profiled: bool,
}

impl Parts {
    /// Takes it out of the body.
    pub(super) fn take(asked: &mut AskedSearch) -> Result<Parts> {
        let scrolls = asked.keep_alive.is_some();
        let body = &mut asked.body;
        let timeout = body.shift_remove("timeout");
        let collapse = body.shift_remove("collapse");
        let collapse = collapse.map(|value| Collapse::parse(&value)).transpose()?;
        collapse::check(collapse.as_ref(), body, scrolls)?;
        let rescores = body.shift_remove("rescore");
        let suggest = body.shift_remove("suggest");
        let knn = body.shift_remove("knn");
        let parts = Parts {
            deadline: bounds::deadline(timeout.as_ref())?,
            collapse,
            rescores: rescores.as_ref().map_or(Ok(Vec::new()), rescore::parse)?,
            boosts: body.shift_remove("indices_boost"),
            suggest: suggest.as_ref().map(Suggest::parse).transpose()?,
            knn: knn.as_ref().map_or(Ok(Vec::new()), Knn::parse_all)?,
            groups: groups_of(body)?,
            is_profiled: profile::take(body, scrolls)?,
        };
        let names = ["query", "aggs", "aggregations"];
        let asks_hits = names.iter().any(|name| body.contains_key(*name));
        let asks_hits = asks_hits || asked.query.is_some() || !parts.knn.is_empty();
        if parts.suggest.is_some() && !asks_hits {
            // A search for suggestions alone has no hits.
            body.insert("query".to_owned(), json!({"match_none": {}}));
        }
        Ok(parts)
    }
}

/// The groups that a search says it is of, by which it is counted.
fn groups_of(body: &mut Map<String, Value>) -> Result<Vec<String>> {
    let invalid = || ElasticError::parsing("[stats] must be a list of names");
    match body.shift_remove("stats") {
        None => Ok(Vec::new()),
        Some(Value::Array(names)) => names
            .iter()
            .map(|name| name.as_str().map(str::to_owned).ok_or_else(invalid))
            .collect(),
        Some(_) => Err(invalid()),
    }
}
