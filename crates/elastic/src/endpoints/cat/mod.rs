//! `_cat`: lists for people, and for programs that grew up with them.

pub(crate) mod nodes;
pub(crate) mod shards;
mod table;
mod text;

use crate::call::Call;
use crate::definition::{components, patterns};
use crate::kept::Family;
use crate::listed::is_listed;
use crate::resolve::{Options, resolve};
use crate::respond::Answer;
use auth::Action;
use http::Method;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use serde_json::Value;
use table::{Column, Table};

/// `_cat/indices`.
pub(crate) async fn indices(call: &mut Call, expression: &str) -> Result<Answer> {
    let default = Options {
        closed: true,
        ..Options::default()
    };
    let options = begin_with(call, default)?;
    call.parameters
        .without_effect(&["pri", "include_unloaded_segments"]);
    let wanted = call.parameters.take("health");
    if let Some(other) = wanted
        .as_deref()
        .filter(|health| !["green", "yellow", "red"].contains(health))
    {
        return Err(ElasticError::illegal(format!(
            "unknown cluster health status [{other}]"
        )));
    }
    let unit = text::Unit::take(&mut call.parameters)?;
    let mut table = Table::new(&[
        Column::left("health", "h"),
        Column::left("status", "s"),
        Column::left("index", "i"),
        Column::left("uuid", "id"),
        Column::right("pri", "p"),
        Column::right("rep", "r"),
        Column::right("docs.count", "dc"),
        Column::right("docs.deleted", "dd"),
        Column::hidden("creation.date", "cd"),
        Column::hidden("creation.date.string", "cds"),
        Column::right("store.size", "ss"),
        Column::right("pri.store.size", "pss"),
    ]);
    let names = resolve(call, expression, options)?;
    for name in names {
        let index = call.index(&name, Action::Find)?;
        let shape = Shape::of(&index);
        if wanted.as_ref().is_some_and(|wanted| wanted != shape.health()) {
            continue;
        }
        let report = index.collection.report().await?;
        // Of a closed index nothing is told that would have to be looked up in it.
        let told = |text: String| if index.is_closed() { String::new() } else { text };
        let size = unit.of(report.storage_bytes);
        table.row(vec![
            shape.health().to_owned(),
            if index.is_closed() { "close" } else { "open" }.to_owned(),
            name,
            index.uuid(),
            shape.primaries.to_string(),
            if shape.unassigned() > 0 { shape.replicas } else { 0 }.to_string(),
            told(report.documents.to_string()),
            told(report.deleted.to_string()),
            index.created_ms().to_string(),
            search::date_text(index.created_ms()),
            told(size.clone()),
            told(size),
        ]);
    }
    table.answer(call)
}

/// `_cat/count`.
pub(crate) async fn count(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = begin_with(call, Options::OPEN)?;
    let mut documents = 0;
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        documents += index.collection.report().await?.documents;
    }
    let (epoch, time) = table::now(&call.server.engine);
    let mut table = Table::new(&[
        Column::left("epoch", "t"),
        Column::left("timestamp", "ts"),
        Column::left("count", "dc"),
    ]);
    table.row(vec![epoch, time, documents.to_string()]);
    table.answer(call)
}

/// `_cat/health`.
pub(crate) async fn health(call: &mut Call) -> Result<Answer> {
    let options = begin(call)?;
    let is_timed = call.parameters.flag("ts")?.unwrap_or(true);
    let mut shapes = Vec::new();
    for name in resolve(
        call,
        "_all",
        Options {
            closed: true,
            hidden: true,
            ..options
        },
    )? {
        shapes.push(Shape::of(&call.index(&name, Action::Find)?));
    }
    let active: u64 = shapes.iter().map(|shape| shape.primaries).sum();
    let unassigned: u64 = shapes.iter().map(|shape| shape.unassigned()).sum();
    let shards = active.to_string();
    let percent = 100.0 * active as f64 / (active + unassigned) as f64;
    let (epoch, time) = table::now(&call.server.engine);
    let times = [
        Column::left("epoch", "t,time"),
        Column::left("timestamp", "ts,hms,hhmmss"),
    ];
    let mut columns = if is_timed { times.to_vec() } else { Vec::new() };
    columns.extend([
        Column::left("cluster", "cl"),
        Column::left("status", "st"),
        Column::right("node.total", "nt"),
        Column::right("node.data", "nd"),
        Column::right("shards", "t"),
        Column::right("pri", "p"),
        Column::right("relo", "r"),
        Column::right("init", "i"),
        Column::right("unassign", "u"),
        Column::right("pending_tasks", "pt"),
        Column::left("max_task_wait_time", "mtwt"),
        Column::right("active_shards_percent", "asp"),
    ]);
    let mut table = Table::new(&columns);
    let zero = || "0".to_owned();
    let one = || "1".to_owned();
    let mut row = if is_timed { vec![epoch, time] } else { Vec::new() };
    row.extend([
        "larder".to_owned(),
        if unassigned == 0 { "green" } else { "yellow" }.to_owned(),
        one(),
        one(),
        shards.clone(),
        shards,
        zero(),
        zero(),
        unassigned.to_string(),
        zero(),
        "-".to_owned(),
        if active == 0 {
            "100.0%".to_owned()
        } else {
            format!("{percent:.1}%")
        },
    ]);
    table.row(row);
    table.answer(call)
}

/// `_cat/aliases`.
pub(crate) async fn aliases(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    let default = Options {
        closed: true,
        hidden: true,
        ..Options::default()
    };
    let options = begin_with(call, default)?;
    let mut table = Table::new(&[
        Column::left("alias", "a"),
        Column::left("index", "i,idx"),
        Column::left("filter", "f,fi"),
        Column::left("routing.index", "ri,routingIndex"),
        Column::left("routing.search", "rs,routingSearch"),
        Column::left("is_write_index", "w,isWriteIndex"),
    ]);
    for name in resolve(call, "_all", options)? {
        let index = call.index(&name, Action::Find)?;
        let all = indices::streams::plain_aliases(&index.aliases());
        let (wanted, _) = super::aliases::wanted(names, all.keys(), |name| all.contains_key(name));
        for (alias, options) in all.iter().filter(|(alias, _)| wanted.contains(*alias)) {
            let text = |option: &str| match options.get(option) {
                None => "-".to_owned(),
                Some(Value::String(text)) => text.clone(),
                Some(other) => other.to_string(),
            };
            let filter = if options.get("filter").is_some() { "*" } else { "-" };
            table.row(vec![
                alias.clone(),
                name.clone(),
                filter.to_owned(),
                text("index_routing"),
                text("search_routing"),
                text("is_write_index"),
            ]);
        }
    }
    table.answer(call)
}

/// `_cat/templates`.
pub(crate) async fn templates(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    begin(call)?;
    let mut table = Table::new(&[
        Column::left("name", "n"),
        Column::left("index_patterns", "t"),
        Column::left("order", "o,p"),
        Column::left("version", "v"),
        Column::left("composed_of", "c"),
    ]);
    for family in [Family::Template, Family::IndexTemplate] {
        for (name, template) in call.kept(family).await? {
            if names.is_some_and(|names| !is_listed(names, &name)) {
                continue;
            }
            let number = |name: &str| {
                template
                    .get(name)
                    .and_then(Value::as_i64)
                    .map(|number| number.to_string())
            };
            let components: Vec<&str> = components(&template).collect();
            let order = if family == Family::Template {
                "order"
            } else {
                "priority"
            };
            table.row(vec![
                name,
                format!("[{}]", patterns(&template).join(", ")),
                number(order).unwrap_or_else(|| "0".to_owned()),
                number("version").unwrap_or_default(),
                if family == Family::Template {
                    String::new()
                } else {
                    format!("[{}]", components.join(", "))
                },
            ]);
        }
    }
    table.answer(call)
}

fn begin(call: &mut Call) -> Result<Options> {
    begin_with(call, Options::default())
}

/// The same where other indices are meant unless the request says which.
fn begin_with(call: &mut Call, default: Options) -> Result<Options> {
    call.only(&[Method::GET])?;
    call.parameters
        .without_effect(&["local", "master_timeout", "time"]);
    default.taken(&mut call.parameters)
}
