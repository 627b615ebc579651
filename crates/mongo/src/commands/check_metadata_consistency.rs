//! `checkMetadataConsistency`: whether shards agree on what there is. One process has one catalog, which agrees with itself.

use super::cursor;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use engine::Namespace;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    arguments.flag("checkIndexes")?;
    let batch_size = cursor::batch_size(&arguments)?;
    arguments.any("checkMetadataConsistency");
    arguments.finish()?;
    let namespace = Namespace::new(&call.database, "$cmd.aggregate");
    let engine = &call.server.engine;
    let reply = engine.open_listing(&call.context, namespace, Vec::new(), batch_size)?;
    Ok(cursor::first_batch(reply))
}
