//! `count`.

use super::{collation, cursor};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::CountRequest;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
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
    let limit = arguments.integer("limit")?.unwrap_or(0);
    let skip = arguments.integer("skip")?.unwrap_or(0);
    let request = CountRequest {
        filter: arguments.decoded("query")?,
        skip: u64::try_from(skip).map_err(|_| {
            CommandError::bad_value(format!(
                "BSON field 'skip' value must be >= 0, actual value '{skip}'"
            ))
        })?,
        // A negative limit means the same as a positive one; 0 means none.
        limit: (limit != 0).then_some(limit.unsigned_abs()),
        hint: cursor::hint(arguments)?,
        collation: collation::parse(arguments)?,
    };
    arguments.finish()?;
    Ok(request)
}
