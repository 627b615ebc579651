//! Lists of the one node and what it has.

use super::table::{Column, Table, bytes};
use super::{begin, text};
use crate::call::Call;
use crate::listed::is_listed;
use crate::names;
use crate::respond::Answer;
use crate::server::NODE_ID;
use auth::Action;
use indices::error::Result;
use indices::shape::Shape;

/// The node's id: its first letters, or all of it.
fn node_id(call: &mut Call) -> Result<String> {
    let is_full = call.parameters.flag("full_id")?.unwrap_or(false);
    Ok(if is_full { NODE_ID } else { &NODE_ID[..4] }.to_owned())
}

/// `_cat/nodes`.
pub(crate) async fn nodes(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    call.parameters.without_effect(&["include_unloaded_segments"]);
    let id = node_id(call)?;
    let report = call.server.engine.server_report();
    let address = call.server.published();
    let used = report.volume_used_bytes;
    let percent = |part: u64, whole: u64| (part * 100).checked_div(whole).unwrap_or(0).to_string();
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let mut loads = load.split_whitespace().map(str::to_owned);
    let mut load = || loads.next().unwrap_or_default();
    let cells = [
        (Column::hidden("id", "id,nodeId"), id),
        (Column::hidden("pid", "p"), std::process::id().to_string()),
        (Column::left("ip", "i"), address.ip().to_string()),
        (Column::hidden("port", "po"), address.port().to_string()),
        (Column::hidden("http_address", "http"), address.to_string()),
        (
            Column::hidden("version", "v"),
            crate::endpoints::root::VERSION.to_owned(),
        ),
        (Column::hidden("flavor", "f"), "default".to_owned()),
        (Column::hidden("type", "t"), "larder".to_owned()),
        (Column::hidden("build", "b"), "unknown".to_owned()),
        (Column::hidden("jdk", "j"), "none".to_owned()),
        (
            Column::hidden("disk.total", "dt,diskTotal"),
            bytes(report.volume_bytes),
        ),
        (Column::hidden("disk.used", "du,diskUsed"), bytes(used)),
        (
            Column::hidden("disk.avail", "d,da,disk,diskAvail"),
            bytes(report.volume_bytes.saturating_sub(used)),
        ),
        (
            Column::hidden("disk.used_percent", "dup,diskUsedPercent"),
            percent(used, report.volume_bytes),
        ),
        (
            Column::hidden("heap.current", "hc,heapCurrent"),
            bytes(report.memory_bytes),
        ),
        (Column::right("heap.percent", "hp,heapPercent"), "0".to_owned()),
        (
            Column::hidden("heap.max", "hm,heapMax"),
            bytes(report.memory_bytes),
        ),
        (Column::right("ram.percent", "rp,ramPercent"), "0".to_owned()),
        (
            Column::hidden("file_desc.current", "fdc,fileDescriptorCurrent"),
            open_files(),
        ),
        (
            Column::hidden("file_desc.percent", "fdp,fileDescriptorPercent"),
            "0".to_owned(),
        ),
        (
            Column::hidden("file_desc.max", "fdm,fileDescriptorMax"),
            "-1".to_owned(),
        ),
        (Column::right("cpu", "cpu"), "0".to_owned()),
        (Column::right("load_1m", "l"), load()),
        (Column::right("load_5m", "l"), load()),
        (Column::right("load_15m", "l"), load()),
        (
            Column::hidden("uptime", "u"),
            format!("{:.1}s", report.uptime_ms as f64 / 1000.0),
        ),
        (Column::left("node.role", "r,role,nodeRole"), "dimr".to_owned()),
        (Column::left("master", "m"), "*".to_owned()),
        (Column::left("name", "n"), engine::host_name()),
    ];
    let mut table = Table::new(&cells.each_ref().map(|(column, _)| *column));
    table.row(cells.into_iter().map(|(_, cell)| cell).collect());
    table.answer(call)
}

fn open_files() -> String {
    std::fs::read_dir("/proc/self/fd")
        .map_or(0, Iterator::count)
        .to_string()
}

/// `_cat/master`.
pub(crate) async fn master(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    let address = call.server.published().ip().to_string();
    let mut table = Table::new(&[
        Column::left("id", ""),
        Column::left("host", "h"),
        Column::left("ip", ""),
        Column::left("node", "n"),
    ]);
    table.row(vec![
        NODE_ID.to_owned(),
        address.clone(),
        address,
        engine::host_name(),
    ]);
    table.answer(call)
}

/// `_cat/nodeattrs`: the node has none.
pub(crate) async fn attributes(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    let table = Table::new(&[
        Column::left("node", "name"),
        Column::hidden("id", "id,nodeId"),
        Column::hidden("pid", "p"),
        Column::left("host", "h"),
        Column::left("ip", "i"),
        Column::hidden("port", "po"),
        Column::left("attr", "attr.name"),
        Column::left("value", "attr.value"),
    ]);
    table.answer(call)
}

/// `_cat/plugins`: there are none.
pub(crate) async fn plugins(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    call.parameters.without_effect(&["include_bootstrap"]);
    let table = Table::new(&[
        Column::hidden("id", ""),
        Column::left("name", "n"),
        Column::left("component", "c"),
        Column::left("version", "v"),
        Column::hidden("description", "d"),
    ]);
    table.answer(call)
}

/// `_cat/allocation`: how much is on the node.
pub(crate) async fn allocation(call: &mut Call, nodes: Option<&str>) -> Result<Answer> {
    begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    let unit = text::Unit::take(&mut call.parameters)?;
    let (mut shards, mut stored, mut unassigned) = (0, 0, 0);
    for name in names::all(call) {
        let index = call.index(&name, Action::Find)?;
        let shape = Shape::of(&index);
        shards += shape.primaries;
        unassigned += shape.unassigned();
        stored += index.collection.report().await?.storage_bytes;
    }
    let report = call.server.engine.server_report();
    let (used, whole) = (report.volume_used_bytes, report.volume_bytes);
    let address = call.server.published().ip().to_string();
    let mut table = Table::new(&[
        Column::right("shards", "s"),
        Column::right("disk.indices", "di,diskIndices"),
        Column::right("disk.used", "du,diskUsed"),
        Column::right("disk.avail", "da,diskAvail"),
        Column::right("disk.total", "dt,diskTotal"),
        Column::right("disk.percent", "dp,diskPercent"),
        Column::left("host", "h"),
        Column::left("ip", ""),
        Column::left("node", "n"),
    ]);
    if nodes.is_none_or(|nodes| crate::endpoints::nodes::is_meant(call, nodes)) {
        table.row(vec![
            shards.to_string(),
            unit.of(stored),
            unit.of(used),
            unit.of(whole.saturating_sub(used)),
            unit.of(whole),
            (used * 100).checked_div(whole).unwrap_or(0).to_string(),
            address.clone(),
            address,
            engine::host_name(),
        ]);
    }
    if unassigned > 0 && nodes.is_none() {
        let mut row = vec![String::new(); 9];
        row[0] = unassigned.to_string();
        row[8] = "UNASSIGNED".to_owned();
        table.row(row);
    }
    table.answer(call)
}

/// The pools in which Elasticsearch runs requests; here they all run where they arrive.
const POOLS: [&str; 11] = [
    "analyze",
    "fetch_shard_started",
    "fetch_shard_store",
    "flush",
    "force_merge",
    "generic",
    "get",
    "management",
    "refresh",
    "search",
    "write",
];

/// `_cat/thread_pool`.
pub(crate) async fn thread_pools(call: &mut Call, patterns: Option<&str>) -> Result<Answer> {
    begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    call.parameters.without_effect(&["size"]);
    let running = call.server.engine.running_operations().len().to_string();
    let address = call.server.published();
    let mut table = Table::new(&[
        Column::left("node_name", "nn"),
        Column::hidden("node_id", "id"),
        Column::hidden("ephemeral_node_id", "eid"),
        Column::hidden("pid", "p"),
        Column::hidden("host", "h"),
        Column::hidden("ip", "i"),
        Column::hidden("port", "po"),
        Column::left("name", "n"),
        Column::hidden("type", "t"),
        Column::right("active", "a"),
        Column::hidden("pool_size", "psz"),
        Column::right("queue", "q"),
        Column::hidden("queue_size", "qs"),
        Column::right("rejected", "r"),
        Column::hidden("largest", "l"),
        Column::hidden("completed", "c"),
        Column::hidden("core", "cr"),
        Column::hidden("max", "mx"),
        Column::hidden("size", "sz"),
        Column::hidden("keep_alive", "ka"),
    ]);
    let is_wanted = |name: &str| patterns.is_none_or(|patterns| is_listed(patterns, name));
    for pool in POOLS.into_iter().filter(|pool| is_wanted(pool)) {
        let active = if pool == "management" {
            running.clone()
        } else {
            "0".to_owned()
        };
        let zero = || "0".to_owned();
        table.row(vec![
            engine::host_name(),
            NODE_ID.to_owned(),
            NODE_ID.to_owned(),
            std::process::id().to_string(),
            address.ip().to_string(),
            address.ip().to_string(),
            address.port().to_string(),
            pool.to_owned(),
            "fixed".to_owned(),
            active,
            zero(),
            zero(),
            "-1".to_owned(),
            zero(),
            zero(),
            zero(),
            String::new(),
            String::new(),
            zero(),
            String::new(),
        ]);
    }
    table.answer(call)
}
