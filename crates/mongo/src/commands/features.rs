//! `features`: what a server can do besides all that others can, which is to run JavaScript.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::{ObjectId, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let resets = arguments.flag("oidReset")?.unwrap_or(false);
    arguments.finish()?;
    if resets {
        return Err(CommandError::new(
            Code::NOT_IMPLEMENTED,
            "features with 'oidReset' is not supported: the part of ids that is this process's own is chosen at its start",
        ));
    }
    // Three of the five bytes that ids of this process share, as MongoDB counts those of a machine.
    let [_, _, _, _, low, middle, high, ..] = *ObjectId::generate().bytes();
    let machine = i64::from(u32::from_le_bytes([low, middle, high, 0]));
    Ok(doc! {"js": {"utf8": true}, "oidMachine": machine}.into())
}
