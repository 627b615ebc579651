//! `listIndexes`.

use super::cursor;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::Namespace;
use value::{Document, DocumentBuf, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let batch_size = cursor::batch_size(&arguments)?;
    let with_builds = arguments.flag("includeBuildUUIDs")?.unwrap_or(false);
    let with_build_info = arguments.flag("includeIndexBuildInfo")?.unwrap_or(false);
    arguments.finish()?;
    if with_builds && with_build_info {
        return Err(CommandError::invalid_options(
            "The includeBuildUUIDs flag and the includeIndexBuildInfo flag cannot both be set to true",
        ));
    }
    let engine = &call.server.engine;
    let clustered = clustered_index(call, &namespace);
    let describe = |spec: &Document| {
        let spec = match (&clustered, spec.get("name")) {
            (Some(clustered), Some(Value::String(name))) if name == "_id_" => clustered.clone(),
            _ => spec.clone(),
        };
        DocumentBuf::from(&if with_build_info {
            doc! {"spec": spec}
        } else {
            spec
        })
    };
    let indexes: Vec<DocumentBuf> = engine.indexes(&namespace)?.iter().map(describe).collect();
    let listing = Namespace::new(&call.database, &namespace.collection);
    let reply = engine.open_listing(&call.context, listing, indexes, batch_size)?;
    Ok(cursor::first_batch(reply))
}

/// How the index of `_id` is shown of a clustered collection.
pub(super) fn clustered_index(call: &Call<'_>, namespace: &Namespace) -> Option<Document> {
    match call
        .server
        .engine
        .collection_entry(namespace)?
        .options
        .get("clusteredIndex")
    {
        Some(Value::Document(clustered)) => Some(clustered.clone().with("clustered", true)),
        _ => None,
    }
}
