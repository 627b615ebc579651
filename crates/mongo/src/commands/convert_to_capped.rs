//! `convertToCapped`.

use super::create::capped_bytes;
use super::rename_collection::check_uuid;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let size = arguments
        .integer("size")?
        .ok_or_else(|| CommandError::invalid_options("Capped collection size must be greater than zero"))?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    check_uuid(call, &namespace, uuid)?;
    if size <= 0 {
        return Err(CommandError::invalid_options(
            "Capped collection size must be greater than zero",
        ));
    }
    call.server
        .engine
        .convert_to_capped(&namespace, capped_bytes(size)?)
        .await?;
    Ok(Document::new().into())
}
