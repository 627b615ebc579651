//! What is told of the shards of indices: their segments and stores.

use super::cluster::node;
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::{Shape, shards_of};
use rest::call::Call;
use rest::parameters::Parameters;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use rest::server::NODE_ID;
use serde_json::{Map, json};

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
