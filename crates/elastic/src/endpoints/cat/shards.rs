//! Lists of shards, and of what is in them.

use super::table::{Column, Table, now};
use super::{begin, text};
use crate::call::Call;
use crate::listed::is_listed;
use crate::names;
use crate::resolve::{Options, resolve};
use crate::respond::Answer;
use crate::server::NODE_ID;
use auth::Action;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use search::simple_match;

/// What `_cat/shards` can show besides what it shows, all 0 or nothing where nothing is counted.
const MORE: [(&str, &str); 63] = [
    ("id", "id"),
    ("sync_id", "sync_id"),
    ("unassigned.reason", "ur"),
    ("unassigned.at", "ua"),
    ("unassigned.for", "uf"),
    ("unassigned.details", "ud"),
    ("recoverysource.type", "rs"),
    ("completion.size", "cs,completionSize"),
    ("fielddata.memory_size", "fm,fielddataMemory"),
    ("fielddata.evictions", "fe,fielddataEvictions"),
    ("query_cache.memory_size", "qcm,queryCacheMemory"),
    ("query_cache.evictions", "qce,queryCacheEvictions"),
    ("flush.total", "ft,flushTotal"),
    ("flush.total_time", "ftt,flushTotalTime"),
    ("get.current", "gc,getCurrent"),
    ("get.time", "gti,getTime"),
    ("get.total", "gto,getTotal"),
    ("get.exists_time", "geti,getExistsTime"),
    ("get.exists_total", "geto,getExistsTotal"),
    ("get.missing_time", "gmti,getMissingTime"),
    ("get.missing_total", "gmto,getMissingTotal"),
    ("indexing.delete_current", "idc,indexingDeleteCurrent"),
    ("indexing.delete_time", "idti,indexingDeleteTime"),
    ("indexing.delete_total", "idto,indexingDeleteTotal"),
    ("indexing.index_current", "iic,indexingIndexCurrent"),
    ("indexing.index_time", "iiti,indexingIndexTime"),
    ("indexing.index_total", "iito,indexingIndexTotal"),
    ("indexing.index_failed", "iif,indexingIndexFailed"),
    ("merges.current", "mc,mergesCurrent"),
    ("merges.current_docs", "mcd,mergesCurrentDocs"),
    ("merges.current_size", "mcs,mergesCurrentSize"),
    ("merges.total", "mt,mergesTotal"),
    ("merges.total_docs", "mtd,mergesTotalDocs"),
    ("merges.total_size", "mts,mergesTotalSize"),
    ("merges.total_time", "mtt,mergesTotalTime"),
    ("refresh.total", "rto,refreshTotal"),
    ("refresh.time", "rti,refreshTime"),
    ("refresh.external_total", "reto"),
    ("refresh.external_time", "reti"),
    ("refresh.listeners", "rli,refreshListeners"),
    ("search.fetch_current", "sfc,searchFetchCurrent"),
    ("search.fetch_time", "sfti,searchFetchTime"),
    ("search.fetch_total", "sfto,searchFetchTotal"),
    ("search.open_contexts", "so,searchOpenContexts"),
    ("search.query_current", "sqc,searchQueryCurrent"),
    ("search.query_time", "sqti,searchQueryTime"),
    ("search.query_total", "sqto,searchQueryTotal"),
    ("search.scroll_current", "scc,searchScrollCurrent"),
    ("search.scroll_time", "scti,searchScrollTime"),
    ("search.scroll_total", "scto,searchScrollTotal"),
    ("segments.count", "sc,segmentsCount"),
    ("segments.memory", "sm,segmentsMemory"),
    ("segments.index_writer_memory", "siwm,segmentsIndexWriterMemory"),
    ("segments.version_map_memory", "svmm,segmentsVersionMapMemory"),
    ("segments.fixed_bitset_memory", "sfbm,fixedBitsetMemory"),
    ("seq_no.max", "sqm,maxSeqNo"),
    ("seq_no.local_checkpoint", "sql,localCheckpoint"),
    ("seq_no.global_checkpoint", "sqg,globalCheckpoint"),
    ("warmer.current", "wc,warmerCurrent"),
    ("warmer.total", "wto,warmerTotal"),
    ("warmer.total_time", "wtt,warmerTotalTime"),
    ("path.data", "pd,dataPath"),
    ("path.state", "ps,statsPath"),
];

fn indices(call: &Call, expression: &str, options: Options) -> Result<Vec<Index>> {
    let names = resolve(call, expression, options)?;
    names.iter().map(|name| call.index(name, Action::Find)).collect()
}

/// `_cat/shards`.
pub(crate) async fn shards(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = begin(call)?;
    let unit = text::Unit::take(&mut call.parameters)?;
    let mut columns = vec![
        Column::left("index", "i,idx"),
        Column::left("shard", "s,sh"),
        Column::left("prirep", "p,pr,primaryOrReplica"),
        Column::left("state", "st"),
        Column::right("docs", "d,dc"),
        Column::right("store", "sto"),
        Column::left("ip", ""),
        Column::hidden(MORE[0].0, MORE[0].1),
        Column::left("node", "n"),
    ];
    columns.extend(MORE[1..].iter().map(|(name, alias)| Column::hidden(name, alias)));
    let mut table = Table::new(&columns);
    let ip = call.server.published().ip().to_string();
    for index in indices(
        call,
        expression,
        Options {
            closed: true,
            hidden: true,
            ..options
        },
    )? {
        let report = index.collection.report().await?;
        let shape = Shape::of(&index);
        table.hold(&call.held, shape.total())?;
        for at in 0..shape.primaries {
            let (documents, size) = if at == 0 {
                (report.documents, report.storage_bytes)
            } else {
                (0, 0)
            };
            let head = [index.name.clone(), at.to_string()];
            let mut row = head.to_vec();
            row.extend([
                "p".to_owned(),
                "STARTED".to_owned(),
                documents.to_string(),
                unit.of(size),
                ip.clone(),
            ]);
            row.extend([NODE_ID.to_owned(), engine::host_name()]);
            row.extend(MORE[1..].iter().map(|(name, _)| counted(&index, name, at == 0)));
            table.row(row);
            for _ in 0..shape.replicas {
                let mut row = head.to_vec();
                row.extend(["r".to_owned(), "UNASSIGNED".to_owned()]);
                row.resize(columns.len(), String::new());
                table.row(row);
            }
        }
    }
    table.answer(call)
}

fn counted(index: &Index, name: &str, is_first: bool) -> String {
    let counters = index.counters();
    let number = match name {
        "get.total" => counters.found.get() + counters.missing.get(),
        "get.exists_total" => counters.found.get(),
        "get.missing_total" => counters.missing.get(),
        "indexing.delete_total" => counters.deleted.get(),
        "indexing.index_total" => counters.indexed.get(),
        "indexing.index_failed" => counters.failed.get(),
        "flush.total" => counters.flushes.get(),
        "refresh.total" | "refresh.external_total" => counters.refreshes.get(),
        "search.query_total" => counters.searches.get(),
        text if text.starts_with("unassigned") || text.starts_with("path") || text == "sync_id" => {
            return String::new();
        }
        "recoverysource.type" => return String::new(),
        time if time.contains("time") => return "0s".to_owned(),
        size if size.contains("memory") || size.contains("size") => return "0b".to_owned(),
        _ => 0,
    };
    if is_first { number } else { 0 }.to_string()
}

/// `_cat/segments`: what a collection has is shown as one segment.
pub(crate) async fn segments(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options {
        forbid_closed: true,
        ..begin(call)?
    };
    let unit = text::Unit::take(&mut call.parameters)?;
    let mut table = Table::new(&[
        Column::left("index", "i,idx"),
        Column::left("shard", "s,sh"),
        Column::left("prirep", "p,pr,primaryOrReplica"),
        Column::left("ip", ""),
        Column::hidden("id", ""),
        Column::left("segment", "seg"),
        Column::right("generation", "g,gen"),
        Column::right("docs.count", "dc,docsCount"),
        Column::right("docs.deleted", "dd,docsDeleted"),
        Column::right("size", "si"),
        Column::right("size.memory", "sm,sizeMemory"),
        Column::left("committed", "ic,isCommitted"),
        Column::left("searchable", "is,isSearchable"),
        Column::left("version", "v,ver"),
        Column::left("compound", "ico,isCompound"),
    ]);
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
            unit.of(report.storage_bytes),
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
pub(crate) async fn columns(call: &mut Call, fields: Option<&str>) -> Result<Answer> {
    begin(call)?;
    let unit = text::Unit::take(&mut call.parameters)?;
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
    let mut table = Table::new(&[
        Column::left("id", ""),
        Column::left("host", "h"),
        Column::left("ip", ""),
        Column::left("node", "n"),
        Column::left("field", "f"),
        Column::right("size", "s"),
    ]);
    let ip = call.server.published().ip().to_string();
    let is_wanted = |field: &str| wanted.is_none_or(|fields| is_listed(fields, field));
    for (field, size) in sizes.into_iter().filter(|(field, _)| is_wanted(field)) {
        table.row(vec![
            NODE_ID.to_owned(),
            ip.clone(),
            ip.clone(),
            engine::host_name(),
            field,
            unit.of(size),
        ]);
    }
    table.answer(call)
}

/// `_cat/recovery`.
pub(crate) async fn recovery(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = begin(call)?;
    call.parameters.without_effect(&["index", "detailed"]);
    text::Unit::take(&mut call.parameters)?;
    let only_active = call.parameters.flag("active_only")?.unwrap_or(false);
    let mut table = Table::new(&[
        Column::left("index", "i,idx"),
        Column::left("shard", "s,sh"),
        Column::hidden("start_time", "start"),
        Column::hidden("start_time_millis", "start_millis"),
        Column::hidden("stop_time", "stop"),
        Column::hidden("stop_time_millis", "stop_millis"),
        Column::left("time", "t,ti"),
        Column::left("type", "ty"),
        Column::left("stage", "st"),
        Column::left("source_host", "shost"),
        Column::left("source_node", "snode"),
        Column::left("target_host", "thost"),
        Column::left("target_node", "tnode"),
        Column::left("repository", "rep"),
        Column::left("snapshot", "snap"),
        Column::right("files", "f"),
        Column::right("files_recovered", "fr"),
        Column::right("files_percent", "fp"),
        Column::right("files_total", "tf"),
        Column::right("bytes", "b"),
        Column::right("bytes_recovered", "br"),
        Column::right("bytes_percent", "bp"),
        Column::right("bytes_total", "tb"),
        Column::right("translog_ops", "to"),
        Column::right("translog_ops_recovered", "tor"),
        Column::right("translog_ops_percent", "top"),
    ]);
    let host = call.server.published().ip().to_string();
    for index in indices(
        call,
        expression,
        Options {
            closed: true,
            hidden: true,
            ..options
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
                "0s".to_owned(),
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
    begin(call)?;
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
    let mut columns = vec![
        Column::hidden("id", ""),
        Column::left("action", "ac"),
        Column::left("task_id", "ti"),
        Column::left("parent_task_id", "pti"),
        Column::left("type", "ty"),
        Column::left("start_time", "start"),
        Column::left("timestamp", "ts,hms,hhmmss"),
        Column::hidden("running_time_ns", "time"),
        Column::left("running_time", "time"),
        Column::hidden("node_id", "ni"),
        Column::left("ip", "i"),
        Column::hidden("port", "po"),
        Column::left("node", "n"),
        Column::hidden("version", "v"),
        Column::hidden("x_opaque_id", "x"),
    ];
    columns.extend(detailed.then_some(Column::left("description", "desc")));
    let mut table = Table::new(&columns);
    let address = call.server.published();
    let (_, time) = now(&call.server.engine);
    for task in all {
        let text = |name: &str| task[name].as_str().unwrap_or_default().to_owned();
        let action = text("action");
        if actions
            .as_ref()
            .is_some_and(|all| !all.iter().any(|pattern| simple_match(pattern, &action)))
        {
            continue;
        }
        let nanos = task["running_time_in_nanos"].as_u64().unwrap_or(0);
        let mut row = vec![
            task["id"].to_string(),
            action,
            format!("{NODE_ID}:{}", task["id"]),
            "-".to_owned(),
            text("type"),
            task["start_time_in_millis"].to_string(),
            time.clone(),
            nanos.to_string(),
            format!("{:.1}ms", nanos as f64 / 1e6),
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
    let table = Table::new(&[
        Column::right("insertOrder", "o"),
        Column::right("timeInQueue", "t"),
        Column::left("priority", "p"),
        Column::left("source", "s"),
    ]);
    table.answer(call)
}

/// The lists that there are, by their paths.
const LISTS: [&str; 23] = [
    "aliases",
    "aliases/{alias}",
    "allocation",
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
    "segments",
    "segments/{index}",
    "shards",
    "shards/{index}",
    "tasks",
    "templates",
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
