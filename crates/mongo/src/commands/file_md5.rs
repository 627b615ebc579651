//! `filemd5`: the digest of a file in GridFS.

use crate::arguments::is_true;
use crate::call::{Call, check_collection_name};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use code::Code;
use engine::Namespace;
use value::{Value, ValueRef, doc};

/// MongoDB looks at no other argument than these.
pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let root = match call.body().get("root") {
        None | Some(ValueRef::String("")) => "fs",
        Some(ValueRef::String(root)) => root,
        Some(_) => {
            return Err(CommandError::invalid_namespace("'root' must be of type String"));
        }
    };
    if is_true(call.body().get("partialOk")) {
        return Err(CommandError::new(
            Code::NOT_IMPLEMENTED,
            "filemd5 with 'partialOk' is not supported: it is for files whose chunks are on several shards",
        ));
    }
    let chunks = Namespace::new(&call.database, format!("{root}.chunks"));
    check_collection_name(&chunks.database, &chunks.collection)?;
    call.require(
        Action::Find,
        Resource::Collection(&chunks.database, &chunks.collection),
    )?;
    let id = call
        .body()
        .get(call.called)
        .map_or(Value::Null, ValueRef::to_value);
    let hash = call.server.engine.file_hash(&call.context, &chunks, id).await?;
    Ok(doc! {"numChunks": hash.chunks, "md5": hash.digest}.into())
}
