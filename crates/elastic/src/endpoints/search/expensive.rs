//! Queries that may take long, which the setting `search.allow_expensive_queries` forbids.

use crate::call::Call;
use crate::cluster_settings::EXPENSIVE_SETTING;
use http::StatusCode;
use indices::error::{ElasticError, Result};
use indices::scan::IndexSnapshot;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Refuses a query of a body where the cluster's settings do.
pub(super) async fn check(call: &Call, body: &Map<String, Value>, places: &[IndexSnapshot]) -> Result<()> {
    let Some(query) = body.get("query").filter(|_| !places.is_empty()) else {
        return Ok(());
    };
    if call.cluster_setting(EXPENSIVE_SETTING).await?.as_deref() != Some("false") {
        return Ok(());
    }
    let mut types = BTreeMap::<String, String>::new();
    for place in places {
        for (path, definition) in place.mapping.definitions() {
            if let Some(kind) = definition.get("type").and_then(Value::as_str) {
                types.insert(path, kind.to_owned());
            }
        }
    }
    look(query, &types)
}

fn refused(what: &str, advice: &str) -> Result<()> {
    Err(ElasticError::new(
        StatusCode::BAD_REQUEST,
        "query_shard_exception",
        format!(
            "failed to create query: {what} cannot be executed when '{EXPENSIVE_SETTING}' is set to false.{advice}"
        ),
    ))
}

/// Looks through a query and those within it.
fn look(query: &Value, types: &BTreeMap<String, String>) -> Result<()> {
    let mut members = query.as_object().into_iter().flatten();
    let Some((name, body)) = members.next() else {
        return Ok(());
    };
    let of_type = |kinds: &[&str]| {
        let mut fields = body.as_object().into_iter().flat_map(Map::keys);
        fields.any(|field| {
            types
                .get(field)
                .is_some_and(|kind| kinds.contains(&kind.as_str()))
        })
    };
    match name.as_str() {
        "prefix" if !of_type(&["wildcard"]) => refused(
            "[prefix] queries",
            " For optimised prefix queries on text fields please enable [index_prefixes].",
        ),
        "wildcard" | "regexp" | "fuzzy" if !of_type(&["wildcard"]) => {
            refused(&format!("[{name}] queries"), "")
        }
        "range" if of_type(&["text", "keyword"]) => {
            refused("[range] queries on [text] or [keyword] fields", "")
        }
        "nested" => refused("[joining] queries", ""),
        "script" => refused("[script] queries", ""),
        "script_score" => refused("[script score] queries", ""),
        _ => within(body).try_for_each(|inner| look(inner, types)),
    }
}

/// The queries that a query has within it.
pub(super) fn within(body: &Value) -> impl Iterator<Item = &Value> {
    const MEMBERS: [&str; 9] = [
        "filter",
        "must",
        "must_not",
        "should",
        "queries",
        "positive",
        "negative",
        "query",
        "functions",
    ];
    let found = MEMBERS.iter().filter_map(move |name| body.get(name));
    found.flat_map(|inner| match inner {
        Value::Array(list) => list.as_slice(),
        one => std::slice::from_ref(one),
    })
}
