//! `convertToCapped`.

use super::clone_collection_as_capped::size;
use super::create::capped_bytes;
use super::rename_collection::check_uuid;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::Document;

/// MongoDB looks at no other argument than these.
pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let size = size(&arguments)?;
    check_uuid(call, &namespace, arguments.uuid("collectionUUID")?)?;
    call.server
        .engine
        .convert_to_capped(&namespace, capped_bytes(size)?)
        .await?;
    Ok(Document::new().into())
}
