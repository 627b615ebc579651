//! `getLog`: the server logs to its output and keeps no lines, so all logs are empty.

use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use code::Code;
use value::{Value, ValueRef, array, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    call.arguments().finish()?;
    match call.body().get(call.called) {
        Some(ValueRef::String("*")) => {
            Ok(doc! {"names": Value::Array(array!["global", "startupWarnings"])}.into())
        }
        Some(ValueRef::String("global" | "startupWarnings")) => {
            Ok(doc! {"totalLinesWritten": 0, "log": Value::Array(Vec::new())}.into())
        }
        Some(ValueRef::String(name)) => Err(CommandError::new(
            Code::OPERATION_FAILED,
            format!("No log named '{name}'; there are 'global' and 'startupWarnings'"),
        )),
        other => {
            let value = other.unwrap_or(ValueRef::Null);
            Err(crate::arguments::wrong_type("getLog", value.type_of(), "'string'").into())
        }
    }
}
