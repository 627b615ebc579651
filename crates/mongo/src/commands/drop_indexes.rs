//! `dropIndexes`.

use super::rename_collection::check_uuid;
use crate::dispatch::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let which = arguments
        .present("index")
        .ok_or_else(|| arguments.missing("index"))?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    check_uuid(call, &namespace, uuid)?;
    if !matches!(
        which,
        ValueRef::String(_) | ValueRef::Document(_) | ValueRef::Array(_)
    ) {
        return Err(arguments.wrong_type("index", which, "'[string, object, array]'"));
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
