//! `_cat`: lists for people, and for programs that grew up with them.

mod columns;
pub(crate) mod nodes;
pub(crate) mod shards;
mod table;
pub(crate) mod text;

use super::stats::{Wanted, sections};
use auth::Action;
use http::Method;
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::shape::Shape;
use rest::call::Call;
use rest::definition::{components, patterns};
use rest::kept::Family;
use rest::listed::is_listed;
use rest::resolve::{Options, resolve};
use rest::respond::Answer;
use serde_json::Value;
use table::{Figure, Table};
use text::Units;

/// `_cat/indices`.
pub(crate) async fn indices(call: &mut Call, expression: &str) -> Result<Answer> {
    let default = Options {
        closed: true,
        ..Options::default()
    };
    let asked = begin_with(call, default)?;
    call.parameters.flag("include_unloaded_segments")?;
    let wanted = call.parameters.take("health");
    if let Some(other) = wanted
        .as_deref()
        .filter(|health| !["green", "yellow", "red"].contains(health))
    {
        return Err(ElasticError::illegal(format!(
            "unknown cluster health status [{other}]"
        )));
    }
    let mut table = Table::new(columns::INDICES);
    let mut figures = Vec::new();
    if table.is_exceeded(&call.parameters) {
        figures = Figure::of('i');
        table = table.with_figures(&figures, true);
    }
    for name in resolve(call, expression, asked.options)? {
        let index = call.index(&name, Action::Find)?;
        let shape = Shape::of(&index);
        if wanted.as_ref().is_none_or(|wanted| wanted == shape.health()) {
            table.hold(&call.held, 1)?;
            table.row(index_row(&index, &figures, &asked).await?);
        }
    }
    table.answer(call)
}

/// An index with its figures, if any are wanted.
async fn index_row(index: &Index, figures: &[Figure], asked: &Asked) -> Result<Vec<String>> {
    let shape = Shape::of(index);
    let mut row = vec![
        shape.health().to_owned(),
        if index.is_closed() { "close" } else { "open" }.to_owned(),
        index.name.clone(),
        index.uuid(),
        shape.primaries.to_string(),
        if shape.unassigned() > 0 { shape.replicas } else { 0 }.to_string(),
    ];
    let created = [
        index.created_ms().to_string(),
        search::date_text(index.created_ms()),
    ];
    // Of a closed index nothing is told that would have to be looked up in it.
    if index.is_closed() {
        row.extend([String::new(), String::new()]);
        row.extend(created);
        return Ok(row);
    }
    let report = index.collection.report().await?;
    row.extend([report.documents.to_string(), report.deleted.to_string()]);
    row.extend(created);
    let size = asked.units.size(report.storage_bytes);
    row.extend([size.clone(), size]);
    if !figures.is_empty() {
        let all = sections(index, &Wanted::default()).await?;
        for figure in figures {
            let cell = figure.cell(&all, asked);
            if figure.is_counted() {
                row.push(cell.clone());
            }
            row.push(cell);
        }
    }
    Ok(row)
}

/// `_cat/count`.
pub(crate) async fn count(call: &mut Call, expression: &str) -> Result<Answer> {
    let asked = begin_with(call, Options::OPEN)?;
    let mut documents = 0;
    for name in resolve(call, expression, asked.options)? {
        let index = call.index(&name, Action::Find)?;
        documents += index.collection.report().await?.documents;
    }
    let (epoch, time) = table::now(&call.server.engine);
    let mut table = Table::new(columns::COUNT);
    table.row(vec![epoch, time, documents.to_string()]);
    table.answer(call)
}

/// `_cat/health`.
pub(crate) async fn health(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    let all = Options {
        closed: true,
        hidden: true,
        ..Options::default()
    };
    let mut shapes = Vec::new();
    for name in resolve(call, "_all", all)? {
        shapes.push(Shape::of(&call.index(&name, Action::Find)?));
    }
    let active: u64 = shapes.iter().map(|shape| shape.primaries).sum();
    let unassigned: u64 = shapes.iter().map(|shape| shape.unassigned()).sum();
    let shards = active.to_string();
    let percent = match active {
        0 => 100.0,
        _ => 100.0 * active as f64 / (active + unassigned) as f64,
    };
    let (epoch, time) = table::now(&call.server.engine);
    let text = str::to_owned;
    let mut table = Table::new(columns::HEALTH);
    table.row(vec![
        epoch,
        time,
        text("larder"),
        text(if unassigned == 0 { "green" } else { "yellow" }),
        text("1"),
        text("1"),
        shards.clone(),
        shards,
        text("0"),
        text("0"),
        unassigned.to_string(),
        text("0"),
        text("-"),
        format!("{percent:.1}%"),
    ]);
    table.answer(call)
}

/// `_cat/aliases`.
pub(crate) async fn aliases(call: &mut Call, names: Option<&str>) -> Result<Answer> {
    let default = Options {
        closed: true,
        hidden: true,
        ..Options::default()
    };
    let asked = begin_with(call, default)?;
    let mut table = Table::new(columns::ALIASES);
    for name in resolve(call, "_all", asked.options)? {
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
    let mut table = Table::new(columns::TEMPLATES);
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

/// `_cat/repositories`: there are none.
pub(crate) fn repositories(call: &mut Call) -> Result<Answer> {
    begin(call)?;
    Table::new(columns::REPOSITORIES).answer(call)
}

/// `_cat/snapshots`: there are none, in no repository.
pub(crate) fn snapshots(call: &mut Call, repositories: Option<&str>) -> Result<Answer> {
    begin(call)?;
    call.parameters.flag("ignore_unavailable")?;
    super::snapshots::check(repositories)?;
    Table::new(columns::SNAPSHOTS).answer(call)
}

/// What is asked of every list.
#[derive(Clone, Copy, Debug)]
struct Asked {
    options: Options,
    units: Units,
}

fn begin(call: &mut Call) -> Result<Asked> {
    begin_with(call, Options::default())
}

/// The same where other indices are meant unless the request says which.
fn begin_with(call: &mut Call, default: Options) -> Result<Asked> {
    call.only(&[Method::GET])?;
    call.parameters
        .without_effect(&["local", "master_timeout", "size"]);
    Ok(Asked {
        units: Units::take(&mut call.parameters)?,
        options: default.taken(&mut call.parameters)?,
    })
}
