//! `dbHash`: digests of the collections of a database, by which it is compared with that of another server.

use super::server_status::host;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use std::time::Instant;
use value::{Binary, Document, Value, ValueRef, doc};

/// MongoDB looks at no other argument than these; collections that are temporary, which `skipTempCollections` leaves out, there are
/// none.
pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let started = Instant::now();
    let wanted = wanted(call)?;
    // Text is taken for a part of the name of a database, which then has a dot.
    if let Some(ValueRef::String(name)) = call.body().get(call.called) {
        let message = format!("Invalid db name: {}.{name}", call.database);
        return Err(CommandError::invalid_namespace(message));
    }
    let engine = &call.server.engine;
    let hash = engine
        .database_hash(&call.context, &call.database, &wanted)
        .await?;
    let (mut collections, mut uuids, mut capped) = (Document::new(), Document::new(), Vec::new());
    for collection in hash.collections {
        if let Some(uuid) = collection.uuid {
            let bytes = uuid.to_vec();
            uuids.push(collection.name.as_str(), Binary { subtype: 4, bytes });
        }
        if collection.is_capped {
            capped.push(Value::from(collection.name.as_str()));
        }
        collections.push(collection.name, collection.digest);
    }
    Ok(doc! {
        "host": host(call),
        "collections": collections,
        "capped": Value::Array(capped),
        "uuids": uuids,
        "md5": hash.digest,
        "timeMillis": started.elapsed().as_millis() as i32,
    }
    .into())
}

/// The names under `collections`; what is no array asks for all.
fn wanted(call: &Call<'_>) -> Result<Vec<String>> {
    let Some(ValueRef::Array(names)) = call.body().get("collections") else {
        return Ok(Vec::new());
    };
    let name = |name: ValueRef<'_>| match name {
        ValueRef::String(name) => Ok(name.to_owned()),
        _ => Err(CommandError::bad_value("collections entries have to be strings")),
    };
    names.iter().map(name).collect()
}
