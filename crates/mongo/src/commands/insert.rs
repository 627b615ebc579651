//! `insert`.

use super::rename_collection::check_uuid;
use super::writes;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let documents = arguments
        .documents("documents")?
        .ok_or_else(|| arguments.missing("documents"))?;
    let options = writes::options(call, &arguments)?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    writes::check_access(call, &namespace, &[], &options)?;
    writes::check_batch(documents.len())?;
    let checked = check_uuid(call, &namespace, uuid);
    if let Some(errors) = writes::refusals(checked, documents.len(), options.ordered) {
        return Ok(doc! {"n": 0, "writeErrors": errors}.into());
    }
    let done = call
        .server
        .engine
        .insert(&call.context, &namespace, documents, &options)
        .await?;
    if writes::is_unacknowledged(call) {
        return Ok(doc! {"n": 0}.into());
    }
    let mut reply = doc! {"n": Value::count(done.inserted)};
    writes::push_failures(&mut reply, done.failures)?;
    Ok(reply.into())
}
