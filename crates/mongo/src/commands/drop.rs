//! `drop`.

use super::rename_collection::check_uuid;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    check_uuid(call, &namespace, uuid)?;
    let engine = &call.server.engine;
    let indexes = engine.indexes(&namespace).map_or(0, |indexes| indexes.len());
    let existed = engine.drop_collection(&namespace).await?;
    if !existed {
        // No error, as since MongoDB 7.
        return Ok(Document::new().into());
    }
    let mut reply = Document::new();
    if indexes > 0 {
        reply.push("nIndexesWas", indexes as i32);
    }
    reply.push("ns", namespace.to_string());
    Ok(reply.into())
}
