//! `abortTransaction` and `commitTransaction`: there are no multi-document transactions yet, so none can be ended.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    refuse(call)
}

/// `commitTransaction`.
pub(super) async fn commit(call: &mut Call<'_>) -> Result<Reply> {
    refuse(call)
}

fn refuse(call: &Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    arguments.document("recoveryToken")?;
    arguments.ignore(&["commitTimestamp", "durableTimestamp"]);
    arguments.finish()?;
    Err(CommandError::new(
        Code::COMMAND_FAILED,
        "Transaction isn't in progress: multi-document transactions are not supported yet",
    ))
}
