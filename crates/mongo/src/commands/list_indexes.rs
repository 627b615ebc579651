//! `listIndexes`.

use super::cursor;
use crate::dispatch::Call;
use crate::error::Result;
use crate::wire::Reply;
use engine::Namespace;
use value::DocumentBuf;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let batch_size = cursor::batch_size(&arguments)?;
    arguments.flag("includeBuildUUIDs")?;
    arguments.flag("includeIndexBuildInfo")?;
    arguments.finish()?;
    let indexes: Vec<DocumentBuf> = call
        .server
        .engine
        .indexes(&namespace)?
        .iter()
        .map(DocumentBuf::from)
        .collect();
    let listing = Namespace::new(&call.database, &namespace.collection);
    let reply = call
        .server
        .engine
        .open_listing(&call.context, listing, indexes, batch_size)?;
    Ok(cursor::first_batch(reply))
}
