//! `listCollections`.

mod buckets;

use super::cursor;
use super::listing_filter::ListingFilter;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::{CollectionEntry, Namespace};
use value::{Binary, Document, DocumentBuf, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let filter = ListingFilter::parse(&arguments.decoded("filter")?)?;
    let name_only = arguments.bool("nameOnly")?.unwrap_or(false);
    let authorized_only = arguments.bool("authorizedCollections")?.unwrap_or(false);
    let batch_size = cursor::batch_size(&arguments)?;
    // It changes nothing: collections are dropped at once, so none is pending.
    arguments.flag("includePendingDrops")?;
    arguments.any("listCollections");
    arguments.finish()?;
    let tells_own_names = name_only && authorized_only && call.reaches(&call.database);
    if !tells_own_names {
        call.require(Action::ListCollections, Resource::Database(&call.database))?;
    }
    let is_shown = |described: &Document| match described.get("name") {
        Some(Value::String(name)) if authorized_only => {
            call.may_any(Resource::Collection(&call.database, name))
        }
        _ => true,
    };
    let entries = call.server.engine.collections(&call.database);
    let documents: Vec<DocumentBuf> = entries
        .iter()
        .flat_map(|entry| [Some(describe(entry)), buckets::describe(entry)])
        .flatten()
        .filter(is_shown)
        .map(|described| if name_only { name_of(&described) } else { described })
        .filter_map(|shown| {
            let matches = filter.matches(&shown);
            matches
                .map(|matches| matches.then(|| DocumentBuf::from(&shown)))
                .transpose()
        })
        .collect::<Result<_>>()?;
    let namespace = Namespace::new(&call.database, "$cmd.listCollections");
    let reply = call
        .server
        .engine
        .open_listing(&call.context, namespace, documents, batch_size)?;
    Ok(cursor::first_batch(reply))
}

fn describe(entry: &CollectionEntry) -> Document {
    let mut info = doc! {"readOnly": entry.is_view};
    let mut described = doc! {
        "name": &entry.name,
        "type": kind(entry),
        "options": entry.options.clone(),
    };
    if let Some(uuid) = entry.uuid.filter(|_| kind(entry) == "collection") {
        info.push(
            "uuid",
            Binary {
                subtype: 4,
                bytes: uuid.to_vec(),
            },
        );
    }
    described.push("info", info);
    if let Some(id_index) = &entry.id_index
        && !entry.options.contains("clusteredIndex")
    {
        described.push("idIndex", id_index.clone());
    }
    described
}

fn kind(entry: &CollectionEntry) -> &'static str {
    match entry {
        entry if entry.is_view => "view",
        entry if entry.options.contains("timeseries") => "timeseries",
        _ => "collection",
    }
}

fn name_of(described: &Document) -> Document {
    let field = |name: &str| described.get(name).cloned().unwrap_or(Value::Null);
    doc! {"name": field("name"), "type": field("type")}
}
