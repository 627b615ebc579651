//! `listIndexes`.

use super::cursor;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::Action;
use engine::Namespace;
use value::{Document, DocumentBuf, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace_or_uuid(Action::ListIndexes)?;
    let arguments = call.arguments();
    let batch_size = cursor::batch_size(&arguments)?;
    let with_builds = arguments.flag("includeBuildUUIDs")?.unwrap_or(false);
    let with_build_info = arguments.flag("includeIndexBuildInfo")?.unwrap_or(false);
    arguments.finish()?;
    if with_builds && with_build_info {
        return Err(CommandError::invalid_options(
            "The includeBuildUUIDs flag and the includeIndexBuildInfo flag cannot both be set to true",
        ));
    }
    let engine = &call.server.engine;
    let describe = |spec: Document| match with_build_info {
        true => DocumentBuf::from(&doc! {"spec": spec}),
        false => DocumentBuf::from(&spec),
    };
    let indexes: Vec<DocumentBuf> = engine.indexes(&namespace)?.into_iter().map(describe).collect();
    let listing = Namespace::new(&call.database, &namespace.collection);
    let reply = engine.open_listing(&call.context, listing, indexes, batch_size)?;
    Ok(cursor::first_batch(reply))
}
