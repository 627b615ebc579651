//! `_nodes`: this server as the one node of a cluster.

use super::machine::{self, Memory, POOLS, percent};
use super::stats::metrics;
use super::stats::{Wanted, metrics::Metrics, together};
use auth::Action;
use http::Method;
use indices::error::{ElasticError, Result};
use indices::settings::flat;
use rest::call::Call;
use rest::names;
use rest::respond::{Answer, ok};
use rest::server::{CLUSTER, NODE_ID};
use search::simple_match;
use serde_json::{Map, Value, json};

/// What is told of a node.
const INFO: &[&str] = &[
    "settings",
    "os",
    "process",
    "jvm",
    "thread_pool",
    "transport",
    "http",
    "plugins",
    "ingest",
    "aggregations",
    "indices",
];

/// The figures of a node.
const STATS: &[&str] = &[
    "adaptive_selection",
    "breaker",
    "discovery",
    "fs",
    "http",
    "indexing_pressure",
    "indices",
    "ingest",
    "jvm",
    "os",
    "process",
    "script",
    "script_cache",
    "thread_pool",
    "transport",
];

/// The aggregations, each with the kinds of values that it takes, as Elasticsearch names them.
const AGGREGATIONS: &str = "\
adjacency_matrix other
auto_date_histogram boolean date numeric
avg boolean date numeric
cardinality boolean bytes date geopoint ip numeric range
composite other
date_histogram boolean date numeric range
date_range boolean date numeric
diversified_sampler boolean bytes date numeric
extended_stats boolean date numeric
filter other
filters other
geo_bounds geopoint
geo_centroid geopoint
geo_distance geopoint
geohash_grid geopoint
geotile_grid geopoint
global other
histogram boolean date numeric range
ip_range ip
max boolean date numeric
median_absolute_deviation numeric
min boolean date numeric
missing boolean bytes date geopoint ip numeric range
nested other
percentile_ranks boolean date numeric
percentiles boolean date numeric
range boolean date numeric
rare_terms boolean bytes date ip numeric
reverse_nested other
sampler other
significant_terms boolean bytes date ip numeric
significant_text other
stats boolean date numeric
sum boolean date numeric
terms boolean bytes date ip numeric
top_hits other
value_count boolean bytes date geopoint ip numeric range
variable_width_histogram numeric
weighted_avg numeric";

/// What the node says of itself: that it is Larder, and of which version.
pub(crate) const ATTRIBUTES: [(&str, &str); 1] = [("larder.version", env!("CARGO_PKG_VERSION"))];

/// What a node is and does.
pub(crate) const ROLES: [&str; 4] = ["data", "ingest", "master", "remote_cluster_client"];

/// `/_nodes/{nodes}/{metrics}`.
pub(crate) async fn info(call: &mut Call, path: &[&str]) -> Result<Answer> {
    begin(call)?;
    let is_flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    call.parameters.end()?;
    let is_metrics = |text: &str| text.split(',').all(|name| INFO.contains(&name) || name == "_all");
    let (nodes, metric) = match path {
        [] => ("_all", None),
        [one] if is_metrics(one) => ("_all", Some(*one)),
        [nodes] => (*nodes, None),
        [nodes, metric, ..] => (*nodes, Some(*metric)),
    };
    let metrics = Metrics::known(metric, INFO);
    let mut node = head(call);
    for (name, section) in sections(call) {
        if metrics.has(name) {
            let section = match name {
                "settings" if is_flat => flat(&section),
                _ => section,
            };
            node.insert(name.to_owned(), section);
        }
    }
    Ok(ok(answer(call, nodes, node)))
}

/// `/_nodes/{nodes}/stats/{metrics}/{metrics of indices}`.
pub(crate) async fn stats(
    call: &mut Call,
    nodes: &str,
    metric: Option<&str>,
    of_indices: Option<&str>,
) -> Result<Answer> {
    begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    let path = call.path.join("/");
    let metrics = Metrics::parse(metric, STATS, &path)?;
    if let Some(of_indices) = of_indices
        && (metric == Some("_all") || !metrics.has("indices"))
    {
        let what = match metric {
            Some("_all") => "all stats requested",
            _ => "indices stats not requested",
        };
        return Err(ElasticError::illegal(format!(
            "request [/{path}] contains index metrics [{of_indices}] but {what}"
        )));
    }
    let wanted = Wanted::take(call, Metrics::parse(of_indices, metrics::OF_INDICES, &path)?)?;
    let level = call.parameters.take("level");
    if !matches!(level.as_deref(), None | Some("node" | "indices" | "shards")) {
        return Err(ElasticError::illegal(
            "level parameter must be one of [indices] or [node] or [shards]",
        ));
    }
    call.parameters.end()?;
    let mut node = Map::from_iter([("timestamp".to_owned(), json!(call.server.engine.now_ms()))]);
    node.extend(head(call));
    for (name, section) in figures(call) {
        if metrics.has(name.0) {
            node.insert(name.1.to_owned(), section);
        }
    }
    if metrics.has("indices") {
        let figures = together(call, &names::all(call), &wanted).await?;
        node.insert("indices".to_owned(), Value::Object(figures));
    }
    Ok(ok(answer(call, nodes, node)))
}

/// `/_nodes/{nodes}/usage`: nothing is counted by feature.
pub(crate) async fn usage(call: &mut Call, nodes: &str) -> Result<Answer> {
    begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    call.parameters.end()?;
    let now = call.server.engine.now_ms();
    let since = now.saturating_sub(call.server.engine.server_report().uptime_ms);
    let node = json!({"timestamp": now, "since": since, "rest_actions": {}, "aggregations": {}});
    let node = node.as_object().cloned().unwrap_or_default();
    Ok(ok(answer(call, nodes, node)))
}

/// `/_nodes/{nodes}/reload_secure_settings`: there is no keystore, which Elasticsearch says in this way.
pub(crate) fn reload(call: &mut Call, nodes: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    call.require_server()?;
    call.parameters.end_without(&["timeout"])?;
    let body = call.object()?;
    if let Some(other) = body.keys().find(|name| *name != "secure_settings_password") {
        return Err(ElasticError::parsing(format!(
            "[reload_secure_settings] unknown field [{other}]"
        )));
    }
    let missing = json!({"type": "illegal_state_exception", "reason": "Keystore is missing"});
    let node = json!({"name": engine::host_name(), "reload_exception": missing});
    let node = node.as_object().cloned().unwrap_or_default();
    Ok(ok(answer(call, nodes, node)))
}

fn begin(call: &mut Call) -> Result<()> {
    call.only(&[Method::GET])?;
    call.parameters.without_effect(&["timeout"]);
    Ok(())
}

fn answer(call: &Call, nodes: &str, node: Map<String, Value>) -> Value {
    let is_meant = is_meant(call, nodes);
    let count = u64::from(is_meant);
    let nodes = match is_meant {
        true => json!({NODE_ID: node}),
        false => json!({}),
    };
    json!({"_nodes": {"total": count, "successful": count, "failed": 0}, "cluster_name": CLUSTER, "nodes": nodes})
}

/// Whether names, roles and patterns mean this node.
pub(crate) fn is_meant(call: &Call, nodes: &str) -> bool {
    let name = engine::host_name();
    let address = call.server.published();
    let mut is_meant = false;
    for one in nodes.split(',').filter(|one| !one.is_empty()) {
        match one.split_once(':') {
            Some((role, flag)) if ROLES.contains(&role) => is_meant = flag == "true",
            Some(("coordinating_only", flag)) => is_meant = flag != "true",
            _ => {
                is_meant |= ["_all", "_local", "_master"].contains(&one)
                    || simple_match(one, &name)
                    || simple_match(one, NODE_ID)
                    || one == address.to_string()
                    || one == address.ip().to_string();
            }
        }
    }
    is_meant
}

/// The attributes of the node by their names.
pub(super) fn attributes() -> Map<String, Value> {
    let all = ATTRIBUTES.iter();
    all.map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect()
}

fn head(call: &Call) -> Map<String, Value> {
    let address = call.server.published();
    let head = json!({
        "name": engine::host_name(), "transport_address": address.to_string(), "host": address.ip().to_string(),
        "ip": address.ip().to_string(), "version": super::root::VERSION, "build_flavor": "default",
        "build_type": "larder", "build_hash": "unknown", "roles": ROLES, "attributes": attributes(),
    });
    head.as_object().cloned().unwrap_or_default()
}

fn sections(call: &Call) -> Vec<(&'static str, Value)> {
    let address = call.server.published().to_string();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let report = call.server.engine.server_report();
    let started_ms = call.server.engine.now_ms().saturating_sub(report.uptime_ms);
    let bound = json!({"bound_address": [address], "publish_address": address});
    let mut transport = bound.clone();
    transport["profiles"] = json!({});
    let mut http = bound;
    http["max_content_length_in_bytes"] = json!(rest::limits::BODY_BYTES_MAX);
    vec![
        (
            "settings",
            json!({"cluster": {"name": CLUSTER}, "node": {"name": engine::host_name()}, "client": {"type": "node"}}),
        ),
        (
            "os",
            json!({"name": "Linux", "arch": std::env::consts::ARCH, "available_processors": processors,
                "allocated_processors": processors, "refresh_interval_in_millis": 1000}),
        ),
        (
            "process",
            json!({"id": std::process::id(), "mlockall": false, "refresh_interval_in_millis": 1000}),
        ),
        (
            "jvm",
            json!({"pid": std::process::id(), "start_time_in_millis": started_ms, "vm_name": "none"}),
        ),
        (
            "thread_pool",
            pools(&json!({"type": "fixed", "size": processors, "queue_size": -1})),
        ),
        ("transport", transport),
        ("http", http),
        ("plugins", json!([])),
        ("ingest", json!({"processors": processors_of_pipelines()})),
        ("aggregations", aggregations()),
    ]
}

/// The same of each pool.
fn pools(one: &Value) -> Value {
    let named = POOLS.iter().map(|name| ((*name).to_owned(), one.clone()));
    Value::Object(named.collect())
}

/// The memory of caches, as Elasticsearch tells of what a virtual machine has.
fn jvm(now: u64, uptime_ms: u64, used: u64, most: u64, threads: u64) -> Value {
    let collector = json!({"collection_count": 0, "collection_time_in_millis": 0});
    let buffers = json!({"count": 0, "used_in_bytes": 0, "total_capacity_in_bytes": 0});
    json!({
        "timestamp": now, "uptime_in_millis": uptime_ms,
        "mem": {"heap_used_in_bytes": used, "heap_used_percent": percent(used, most), "heap_committed_in_bytes": used,
            "heap_max_in_bytes": most, "non_heap_used_in_bytes": 0, "non_heap_committed_in_bytes": 0, "pools": {}},
        "threads": {"count": threads, "peak_count": threads},
        "gc": {"collectors": {"young": collector, "old": collector}},
        "buffer_pools": {"mapped": buffers, "direct": buffers},
        "classes": {"current_loaded_count": 0, "total_loaded_count": 0, "total_unloaded_count": 0},
    })
}

/// Elasticsearch's bounds of memory, none of which is met here: requests have bounds of their own.
fn breakers(most: u64) -> Value {
    let breaker = json!({"limit_size_in_bytes": most, "limit_size": format!("{most}b"), "estimated_size_in_bytes": 0,
        "estimated_size": "0b", "overhead": 1.0, "tripped": 0});
    let names = [
        "request",
        "fielddata",
        "in_flight_requests",
        "accounting",
        "parent",
    ];
    let named = names.into_iter().map(|name| (name.to_owned(), breaker.clone()));
    Value::Object(named.collect())
}

fn processors_of_pipelines() -> Vec<Value> {
    let mut names = ingest::PROCESSORS.to_vec();
    names.sort_unstable();
    names.into_iter().map(|name| json!({"type": name})).collect()
}

fn aggregations() -> Value {
    let aggregation = |line: &str| {
        let (name, types) = line.split_once(' ')?;
        let types: Vec<&str> = types.split(' ').collect();
        Some((name.to_owned(), json!({"types": types})))
    };
    Value::Object(AGGREGATIONS.lines().filter_map(aggregation).collect())
}

/// Figures by the names in paths and in answers.
fn figures(call: &Call) -> Vec<((&'static str, &'static str), Value)> {
    let report = call.server.engine.server_report();
    let now = call.server.engine.now_ms();
    let free = report.volume_bytes.saturating_sub(report.volume_used_bytes);
    let total =
        json!({"total_in_bytes": report.volume_bytes, "free_in_bytes": free, "available_in_bytes": free});
    let memory = Memory::read();
    let (threads, virtual_bytes) = machine::threads_and_bytes();
    let pressure = json!({"combined_coordinating_and_primary_in_bytes": 0, "coordinating_in_bytes": 0, "primary_in_bytes": 0,
        "replica_in_bytes": 0, "all_in_bytes": 0});
    let mut pressed = pressure.clone();
    for name in [
        "coordinating_rejections",
        "primary_rejections",
        "replica_rejections",
    ] {
        pressed[name] = json!(0);
    }
    let limit = rest::limits::BODY_BYTES_MAX;
    vec![
        (
            ("os", "os"),
            json!({"timestamp": now, "cpu": {"percent": 0, "load_average": machine::shown_loads()}, "mem": memory.shown(),
                "swap": memory.shown_swap()}),
        ),
        (
            ("process", "process"),
            json!({"timestamp": now, "open_file_descriptors": machine::open_files(),
                "max_file_descriptors": machine::open_files_max(), "cpu": {"percent": 0, "total_in_millis": 0},
                "mem": {"total_virtual_in_bytes": virtual_bytes}}),
        ),
        (
            ("jvm", "jvm"),
            jvm(now, report.uptime_ms, report.memory_bytes, memory.total, threads),
        ),
        (
            ("thread_pool", "thread_pool"),
            pools(
                &json!({"threads": 0, "queue": 0, "active": 0, "rejected": 0, "largest": 0, "completed": 0}),
            ),
        ),
        (
            ("fs", "fs"),
            json!({"timestamp": now, "total": total, "data": [total]}),
        ),
        (
            ("transport", "transport"),
            json!({"server_open": 0, "total_outbound_connections": 0, "rx_count": 0, "rx_size_in_bytes": 0, "tx_count": 0,
                "tx_size_in_bytes": 0}),
        ),
        (
            ("http", "http"),
            json!({"current_open": call.server.engine.running_operations().len(), "total_opened": 0}),
        ),
        (("breaker", "breakers"), breakers(memory.total)),
        (
            ("script", "script"),
            json!({"compilations": 0, "cache_evictions": 0, "compilation_limit_triggered": 0}),
        ),
        (
            ("script_cache", "script_cache"),
            json!({"sum": {"compilations": 0, "cache_evictions": 0, "compilation_limit_triggered": 0}}),
        ),
        (
            ("discovery", "discovery"),
            json!({"cluster_state_queue": {"total": 0, "pending": 0, "committed": 0},
                "published_cluster_states": {"full_states": 0, "incompatible_diffs": 0, "compatible_diffs": 0}}),
        ),
        (
            ("ingest", "ingest"),
            json!({"total": {"count": 0, "time_in_millis": 0, "current": 0, "failed": 0}, "pipelines": {}}),
        ),
        (("adaptive_selection", "adaptive_selection"), json!({})),
        (
            ("indexing_pressure", "indexing_pressure"),
            json!({"memory": {"current": pressure, "total": pressed, "limit_in_bytes": limit}}),
        ),
    ]
}
