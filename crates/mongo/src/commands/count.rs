//! `count`.

use super::{collation, cursor};
use crate::arguments::{Arguments, Number};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::Action;
use engine::CountRequest;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace_or_uuid(Action::Find)?;
    let request = parse(&call.arguments())?;
    let count = call
        .server
        .engine
        .count(&call.context, &namespace, &request)
        .await?;
    Ok(doc! {"n": Value::count(count)}.into())
}

/// Reads the arguments; `explain` reads them too.
pub(super) fn parse(arguments: &Arguments<'_>) -> Result<CountRequest> {
    arguments.ignore(&["count", "fields"]);
    let request = CountRequest {
        filter: arguments.decoded("query")?,
        skip: arguments.count("skip")?.unwrap_or(0),
        limit: limit(arguments)?,
        hint: cursor::hint(arguments)?,
        collation: collation::parse(arguments)?,
    };
    arguments.bool("mirrored")?;
    arguments.finish()?;
    Ok(request)
}

/// A whole number; a negative one means the same as a positive one, and 0 means none.
fn limit(arguments: &Arguments<'_>) -> Result<Option<u64>> {
    let Some(value) = arguments.any("limit") else {
        return Ok(None);
    };
    let Some(number) = Number::of(value) else {
        return Err(CommandError::bad_value("limit value is not a valid number"));
    };
    match number.to_i64() {
        Some(i64::MIN) => Err(CommandError::bad_value(
            "limit value for count cannot be min long",
        )),
        Some(limit) => Ok((limit != 0).then_some(limit.unsigned_abs())),
        None => Err(CommandError::failed_to_parse(format!(
            "Expected an integer: limit: {}",
            number.to_f64()
        ))),
    }
}
