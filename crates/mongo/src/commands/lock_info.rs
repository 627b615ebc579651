//! `lockInfo`: the locks that are held. Only that of `fsync` is one that others wait for as a whole.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Value, array, doc};

/// The lock of the whole server, as MongoDB names it.
const GLOBAL: &str = "{2305843009213693953: Global, 1}";

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    // There is nothing to add to the log: locks of storage are held within one step of an operation.
    arguments.bool("includeStorageEngineDump")?;
    arguments.finish()?;
    let held = match call.server.engine.are_writes_locked() {
        true => array![{"resourceId": GLOBAL, "granted": [{"mode": "S"}], "pending": []}],
        false => Vec::new(),
    };
    Ok(doc! {"lockInfo": Value::Array(held)}.into())
}
