//! Lists of shards, and of what is in them.

use super::table::{Figure, Table, time_of_day};
use super::{begin, columns};
use crate::endpoints::stats::{Wanted, sections, sequence_numbers};
use auth::Action;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use rest::call::Call;
use rest::listed::is_listed;
use rest::names;
use rest::resolve::{Options, resolve};
use rest::respond::Answer;
use rest::server::NODE_ID;
use search::simple_match;
use serde_json::Map;

/// The columns of `_cat/shards` before its figures.
const OWN_COLUMNS: usize = 15;

fn indices(call: &Call, expression: &str, options: Options) -> Result<Vec<Index>> {
    let names = resolve(call, expression, options)?;
    names.iter().map(|name| call.index(name, Action::Find)).collect()
}

/// `_cat/shards`.
pub(crate) async fn shards(call: &mut Call, expression: &str) -> Result<Answer> {
    let asked = begin(call)?;
    let mut table = Table::new(columns::SHARDS);
    let mut figures = Vec::new();
    if table.is_exceeded(&call.parameters) {
        figures = Figure::of('s');
        table = table.with_figures(&figures, false);
    }
    let everything = Options {
        closed: true,
        hidden: true,
        ..asked.options
    };
    let ip = call.server.published().ip().to_string();
    for index in indices(call, expression, everything)? {
        let report = index.collection.report().await?;
        let shape = Shape::of(&index);
        table.hold(&call.held, shape.total())?;
        let mut all = match figures.is_empty() {
            true => Map::new(),
            false => sections(&index, &Wanted::default()).await?,
        };
        all.insert("seq_no".to_owned(), sequence_numbers(&index, 0));
        let none = Map::from_iter([("seq_no".to_owned(), sequence_numbers(&index, 1))]);
        for at in 0..shape.primaries {
            // All documents are in the first one.
            let (documents, size, counted) = match at {
                0 => (report.documents, report.storage_bytes, &all),
                _ => (0, 0, &none),
            };
            let head = [index.name.clone(), at.to_string()];
            let mut row = head.to_vec();
            row.extend(["p", "STARTED"].map(str::to_owned));
            row.extend([documents.to_string(), asked.units.size(size), ip.clone()]);
            row.extend([NODE_ID.to_owned(), engine::host_name()]);
            // There are no other copies, nor is any shard recovered.
            row.resize(OWN_COLUMNS, String::new());
            row.extend(figures.iter().map(|figure| figure.cell(counted, &asked)));
            table.row(row);
            for _ in 0..shape.replicas {
                let mut row = head.to_vec();
                row.extend(["r", "UNASSIGNED"].map(str::to_owned));
                table.row(row);
            }
        }
    }
    table.answer(call)
}

/// `_cat/segments`: what a collection has is shown as one segment.
pub(crate) async fn segments(call: &mut Call, expression: &str) -> Result<Answer> {
    let asked = begin(call)?;
    let options = Options {
        forbid_closed: true,
        ..asked.options
    };
    let mut table = Table::new(columns::SEGMENTS);
    let ip = call.server.published().ip().to_string();
    for index in indices(call, expression, options)? {
        let report = index.collection.report().await?;
        if report.documents + report.deleted == 0 {
            continue;
        }
        let is_committed = report.head.changes_since(&index.counters().last_flush()) == 0;
        table.row(vec![
            index.name.clone(),
            "0".to_owned(),
            "p".to_owned(),
            ip.clone(),
            NODE_ID.to_owned(),
            "_0".to_owned(),
            "0".to_owned(),
            report.documents.to_string(),
            report.deleted.to_string(),
            asked.units.size(report.storage_bytes),
            "0".to_owned(),
            is_committed.to_string(),
            "true".to_owned(),
            crate::endpoints::shards::LUCENE_VERSION.to_owned(),
            "false".to_owned(),
        ]);
    }
    table.answer(call)
}

/// `_cat/fielddata`: fields whose values were read one by one, with an estimate of what a column takes.
pub(crate) async fn fielddata(call: &mut Call, fields: Option<&str>) -> Result<Answer> {
    let units = begin(call)?.units;
    let wanted = call.parameters.take("fields");
    let wanted = fields.or(wanted.as_deref());
    let mut sizes = std::collections::BTreeMap::<String, u64>::new();
    for name in names::all(call) {
        let index = call.index(&name, Action::Find)?;
        let documents = index.collection.report().await?.documents;
        for field in index.counters().columns() {
            *sizes.entry(field).or_default() += documents * 8;
        }
    }
    let mut table = Table::new(columns::FIELDDATA);
    let ip = call.server.published().ip().to_string();
    let is_wanted = |field: &str| wanted.is_none_or(|fields| is_listed(fields, field));
    for (field, size) in sizes.into_iter().filter(|(field, _)| is_wanted(field)) {
        table.row(vec![
            NODE_ID.to_owned(),
            ip.clone(),
            ip.clone(),
            engine::host_name(),
            field,
            units.size(size),
        ]);
    }
    table.answer(call)
}

/// `_cat/recovery`.
pub(crate) async fn recovery(call: &mut Call, expression: &str) -> Result<Answer> {
    let asked = begin(call)?;
    call.parameters.without_effect(&["index", "detailed"]);
    let only_active = call.parameters.flag("active_only")?.unwrap_or(false);
    let mut table = Table::new(columns::RECOVERY);
    let host = call.server.published().ip().to_string();
    for index in indices(
        call,
        expression,
        Options {
            closed: true,
            hidden: true,
            ..asked.options
        },
    )? {
        let started = index.created_ms();
        let date = search::date_text(started);
        let kind = crate::endpoints::recovery::kind(&index).to_ascii_lowercase();
        let shards = if only_active {
            0
        } else {
            Shape::of(&index).primaries
        };
        table.hold(&call.held, shards)?;
        for at in 0..shards {
            let mut row: Vec<String> = vec![index.name.clone(), at.to_string()];
            row.extend([
                date.clone(),
                started.to_string(),
                date.clone(),
                started.to_string(),
                asked.units.time(0),
            ]);
            row.extend([
                kind.clone(),
                "done".to_owned(),
                "n/a".to_owned(),
                "n/a".to_owned(),
                host.clone(),
            ]);
            row.extend([engine::host_name(), "n/a".to_owned(), "n/a".to_owned()]);
            let counts = [
                "0", "0", "0.0%", "0", "0b", "0b", "0.0%", "0b", "0", "0", "100.0%",
            ];
            row.extend(counts.map(str::to_owned));
            table.row(row);
        }
    }
    table.answer(call)
}

/// `_cat/tasks`.
pub(crate) async fn tasks(call: &mut Call) -> Result<Answer> {
    let units = begin(call)?.units;
    let detailed = call.parameters.flag("detailed")?.unwrap_or(false);
    let actions = call.parameters.list("actions");
    if let Some(other) = ["nodes", "node_id", "parent_task_id", "parent_task"]
        .into_iter()
        .find(|name| call.parameters.has(name))
    {
        return Err(ElasticError::unsupported(format!(
            "the parameter [{other}] of a list of tasks"
        )));
    }
    let mut all: Vec<serde_json::Value> = crate::endpoints::tasks::running(call)
        .iter()
        .map(|task| task.shown(detailed))
        .collect();
    all.push(crate::endpoints::tasks::own(call).1);
    let mut table = Table::new(columns::TASKS);
    if detailed {
        table = table.and(columns::TASK_DESCRIPTION);
    }
    let address = call.server.published();
    for task in all {
        let text = |name: &str| task[name].as_str().unwrap_or_default().to_owned();
        let action = text("action");
        if actions
            .as_ref()
            .is_some_and(|all| !all.iter().any(|pattern| simple_match(pattern, &action)))
        {
            continue;
        }
        let number = |name: &str| task[name].as_u64().unwrap_or(0);
        let (nanos, started) = (number("running_time_in_nanos"), number("start_time_in_millis"));
        let mut row = vec![
            task["id"].to_string(),
            action,
            format!("{NODE_ID}:{}", task["id"]),
            "-".to_owned(),
            text("type"),
            started.to_string(),
            time_of_day(started),
            nanos.to_string(),
            units.time(nanos),
            NODE_ID.to_owned(),
            address.ip().to_string(),
            address.port().to_string(),
            engine::host_name(),
            crate::endpoints::root::VERSION.to_owned(),
            task["headers"]["X-Opaque-Id"].as_str().unwrap_or("-").to_owned(),
        ];
        row.extend(detailed.then(|| text("description")));
        table.row(row);
    }
    table.answer(call)
}

/// `_cat/pending_tasks`: nothing waits for a master.
pub(crate) async fn pending_tasks(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    Table::new(columns::PENDING_TASKS).answer(call)
}

/// The lists that there are, by their paths.
const LISTS: [&str; 28] = [
    "aliases",
    "aliases/{alias}",
    "allocation",
    "allocation/{nodes}",
    "count",
    "count/{index}",
    "fielddata",
    "fielddata/{fields}",
    "health",
    "indices",
    "indices/{index}",
    "master",
    "nodeattrs",
    "nodes",
    "pending_tasks",
    "plugins",
    "recovery",
    "recovery/{index}",
    "repositories",
    "segments",
    "segments/{index}",
    "shards",
    "shards/{index}",
    "snapshots/{repository}",
    "tasks",
    "templates",
    "thread_pool",
    "thread_pool/{thread_pools}",
];

/// `_cat`: what lists there are.
pub(crate) fn lists(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    call.parameters.end()?;
    let mut text = "=^.^=\n".to_owned();
    for list in LISTS {
        text.push_str(&format!("/_cat/{list}\n"));
    }
    Ok(super::table::text(text))
}
