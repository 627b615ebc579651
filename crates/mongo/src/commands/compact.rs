//! `compact`.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use engine::Namespace;
use value::{Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = match call.body().get("compact") {
        // No collection can have such a name, so there is none.
        Some(ValueRef::String(name)) if name.starts_with('$') => Namespace::new(&call.database, name),
        _ => call.namespace()?,
    };
    let arguments = call.arguments();
    arguments.bool("force")?;
    let dry_run = arguments.bool("dryRun")?.unwrap_or(false);
    if arguments
        .integer("freeSpaceTargetMB")?
        .is_some_and(|megabytes| megabytes < 1)
    {
        return Err(CommandError::bad_value(
            "BSON field 'freeSpaceTargetMB' value must be >= 1",
        ));
    }
    arguments.finish()?;
    let engine = &call.server.engine;
    match engine.collection_entry(&namespace) {
        None => {
            return Err(CommandError::new(
                Code::NAMESPACE_NOT_FOUND,
                "collection does not exist",
            ));
        }
        Some(entry) if entry.is_view => {
            return Err(CommandError::new(
                Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
                "can't compact a view",
            ));
        }
        Some(_) => {}
    }
    if dry_run {
        return Ok(doc! {"estimatedBytesFreed": 0}.into());
    }
    let freed = engine.compact(&namespace).await?;
    Ok(doc! {"bytesFreed": Value::count(freed)}.into())
}
