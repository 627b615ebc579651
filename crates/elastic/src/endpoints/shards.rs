//! What is told of the shards of indices: their segments and stores, and where a search would ask them.

use super::cluster::{node, shard};
use crate::call::Call;
use crate::parameters::Parameters;
use crate::resolve::{Options, alias_filter, resolve};
use crate::respond::{Answer, ok};
use crate::server::NODE_ID;
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::{Shape, shards_of};
use indices::streams::plain_aliases;
use search::simple_match;
use serde_json::{Map, Value, json};

/// The version of Lucene that segments are said to be of.
pub(super) const LUCENE_VERSION: &str = "8.7.0";

fn found(call: &Call, expression: &str, options: Options) -> Result<Vec<Index>> {
    let names = resolve(call, expression, options)?;
    names.iter().map(|name| call.index(name, Action::Find)).collect()
}

/// `/{index}/_segments`: what a collection has is shown as one segment of its first shard.
pub(crate) async fn segments(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let options = Options::OPEN.taken(&mut call.parameters)?;
    // There is no tree of what a segment has in memory.
    call.parameters.flag("verbose")?;
    call.parameters.end()?;
    let indices = found(call, expression, options)?;
    let mut shown = Map::new();
    for index in &indices {
        let report = index.collection.report().await?;
        let is_committed = report.head.changes_since(&index.counters().last_flush()) == 0;
        let segment = json!({"generation": 0, "num_docs": report.documents, "deleted_docs": report.deleted,
            "size_in_bytes": report.storage_bytes, "memory_in_bytes": 0, "committed": is_committed, "search": true,
            "version": LUCENE_VERSION, "compound": false});
        let has_any = report.documents + report.deleted > 0;
        let shards = (0..Shape::of(index).primaries).map(|at| {
            let segments = match at == 0 && has_any {
                true => json!({"_0": segment}),
                false => json!({}),
            };
            let count = u64::from(at == 0 && has_any);
            let one = json!({"routing": {"state": "STARTED", "primary": true, "node": NODE_ID},
                "num_committed_segments": if is_committed { count } else { 0 }, "num_search_segments": count, "segments": segments});
            (at.to_string(), json!([one]))
        });
        let shards = json!({"shards": shards.collect::<Map<_, _>>()});
        call.held.add_shown(&shards)?;
        shown.insert(index.name.clone(), shards);
    }
    Ok(ok(json!({"_shards": shards_of(&indices), "indices": shown})))
}

/// `/{index}/_shard_stores`: where the copies of shards are whose index is not as it should be, or is in a state that is named.
pub(crate) async fn stores(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let states = states(&mut call.parameters)?;
    let options = Options::ANY_STATE.taken(&mut call.parameters)?;
    call.parameters.end()?;
    let node = node(call);
    let mut shown = Map::new();
    for index in found(call, expression, options)? {
        let shape = Shape::of(&index);
        if !states
            .iter()
            .any(|state| state == "all" || state == shape.health())
        {
            continue;
        }
        let store = json!({NODE_ID: node, "allocation_id": index.uuid(), "allocation": "primary"});
        let shards = (0..shape.primaries).map(|at| (at.to_string(), json!({"stores": [store]})));
        let shards = json!({"shards": shards.collect::<Map<_, _>>()});
        call.held.add_shown(&shards)?;
        shown.insert(index.name.clone(), shards);
    }
    Ok(ok(json!({"indices": shown})))
}

/// The states of indices that are asked for.
fn states(parameters: &mut Parameters) -> Result<Vec<String>> {
    let Some(states) = parameters.list("status") else {
        return Ok(vec!["yellow".to_owned(), "red".to_owned()]);
    };
    let states: Vec<String> = states.iter().map(|state| state.to_ascii_lowercase()).collect();
    let known = ["all", "green", "yellow", "red"];
    match states.iter().find(|state| !known.contains(&state.as_str())) {
        None => Ok(states),
        Some(other) => Err(ElasticError::illegal(format!(
            "unknown cluster health status [{other}]"
        ))),
    }
}

/// `/{index}/_search_shards`: which shards a search would ask, and through which aliases.
pub(crate) async fn of_search(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let lenient = Options {
        ignore_unavailable: true,
        ..Options::default()
    };
    let options = lenient.taken(&mut call.parameters)?;
    let routings = call.parameters.list("routing");
    call.parameters.end_without(&["local", "preference"])?;
    let (mut shown, mut groups) = (Map::new(), Vec::new());
    for index in found(call, expression, options)? {
        let routing = index.routing();
        let is_asked = |at: u64| match &routings {
            None => true,
            Some(routings) => routings.iter().any(|text| u64::from(routing.shard(text)) == at),
        };
        for at in (0..Shape::of(&index).primaries).filter(|at| is_asked(*at)) {
            let group = json!([shard(&index, at)]);
            call.held.add_shown(&group)?;
            groups.push(group);
        }
        shown.insert(index.name.clone(), through_aliases(call, expression, &index)?);
    }
    Ok(ok(
        json!({"nodes": {NODE_ID: node(call)}, "indices": shown, "shards": groups}),
    ))
}

/// The aliases by which an expression leads to an index, and what they leave of it.
fn through_aliases(call: &Call, expression: &str, index: &Index) -> Result<Value> {
    let is_named = |alias: &&String| expression.split(',').any(|part| simple_match(part, alias));
    let all = plain_aliases(&index.aliases());
    let mut aliases: Vec<&String> = all.keys().filter(is_named).collect();
    if aliases.is_empty() || matches!(expression, "_all" | "*") {
        return Ok(json!({}));
    }
    aliases.sort();
    let mut shown = json!({"aliases": aliases});
    if let Some(filter) = alias_filter(call, expression, &index.name)? {
        shown["filter"] = shown_filter(&filter);
    }
    Ok(shown)
}

/// A filter with what Elasticsearch says of queries that say nothing of it.
fn shown_filter(filter: &Value) -> Value {
    let should = filter.pointer("/bool/should").and_then(Value::as_array);
    match should.map(Vec::as_slice) {
        Some([one]) => shown_filter(one),
        Some(several) => {
            let several: Vec<Value> = several.iter().map(shown_filter).collect();
            json!({"bool": {"should": several, "adjust_pure_negative": true, "boost": 1.0}})
        }
        None => {
            let term = filter.get("term").and_then(Value::as_object);
            match term.and_then(|term| term.iter().next()) {
                Some((field, value)) if !value.is_object() => {
                    json!({"term": {field: {"value": value, "boost": 1.0}}})
                }
                _ => filter.clone(),
            }
        }
    }
}
