//! Settings of indices, in the form in which Elasticsearch shows them.

use crate::error::{ElasticError, Result};
use search::Analysis;
use serde_json::{Map, Value, json};

/// Settings that may be given and change nothing here: copies, segments and caches are the store's own matter.
const WITHOUT_EFFECT: [&str; 18] = [
    "number_of_shards",
    "number_of_replicas",
    "refresh_interval",
    "auto_expand_replicas",
    "codec",
    "hidden",
    "max_inner_result_window",
    "max_ngram_diff",
    "max_shingle_diff",
    "number_of_routing_shards",
    "priority",
    "query",
    "routing",
    "search",
    "soft_deletes",
    "translog",
    "unassigned",
    "merge",
];

/// Settings as a tree below `index`, every value a text.
pub(crate) fn normalized(given: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut index = Map::new();
    for (name, value) in given {
        let path: Vec<&str> = name.split('.').filter(|part| *part != "index").collect();
        insert(&mut index, &path, value);
    }
    for (name, value) in &index {
        match name.as_str() {
            "analysis" => drop(Analysis::parse(value)?),
            "mapping" => {
                fields_max(&index)?;
            }
            "max_result_window" => {
                return Err(ElasticError::unsupported("the setting [index.max_result_window]"));
            }
            known if WITHOUT_EFFECT.contains(&known) => {}
            other => {
                let reason = format!(
                    "unknown setting [index.{other}] please check that any required plugins are installed, or check the breaking changes \
                     documentation for removed settings"
                );
                return Err(ElasticError::illegal(reason));
            }
        }
    }
    Ok(index)
}

fn insert(into: &mut Map<String, Value>, path: &[&str], value: &Value) {
    match (path.split_first(), value) {
        (None, Value::Object(object)) => {
            for (name, value) in object {
                insert(into, &name.split('.').collect::<Vec<_>>(), value);
            }
        }
        (None, _) => {}
        (Some((first, [])), Value::Object(object)) => {
            let entry = into.entry(*first).or_insert_with(|| json!({}));
            if let Value::Object(inner) = entry {
                for (name, value) in object {
                    insert(inner, &name.split('.').collect::<Vec<_>>(), value);
                }
            }
        }
        (Some((first, [])), value) => drop(into.insert((*first).to_owned(), text(value))),
        (Some((first, rest)), value) => {
            if let Value::Object(inner) = into.entry(*first).or_insert_with(|| json!({})) {
                insert(inner, rest, value);
            }
        }
    }
}

fn text(value: &Value) -> Value {
    match value {
        Value::Number(_) | Value::Bool(_) => Value::String(value.to_string()),
        Value::Array(list) => Value::Array(list.iter().map(text).collect()),
        other => other.clone(),
    }
}

/// The analyzers of an index.
pub(crate) fn analysis(index: &Map<String, Value>) -> Result<Analysis> {
    Ok(index
        .get("analysis")
        .map_or(Ok(Analysis::default()), Analysis::parse)?)
}

/// The fields that a mapping may have.
pub(crate) fn fields_max(index: &Map<String, Value>) -> Result<Option<usize>> {
    let limit = index
        .get("mapping")
        .and_then(|mapping| mapping.pointer("/total_fields/limit"));
    match limit.and_then(Value::as_str) {
        None => Ok(None),
        Some(text) => text.parse().map(Some).map_err(|_| {
            ElasticError::illegal(format!(
                "Failed to parse value [{text}] for setting [index.mapping.total_fields.limit]"
            ))
        }),
    }
}
