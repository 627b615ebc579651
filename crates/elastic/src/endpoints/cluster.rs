//! The server as a cluster: its state, its figures.

use super::machine::{self, Memory};
use super::stats::metrics::Metrics;
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::Result;
use indices::settings;
use indices::shape::Shape;
use rest::call::Call;
use rest::kept::Family;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use rest::server::{CLUSTER, NODE_ID};
use serde_json::{Map, Value, json};

/// The sections of a cluster's state.
pub(super) const STATE: [&str; 8] = [
    "blocks",
    "cluster_manager_node",
    "master_node",
    "metadata",
    "nodes",
    "routing_nodes",
    "routing_table",
    "version",
];

/// `/_cluster/state/{metrics}/{indices}`.
pub(crate) async fn state(call: &mut Call, metric: Option<&str>, expression: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let metrics = sections_of(metric);
    // Whoever changes something is answered when it is done, so there is no version to wait for.
    let waits = call.parameters.long("wait_for_metadata_version")?.is_some();
    call.parameters
        .without_effect(&["local", "master_timeout", "wait_for_timeout"]);
    let is_flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    let options = Options {
        closed: true,
        hidden: true,
        ..Options::default()
    }
    .taken(&mut call.parameters)?;
    call.parameters.end()?;
    let mut answer = shown_state(call, &metrics, is_flat, expression.unwrap_or("_all"), options).await?;
    answer["cluster_name"] = json!(CLUSTER);
    if waits {
        answer["wait_for_timed_out"] = json!(false);
    }
    Ok(ok(answer))
}

/// The sections that are wanted; a name that none has means nothing.
pub(super) fn sections_of(metric: Option<&str>) -> Metrics {
    let is_all = metric.is_some_and(|text| text.split(',').any(|name| name == "_all"));
    Metrics::known(metric.filter(|_| !is_all), &STATE)
}

/// The parts of the state that are wanted.
pub(super) async fn shown_state(
    call: &Call,
    metrics: &Metrics,
    is_flat: bool,
    expression: &str,
    options: Options,
) -> Result<Value> {
    let mut indices = Vec::new();
    for name in resolve(call, expression, options)? {
        indices.push(call.index(&name, Action::Find)?);
    }
    let mut answer = json!({"cluster_uuid": CLUSTER});
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
        answer["metadata"] = metadata(call, &indices, is_flat, expression == "_all").await?;
    }
    let placed = placed_shards(call, &indices)?;
    if metrics.has("routing_table") {
        answer["routing_table"] = json!({"indices": placed.by_index});
    }
    if metrics.has("routing_nodes") {
        answer["routing_nodes"] =
            json!({"unassigned": placed.unassigned, "nodes": {NODE_ID: placed.on_node}});
    }
    Ok(answer)
}

/// The one node, as the state of a cluster tells of it.
pub(super) fn node(call: &Call) -> Value {
    let address = call.server.published().to_string();
    json!({"name": engine::host_name(), "ephemeral_id": NODE_ID, "transport_address": address, "attributes": super::nodes::attributes()})
}

/// All nodes, by their identifiers.
pub(super) fn nodes(call: &Call) -> Value {
    json!({NODE_ID: node(call)})
}

/// A shard of an index, as the state of a cluster tells of it.
pub(super) fn shard(index: &Index, at: u64) -> Value {
    json!({"state": "STARTED", "primary": true, "node": NODE_ID, "relocating_node": null, "shard": at,
        "index": index.name, "allocation_id": {"id": index.uuid()}})
}

/// A copy of a shard, which is on no node.
fn copy(index: &Index, at: u64) -> Value {
    let created = search::date_text(index.created_ms());
    json!({"state": "UNASSIGNED", "primary": false, "node": null, "relocating_node": null, "shard": at, "index": index.name,
        "recovery_source": {"type": "PEER"},
        "unassigned_info": {"reason": "INDEX_CREATED", "at": created, "delayed": false, "allocation_status": "no_attempt"}})
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

/// What is known of these indices, and of all else where they were not chosen by their names.
async fn metadata(call: &Call, indices: &[Index], is_flat: bool, is_whole: bool) -> Result<Value> {
    let mut shown = Map::new();
    for index in indices {
        shown.insert(index.name.clone(), metadata_of(call, index, is_flat).await?);
    }
    let excluded = super::voting::listed(call).await?;
    let mut whole = json!({
        "cluster_uuid": CLUSTER, "cluster_uuid_committed": true, "templates": {}, "indices": shown,
        "cluster_coordination": {"term": 1, "last_committed_config": [NODE_ID], "last_accepted_config": [NODE_ID],
            "voting_config_exclusions": excluded},
        "index-graveyard": {"tombstones": []},
    });
    if !is_whole {
        return Ok(whole);
    }
    whole["templates"] = Value::Object(call.kept(Family::Template).await?.into_iter().collect());
    for (family, name) in [
        (Family::ComponentTemplate, "component_template"),
        (Family::IndexTemplate, "index_template"),
        (Family::Script, "stored_scripts"),
        (Family::Pipeline, "ingest"),
    ] {
        let kept = call.kept(family).await?;
        if kept.is_empty() {
            continue;
        }
        whole[name] = match family {
            Family::Pipeline => {
                let pipeline = |(id, config): (String, Value)| json!({"id": id, "config": config});
                json!({"pipeline": kept.into_iter().map(pipeline).collect::<Vec<_>>()})
            }
            Family::Script => Value::Object(kept.into_iter().collect()),
            _ => json!({name: kept.into_iter().collect::<Map<_, _>>()}),
        };
    }
    Ok(whole)
}

async fn metadata_of(call: &Call, index: &Index, is_flat: bool) -> Result<Value> {
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
    let numbers = || (0..Shape::of(index).primaries).map(|at| at.to_string());
    let terms: Map<String, Value> = numbers().map(|at| (at, json!(1))).collect();
    let allocations: Map<String, Value> = numbers().map(|at| (at, json!([index.uuid()]))).collect();
    Ok(json!({
        "version": 1, "mapping_version": 1, "settings_version": 1, "aliases_version": 1,
        "routing_num_shards": index.routing().shards.parts(), "state": if index.is_closed() { "close" } else { "open" },
        "settings": settings, "mappings": mappings, "aliases": aliases, "primary_terms": terms,
        "in_sync_allocations": allocations, "rollover_info": {}, "system": false,
    }))
}

/// Shards and where they are.
#[derive(Default)]
struct PlacedShards {
    by_index: Map<String, Value>,
    on_node: Vec<Value>,
    unassigned: Vec<Value>,
}

fn placed_shards(call: &Call, indices: &[Index]) -> Result<PlacedShards> {
    let mut placed = PlacedShards::default();
    for index in indices {
        let shape = Shape::of(index);
        let mut shards = Map::new();
        for at in 0..shape.primaries {
            let mut listed = Vec::new();
            for number in 0..=shape.unassigned().min(shape.replicas) {
                let (one, those) = match number {
                    0 => (shard(index, at), &mut placed.on_node),
                    _ => (copy(index, at), &mut placed.unassigned),
                };
                for shown in [&one, &one] {
                    call.held.add_shown(shown)?;
                }
                listed.push(one.clone());
                those.push(one);
            }
            shards.insert(at.to_string(), Value::Array(listed));
        }
        placed
            .by_index
            .insert(index.name.clone(), json!({"shards": shards}));
    }
    Ok(placed)
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
    for name in rest::names::all(call) {
        indices.push(call.index(&name, Action::Find)?);
    }
    let names: Vec<String> = indices.iter().map(|index| index.name.clone()).collect();
    let mut of_indices = Map::from_iter([("count".to_owned(), json!(indices.len()))]);
    of_indices.insert("shards".to_owned(), shards_of_all(&indices));
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
    let (mappings, analysis) = indices::used::of_indices(&indices).await?;
    of_indices.insert("mappings".to_owned(), mappings);
    of_indices.insert("analysis".to_owned(), analysis);
    let is_yellow = indices.iter().any(|index| Shape::of(index).unassigned() > 0);
    let report = call.server.engine.server_report();
    let free = report.volume_bytes.saturating_sub(report.volume_used_bytes);
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let pipelines = call.kept(Family::Pipeline).await?.len();
    let memory = Memory::read();
    let (threads, _) = machine::threads_and_bytes();
    let files = machine::open_files();
    Ok(ok(json!({
        "_nodes": {"total": count, "successful": count, "failed": 0},
        "cluster_name": CLUSTER, "cluster_uuid": CLUSTER, "timestamp": call.server.engine.now_ms(),
        "status": if is_yellow { "yellow" } else { "green" },
        "indices": of_indices,
        "nodes": {
            "count": {"total": count, "coordinating_only": 0, "data": count, "ingest": count, "master": count, "remote_cluster_client": count},
            "versions": [super::root::VERSION],
            "os": {"available_processors": processors, "allocated_processors": processors, "names": [{"name": "Linux", "count": count}],
                "pretty_names": [{"pretty_name": "Linux", "count": count}], "mem": memory.shown()},
            "process": {"cpu": {"percent": 0}, "open_file_descriptors": {"min": files, "max": files, "avg": files}},
            "jvm": {"max_uptime_in_millis": report.uptime_ms, "versions": [],
                "mem": {"heap_used_in_bytes": report.memory_bytes, "heap_max_in_bytes": memory.total}, "threads": threads},
            "fs": {"total_in_bytes": report.volume_bytes, "free_in_bytes": free, "available_in_bytes": free},
            "plugins": [],
            "network_types": {"transport_types": {"larder": count}, "http_types": {"larder": count}}, "discovery_types": {"single-node": count},
            "packaging_types": [{"flavor": "default", "type": "larder", "count": count}],
            "ingest": {"number_of_pipelines": pipelines, "processor_stats": {}},
        },
    })))
}

/// How many shards there are, and of an index in the mean; nothing where there is no index.
fn shards_of_all(indices: &[Index]) -> Value {
    let counts: Vec<u64> = indices.iter().map(|index| Shape::of(index).primaries).collect();
    let (Some(min), Some(max)) = (counts.iter().min(), counts.iter().max()) else {
        return json!({});
    };
    let total: u64 = counts.iter().sum();
    let of_one = json!({"min": min, "max": max, "avg": total as f64 / counts.len() as f64});
    // The copies are on no node.
    let copies = json!({"min": 0.0, "max": 0.0, "avg": 0.0});
    json!({"total": total, "primaries": total, "replication": 0.0,
        "index": {"shards": of_one, "primaries": of_one, "replication": copies}})
}

/// `/_cluster/pending_tasks`: nothing waits for a master.
pub(crate) async fn pending_tasks(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end_without(&["local", "master_timeout"])?;
    Ok(ok(json!({"tasks": []})))
}

/// `/_dangling`: no index is on a disk that the cluster does not know.
pub(crate) fn dangling(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end()?;
    let nodes = json!({"total": 1, "successful": 1, "failed": 0});
    Ok(ok(
        json!({"_nodes": nodes, "cluster_name": CLUSTER, "dangling_indices": []}),
    ))
}
