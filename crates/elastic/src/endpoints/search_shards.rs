//! `_search_shards`: which shards a search would ask.

use super::cluster::{nodes, shard};
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::Result;
use rest::call::Call;
use rest::resolve::{Options, alias_filter, aliases_meant, resolve};
use rest::respond::{Answer, ok};
use serde_json::{Map, Value, json};

/// Names that stand for no index are passed by.
const OPTIONS: Options = Options {
    ignore_unavailable: true,
    ..Options::OPEN
};

/// `/{index}/_search_shards`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let options = OPTIONS.taken(&mut call.parameters)?;
    let asked = Asked {
        routings: call.parameters.list("routing"),
        preferred: call.parameters.take("preference").as_deref().and_then(preferred),
    };
    call.parameters.end_without(&["local"])?;
    let (mut indices, mut shards) = (Map::new(), Vec::new());
    for name in resolve(call, expression, options)? {
        let index = call.open_index(&name, Action::Find)?;
        let of_index = asked.shards(&index).map(|at| json!([shard(&index, at)]));
        for one in of_index {
            call.held.add_shown(&one)?;
            shards.push(one);
        }
        indices.insert(name, through(call, expression, &index)?);
    }
    Ok(ok(
        json!({"nodes": nodes(call), "indices": indices, "shards": shards}),
    ))
}

/// Which shards of indices are asked for.
struct Asked {
    routings: Option<Vec<String>>,
    preferred: Option<Vec<u32>>,
}

impl Asked {
    fn shards(&self, index: &Index) -> impl Iterator<Item = u64> {
        let shards = index.routing().shards;
        let routed = self
            .routings
            .iter()
            .flatten()
            .map(|routing| shards.shard(routing));
        let routed: Option<Vec<u32>> = self.routings.is_some().then(|| routed.collect());
        let is_asked = |asked: &Option<Vec<u32>>, at: u32| asked.as_ref().is_none_or(|all| all.contains(&at));
        let asked = (0..shards.count()).filter(|at| is_asked(&routed, *at) && is_asked(&self.preferred, *at));
        asked.map(u64::from).collect::<Vec<_>>().into_iter()
    }
}

/// The shards that a preference names: `_shards:0,1`.
fn preferred(preference: &str) -> Option<Vec<u32>> {
    let shards = preference.strip_prefix("_shards:")?;
    let shards = shards.split('|').next().unwrap_or_default();
    Some(shards.split(',').filter_map(|shard| shard.parse().ok()).collect())
}

/// By which aliases an expression means an index, and what they leave of it.
fn through(call: &Call, expression: &str, index: &Index) -> Result<Value> {
    let mut shown = Map::new();
    let aliases = aliases_meant(index, expression);
    if !aliases.is_empty() {
        shown.insert("aliases".to_owned(), json!(aliases));
    }
    if let Some(filter) = alias_filter(call, expression, &index.name)? {
        shown.insert("filter".to_owned(), written(&filter));
    }
    Ok(Value::Object(shown))
}

/// Filters as Elasticsearch writes them: one alone as it is, several as clauses, and each with what it did not say.
fn written(filter: &Value) -> Value {
    let filters = filter["bool"]["should"].as_array();
    let filters: Vec<Value> = filters.into_iter().flatten().map(in_full).collect();
    match &filters[..] {
        [only] => only.clone(),
        _ => json!({"bool": {"should": filters, "adjust_pure_negative": true, "boost": 1.0}}),
    }
}

/// A query with the members that Elasticsearch writes although nobody gave them, where it is of one of the simplest types.
fn in_full(query: &Value) -> Value {
    let of_term = || {
        let (field, value) = query.get("term")?.as_object()?.iter().next()?;
        let mut members = match value {
            Value::Object(members) => members.clone(),
            value => Map::from_iter([("value".to_owned(), value.clone())]),
        };
        members.entry("boost").or_insert(json!(1.0));
        Some(json!({"term": {field: members}}))
    };
    of_term().unwrap_or_else(|| query.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_written_in_full() {
        let one = json!({"term": {"a": "b"}});
        let full = json!({"term": {"a": {"value": "b", "boost": 1.0}}});
        let of = |filters: Value| written(&json!({"bool": {"should": filters}}));
        assert_eq!(of(json!([one])), full);
        let other = json!({"range": {"n": {"gte": 1}}});
        assert_eq!(
            of(json!([one, other])),
            json!({"bool": {"should": [full, other], "adjust_pure_negative": true, "boost": 1.0}})
        );
    }

    #[test]
    fn shards_are_preferred_by_their_numbers() {
        assert_eq!(preferred("_shards:0,2|_local"), Some(vec![0, 2]));
        assert_eq!(preferred("_local"), None);
    }
}
