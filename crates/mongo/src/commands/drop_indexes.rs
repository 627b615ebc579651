//! `dropIndexes`.

use super::rename_collection::check_uuid;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::Namespace;
use value::{Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let which = arguments.any("index").ok_or_else(|| arguments.missing("index"))?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    check_uuid(call, &namespace, uuid)?;
    if !matches!(
        which,
        ValueRef::String(_) | ValueRef::Document(_) | ValueRef::Array(_)
    ) {
        return Err(arguments
            .wrong_type("index", which, "'[string, object, array]'")
            .into());
    }
    if let ValueRef::Array(names) = which {
        let mut numbered = names.iter().enumerate();
        if let Some((at, other)) = numbered.find(|(_, name)| name.as_str().is_none()) {
            let place = format!("index.{at}");
            return Err(arguments.wrong_type(&place, other, "'string'").into());
        }
    }
    if names_clustered(call, &namespace, which) {
        return Err(CommandError::new(
            Code::location(5_979_800),
            "Cannot drop the clustered index: drop the collection",
        ));
    }
    let before = call
        .server
        .engine
        .drop_indexes(&namespace, &which.to_value())
        .await?;
    let mut reply = doc! {"nIndexesWas": before as i32};
    if matches!(which, ValueRef::String("*")) {
        reply.push("msg", "non-_id indexes dropped for collection");
    }
    Ok(reply.into())
}

/// Whether the index named is the one that a clustered collection is kept by.
fn names_clustered(call: &Call<'_>, namespace: &Namespace, which: ValueRef<'_>) -> bool {
    let entry = call.server.engine.collection_entry(namespace);
    let Some(clustered) = entry
        .filter(|entry| entry.options.contains("clusteredIndex"))
        .and_then(|entry| entry.id_index)
    else {
        return false;
    };
    match which {
        ValueRef::String(name) => matches!(clustered.get("name"), Some(Value::String(own)) if own == name),
        ValueRef::Document(key) => {
            matches!(clustered.get("key"), Some(Value::Document(own)) if *own == key.to_document())
        }
        _ => false,
    }
}
