//! `insert`.

use super::writes;
use crate::dispatch::Call;
use crate::error::{CommandError, Result};
use crate::wire::{DOCUMENT_BYTES_MAX, Reply};
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let documents = arguments
        .documents("documents")?
        .ok_or_else(|| arguments.missing("documents"))?;
    let options = writes::options(call, &arguments)?;
    arguments.finish()?;
    writes::check_batch(documents.len())?;
    if let Some(large) = documents
        .iter()
        .map(|document| document.bytes().len())
        .find(|size| *size > DOCUMENT_BYTES_MAX)
    {
        let message = format!(
            "BSONObj size: {large} ({large:#X}) is invalid. Size must be between 0 and {DOCUMENT_BYTES_MAX}(16MB)"
        );
        return Err(CommandError::new(10_334, message));
    }
    let done = call
        .server
        .engine
        .insert(&call.context, &namespace, documents, &options)
        .await?;
    let mut reply = doc! {"n": writes::number(done.inserted)};
    writes::push_failures(&mut reply, done.failures);
    Ok(reply.into())
}
