//! `getMore`.

use super::cursor;
use crate::call::{Call, namespace_of};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::ValueRef;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let id = match arguments.present("getMore") {
        Some(ValueRef::Int64(id)) => id,
        Some(other) => return Err(arguments.wrong_type("getMore", other, "'long'").into()),
        None => return Err(arguments.missing("getMore").into()),
    };
    let collection = match arguments.present("collection") {
        Some(ValueRef::String(name)) => name,
        Some(other) => return Err(arguments.wrong_type("collection", other, "'string'").into()),
        None => return Err(arguments.missing("collection").into()),
    };
    let batch_size = match arguments.integer("batchSize")? {
        None | Some(0) => None,
        Some(size) => Some(u64::try_from(size).map_err(|_| {
            CommandError::bad_value(format!(
                "BSON field 'batchSize' value must be >= 0, actual value '{size}'"
            ))
        })?),
    };
    arguments.document("lastKnownCommittedOpTime")?;
    arguments.bool("includeQueryStatsMetrics")?;
    if let Some(other) = arguments.present("term")
        && !matches!(other, ValueRef::Int64(_))
    {
        return Err(arguments.wrong_type("term", other, "'long'").into());
    }
    arguments.finish()?;
    // Listings have names that collections cannot have.
    let namespace = match collection.starts_with("$cmd.") {
        true => engine::Namespace::new(&call.database, collection),
        false => namespace_of(&call.database, ValueRef::String(collection))?,
    };
    // The time limit of a getMore says how long it waits for data, not when it fails.
    let await_for = call.generic.time_limit;
    let reply = call
        .server
        .engine
        .get_more(&call.context, id, &namespace, batch_size, await_for)
        .await?;
    if call.context.comment.is_none() {
        call.context.comment.clone_from(&reply.comment);
    }
    Ok(cursor::next_batch(reply))
}
