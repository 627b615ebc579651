//! `distinct`.

use super::{collation, cursor};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::Action;
use code::Code;
use engine::DistinctRequest;
use value::{Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace_or_uuid(Action::Find)?;
    let request = parse(&call.arguments())?;
    let values = call
        .server
        .engine
        .distinct(&call.context, &namespace, &request)
        .await?;
    let mut reply = doc! {"values": Value::Array(values)};
    if call.server.engine.counts_by_pipeline(&namespace) {
        // What MongoDB makes of a pipeline's answer says so with a number of another type.
        reply.push("ok", 1);
    }
    Ok(reply.into())
}

/// Reads the arguments; `explain` reads them too.
pub(super) fn parse(arguments: &Arguments<'_>) -> Result<DistinctRequest> {
    arguments.ignore(&["distinct"]);
    let field = arguments.required_string("key")?;
    if field.contains('\0') {
        return Err(CommandError::new(
            Code::location(31_032),
            "Key field cannot contain an embedded null byte",
        ));
    }
    let request = DistinctRequest {
        field: field.to_owned(),
        filter: arguments.decoded("query")?,
        hint: cursor::hint(arguments)?,
        collation: collation::parse(arguments)?,
    };
    arguments.bool("mirrored")?;
    arguments.finish()?;
    Ok(request)
}
