//! `getLog`: the server logs to its output and keeps no lines, so all logs are empty.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::{Value, array, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let name = arguments.string("getLog")?;
    arguments.finish()?;
    match name.ok_or_else(|| arguments.missing("getLog"))? {
        "*" => Ok(doc! {"names": Value::Array(array!["global", "startupWarnings"])}.into()),
        "global" | "startupWarnings" => {
            Ok(doc! {"totalLinesWritten": 0_i64, "log": Value::Array(Vec::new())}.into())
        }
        name => Err(CommandError::new(
            Code::OPERATION_FAILED,
            format!("No log named '{name}'; there are 'global' and 'startupWarnings'"),
        )),
    }
}
