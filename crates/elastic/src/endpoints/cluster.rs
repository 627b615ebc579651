//! The server as a cluster: its state, its figures.

use super::stats::metrics::Metrics;
use crate::call::Call;
use crate::kept::Family;
use crate::resolve::{Options, resolve};
use crate::respond::{Answer, ok};
use crate::server::{CLUSTER, NODE_ID};
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::Result;
use indices::settings;
use indices::shape::Shape;
use serde_json::{Map, Value, json};

/// The sections of a cluster's state.
const STATE: [&str; 7] = [
    "blocks",
    "cluster_manager_node",
    "master_node",
    "metadata",
    "nodes",
    "routing_nodes",
    "routing_table",
];

/// `/_cluster/state/{metrics}/{indices}`.
pub(crate) async fn state(call: &mut Call, metric: Option<&str>, expression: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let mut known = STATE.to_vec();
    known.push("version");
    let metrics = Metrics::parse(metric, &known, &call.path.join("/"))?;
    call.parameters.without_effect(&[
        "local",
        "master_timeout",
        "wait_for_metadata_version",
        "wait_for_timeout",
    ]);
    let is_flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    let options = Options {
        closed: true,
        hidden: true,
        ..Options::default()
    }
    .taken(&mut call.parameters)?;
    call.parameters.end()?;
    let mut indices = Vec::new();
    for name in resolve(call, expression.unwrap_or("_all"), options)? {
        indices.push(call.index(&name, Action::Find)?);
    }
    let mut answer = json!({"cluster_name": CLUSTER, "cluster_uuid": CLUSTER});
    if metrics.has("version") {
        answer["state_uuid"] = json!(CLUSTER);
    }
    let mut put = |name: &str, value: Value| {
        if metrics.has(name) {
            answer[name] = value;
        }
    };
    put("version", json!(1));
    put("master_node", json!(NODE_ID));
    put("blocks", blocks_of(&indices));
    put("nodes", nodes(call));
    if metrics.has("metadata") {
        answer["metadata"] = metadata(call, &indices, is_flat).await?;
    }
    let (table, of_node) = routing(call, &indices)?;
    if metrics.has("routing_table") {
        answer["routing_table"] = json!({"indices": table});
    }
    if metrics.has("routing_nodes") {
        answer["routing_nodes"] = json!({"unassigned": [], "nodes": {NODE_ID: of_node}});
    }
    Ok(ok(answer))
}

/// The one node by its id.
pub(crate) fn nodes(call: &Call) -> Value {
    let address = call.server.published().to_string();
    let node = json!({"name": engine::host_name(), "ephemeral_id": NODE_ID, "transport_address": address, "attributes": {}});
    json!({NODE_ID: node})
}

/// Where a shard of an index is.
pub(crate) fn shard(index: &Index, at: u64) -> Value {
    json!({"state": "STARTED", "primary": true, "node": NODE_ID, "relocating_node": null, "shard": at,
        "index": index.name, "allocation_id": {"id": index.uuid()}})
}

/// The blocks of indices, by their numbers.
fn blocks_of(indices: &[Index]) -> Value {
    let mut all = Map::new();
    for index in indices {
        let blocks = settings::shown_blocks(&index.given_settings(), index.is_closed());
        if !blocks.is_empty() {
            all.insert(index.name.clone(), Value::Object(blocks));
        }
    }
    match all.is_empty() {
        true => json!({}),
        false => json!({"indices": all}),
    }
}

async fn metadata(call: &Call, indices: &[Index], is_flat: bool) -> Result<Value> {
    let mut shown = Map::new();
    for index in indices {
        let mapping = index.mapping().await?;
        let mut settings = index.settings(call.human);
        if is_flat {
            settings = settings::flat(&settings);
        }
        let mappings = match mapping.source().is_empty() {
            true => json!({}),
            false => json!({"_doc": mapping.source()}),
        };
        let aliases: Vec<String> = index.aliases().keys().cloned().collect();
        let state = if index.is_closed() { "close" } else { "open" };
        let one = json!({"version": 1, "state": state, "settings": settings, "mappings": mappings, "aliases": aliases});
        shown.insert(index.name.clone(), one);
    }
    let templates: Map<String, Value> = call.kept(Family::Template).await?.into_iter().collect();
    Ok(json!({
        "cluster_uuid": CLUSTER, "cluster_uuid_committed": true, "templates": templates, "indices": shown,
        "cluster_coordination": {"term": 1, "last_committed_config": [NODE_ID], "last_accepted_config": [NODE_ID],
            "voting_config_exclusions": []},
        "index-graveyard": {"tombstones": []},
    }))
}

/// Which shard is where, by index and as a list.
fn routing(call: &Call, indices: &[Index]) -> Result<(Map<String, Value>, Vec<Value>)> {
    let (mut table, mut list) = (Map::new(), Vec::new());
    for index in indices {
        let mut shards = Map::new();
        for at in 0..Shape::of(index).primaries {
            let shard = shard(index, at);
            let listed = json!([shard]);
            for shown in [&listed, &shard] {
                call.held.add_shown(shown)?;
            }
            shards.insert(at.to_string(), listed);
            list.push(shard);
        }
        table.insert(index.name.clone(), json!({"shards": shards}));
    }
    Ok((table, list))
}

/// `/_cluster/stats`.
pub(crate) async fn stats(call: &mut Call, nodes: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.require_of_server(Action::ServerStatus)?;
    call.parameters.without_effect(&["timeout"]);
    call.parameters.flag("flat_settings")?;
    call.parameters.end()?;
    let count = u64::from(nodes.is_none_or(|nodes| super::nodes::is_meant(call, nodes)));
    let mut indices = Vec::new();
    for name in crate::names::all(call) {
        indices.push(call.index(&name, Action::Find)?);
    }
    let names: Vec<String> = indices.iter().map(|index| index.name.clone()).collect();
    let mut of_indices = Map::from_iter([("count".to_owned(), json!(indices.len()))]);
    of_indices.insert("shards".to_owned(), {
        let total: u64 = indices.iter().map(|index| Shape::of(index).primaries).sum();
        json!({"total": total, "primaries": total, "replication": 0.0})
    });
    let figures = super::stats::together(call, &names, &super::stats::Wanted::default()).await?;
    for name in [
        "docs",
        "store",
        "fielddata",
        "query_cache",
        "completion",
        "segments",
    ] {
        of_indices.insert(name.to_owned(), figures.get(name).cloned().unwrap_or_default());
    }
    let mut types = std::collections::BTreeMap::<String, (u64, u64)>::new();
    for index in &indices {
        let mut seen = std::collections::BTreeSet::new();
        for (_, definition) in index.mapping().await?.definitions() {
            let name = definition
                .get("type")
                .and_then(Value::as_str)
                .unwrap_or("object")
                .to_owned();
            let entry = types.entry(name.clone()).or_default();
            entry.0 += 1;
            entry.1 += u64::from(seen.insert(name));
        }
    }
    let types: Vec<Value> = types
        .into_iter()
        .map(|(name, (count, indices))| json!({"name": name, "count": count, "index_count": indices}))
        .collect();
    of_indices.insert("mappings".to_owned(), json!({"field_types": types}));
    let is_yellow = indices.iter().any(|index| Shape::of(index).unassigned() > 0);
    let report = call.server.engine.server_report();
    let free = report.volume_bytes.saturating_sub(report.volume_used_bytes);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(ok(json!({
        "_nodes": {"total": count, "successful": count, "failed": 0},
        "cluster_name": CLUSTER, "cluster_uuid": CLUSTER, "timestamp": call.server.engine.now_ms(),
        "status": if is_yellow { "yellow" } else { "green" },
        "indices": of_indices,
        "nodes": {
            "count": {"total": count, "coordinating_only": 0, "data": count, "ingest": count, "master": count, "remote_cluster_client": count},
            "versions": [super::root::VERSION],
            "os": {"available_processors": processors, "allocated_processors": processors, "names": [{"name": "Linux", "count": count}]},
            "process": {"cpu": {"percent": 0}, "open_file_descriptors": {"min": 0, "max": 0, "avg": 0}},
            "jvm": {"max_uptime_in_millis": report.uptime_ms, "versions": [], "mem": {"heap_used_in_bytes": report.memory_bytes}, "threads": 0},
            "fs": {"total_in_bytes": report.volume_bytes, "free_in_bytes": free, "available_in_bytes": free},
            "plugins": [], "network_types": {}, "discovery_types": {"single-node": count}, "packaging_types": [],
        },
    })))
}

/// `/_cluster/pending_tasks`: nothing waits for a master.
pub(crate) async fn pending_tasks(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end_without(&["local", "master_timeout"])?;
    Ok(ok(json!({"tasks": []})))
}
