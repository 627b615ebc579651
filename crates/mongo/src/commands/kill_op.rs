//! `killOp`.

use crate::arguments::Number;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use code::Code;
use value::doc;

/// Code of an operation number that is none.
const NO_OPERATION_NUMBER: Code = Code::location(26_823);

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let value = arguments
        .any("op")
        .ok_or_else(|| CommandError::new(Code::NO_SUCH_KEY, "Missing expected field \"op\""))?;
    if !value.is_number() {
        let message = format!(
            "Expected field \"op\" to have numeric type, but found {}",
            value.type_of().alias()
        );
        return Err(CommandError::type_mismatch(message));
    }
    let Some(number) = Number::of(value).and_then(Number::to_i64) else {
        return Err(CommandError::bad_value(
            "Expected field \"op\" to have a value exactly representable as a 64-bit integer",
        ));
    };
    let Ok(number) = i32::try_from(number) else {
        return Err(CommandError::new(
            NO_OPERATION_NUMBER,
            "invalid op : the number of an operation is a 32-bit integer",
        ));
    };
    if !is_own(call, number) {
        call.require(Action::Killop, Resource::Cluster)?;
    }
    call.server.engine.kill_operation(number);
    Ok(doc! {"info": "attempting to kill op"}.into())
}

/// Whether an operation that runs now is one of the same user.
fn is_own(call: &Call<'_>, number: i32) -> bool {
    let user = call.context.user.as_ref();
    let running = call.server.engine.running_operations();
    user.is_some()
        && running
            .iter()
            .any(|operation| operation.id == number && operation.context.user.as_ref() == user)
}
