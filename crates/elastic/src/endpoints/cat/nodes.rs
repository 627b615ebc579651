//! Lists of the one node and what it has.

use super::table::{Figure, Table};
use super::{begin, columns};
use crate::endpoints::machine::{self, BUSY_POOL, Memory, POOLS, percent};
use crate::endpoints::nodes::ATTRIBUTES;
use crate::endpoints::stats::{Wanted, together};
use auth::Action;
use indices::error::Result;
use indices::shape::Shape;
use rest::call::Call;
use rest::listed::is_listed;
use rest::names;
use rest::respond::Answer;
use rest::server::NODE_ID;

/// The node's id: its first letters, or all of it.
fn node_id(call: &mut Call) -> Result<String> {
    let is_full = call.parameters.flag("full_id")?.unwrap_or(false);
    Ok(if is_full { NODE_ID } else { &NODE_ID[..4] }.to_owned())
}

/// `_cat/nodes`.
pub(crate) async fn nodes(call: &mut Call) -> Result<Answer> {
    let asked = begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    call.parameters.flag("include_unloaded_segments")?;
    let id = node_id(call)?;
    let mut table = Table::new(columns::NODES);
    let mut figures = Vec::new();
    if table.is_exceeded(&call.parameters) {
        figures = Figure::of('n');
        table = table.with_figures(&figures, false);
    }
    let report = call.server.engine.server_report();
    let address = call.server.published();
    let size = |bytes: u64| asked.units.size(bytes);
    let (used, whole) = (report.volume_used_bytes, report.volume_bytes);
    let memory = Memory::read();
    let [load, load_of_five, load_of_fifteen] = machine::loads();
    let text = str::to_owned;
    let mut row = vec![
        id,
        std::process::id().to_string(),
        address.ip().to_string(),
        address.port().to_string(),
        address.to_string(),
        text(crate::endpoints::root::VERSION),
        text("default"),
        text("larder"),
        text("unknown"),
        text("none"),
        size(whole),
        size(used),
        size(whole.saturating_sub(used)),
        format!("{:.2}", 100.0 * used as f64 / whole.max(1) as f64),
        size(report.memory_bytes),
        text("0"),
        size(report.memory_bytes),
        size(memory.used()),
        percent(memory.used(), memory.total).to_string(),
        size(memory.total),
        machine::open_files().to_string(),
        text("0"),
        text("-1"),
        text("0"),
        load,
        load_of_five,
        load_of_fifteen,
        asked.units.time(report.uptime_ms.saturating_mul(1_000_000)),
        text("dimr"),
        text("*"),
        engine::host_name(),
    ];
    if !figures.is_empty() {
        let all = together(call, &names::all(call), &Wanted::default()).await?;
        row.extend(figures.iter().map(|figure| figure.cell(&all, &asked)));
    }
    table.row(row);
    table.answer(call)
}

/// `_cat/master`.
pub(crate) async fn master(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    let address = call.server.published().ip().to_string();
    let mut table = Table::new(columns::MASTER);
    table.row(vec![
        NODE_ID.to_owned(),
        address.clone(),
        address,
        engine::host_name(),
    ]);
    table.answer(call)
}

/// `_cat/nodeattrs`.
pub(crate) async fn attributes(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    let id = node_id(call)?;
    let address = call.server.published();
    let mut table = Table::new(columns::ATTRIBUTES);
    for (name, value) in ATTRIBUTES {
        table.row(vec![
            engine::host_name(),
            id.clone(),
            std::process::id().to_string(),
            address.ip().to_string(),
            address.ip().to_string(),
            address.port().to_string(),
            name.to_owned(),
            value.to_owned(),
        ]);
    }
    table.answer(call)
}

/// `_cat/plugins`: there are none.
pub(crate) async fn plugins(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    call.parameters.without_effect(&["include_bootstrap"]);
    Table::new(columns::PLUGINS).answer(call)
}

/// `_cat/allocation`: how much is on the node.
pub(crate) async fn allocation(call: &mut Call, nodes: Option<&str>) -> Result<Answer> {
    let units = begin(call)?.units;
    call.require_of_server(Action::ServerStatus)?;
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
    let mut table = Table::new(columns::ALLOCATION);
    if nodes.is_none_or(|nodes| crate::endpoints::nodes::is_meant(call, nodes)) {
        table.row(vec![
            shards.to_string(),
            units.size(stored),
            units.size(used),
            units.size(whole.saturating_sub(used)),
            units.size(whole),
            percent(used, whole).to_string(),
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

/// `_cat/thread_pool`.
pub(crate) async fn thread_pools(call: &mut Call, patterns: Option<&str>) -> Result<Answer> {
    begin(call)?;
    call.require_of_server(Action::ServerStatus)?;
    let running = call.server.engine.running_operations().len().to_string();
    let address = call.server.published();
    let mut table = Table::new(columns::THREAD_POOL);
    let is_wanted = |name: &str| patterns.is_none_or(|patterns| is_listed(patterns, name));
    for pool in POOLS.into_iter().filter(|pool| is_wanted(pool)) {
        let active = if pool == BUSY_POOL {
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
