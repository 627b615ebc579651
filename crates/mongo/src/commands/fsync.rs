//! `fsync`: flushes what was answered before its flush.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::doc;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.any("fsync");
    let lock = arguments.flag("lock")?.unwrap_or(false);
    arguments.finish()?;
    if lock {
        return Err(CommandError::new(
            Code::NOT_IMPLEMENTED,
            "fsync with 'lock' is not supported yet",
        ));
    }
    call.server.engine.flush().await?;
    Ok(doc! {"numFiles": 1}.into())
}
