//! `findAndModify`.

use super::{collation, cursor, writes};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use engine::{FindAndModifyReply, FindAndModifyRequest};
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let request = parse(&arguments, call.called)?;
    let removes = request.update.is_none();
    let options = writes::options(call, &arguments)?;
    arguments.ignore(&["runtimeConstants", "legacyRuntimeConstants"]);
    arguments.finish()?;
    let done = call
        .server
        .engine
        .find_and_modify(&call.context, &namespace, request, &options)
        .await?;
    Ok(reply(done, removes).into())
}

/// Reads the arguments; `explain` reads them too.
pub(super) fn parse(arguments: &Arguments<'_>, called: &'static str) -> Result<FindAndModifyRequest> {
    arguments.ignore(&[called]);
    let update = match arguments.present("update") {
        Some(update) => Some(writes::update_of("update", update)?),
        None => None,
    };
    let removes = arguments.flag("remove")?.unwrap_or(false);
    let request = FindAndModifyRequest {
        filter: arguments.decoded("query")?,
        sort: arguments.decoded("sort")?,
        update,
        return_new: arguments.flag("new")?.unwrap_or(false),
        projection: arguments.decoded("fields")?,
        upsert: arguments.flag("upsert")?.unwrap_or(false),
        array_filters: writes::array_filters(arguments)?,
        hint: cursor::hint(arguments)?,
        variables: cursor::variables(arguments)?,
        collation: collation::parse(arguments)?,
    };
    check(&request, removes)?;
    Ok(request)
}

fn check(request: &FindAndModifyRequest, removes: bool) -> Result<()> {
    let refuse = |message: &str| Err(CommandError::failed_to_parse(message));
    match (removes, &request.update) {
        (true, Some(_)) => refuse("Cannot specify both an update and remove=true"),
        (true, None) if request.upsert => refuse("Cannot specify both upsert=true and remove=true "),
        (true, None) if request.return_new => refuse(
            "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
        ),
        (true, None) if !request.array_filters.is_empty() => {
            refuse("Cannot specify arrayFilters and remove=true")
        }
        (false, None) => refuse("Either an update or remove=true must be specified"),
        _ => Ok(()),
    }
}

fn reply(done: FindAndModifyReply, removes: bool) -> Document {
    let touched = done.existed || done.upserted.is_some();
    let mut last = doc! {"n": i32::from(touched)};
    if !removes {
        last.push("updatedExisting", done.existed);
    }
    if let Some(id) = done.upserted {
        last.push("upserted", id);
    }
    let document = done
        .document
        .map_or(Value::Null, |document| Value::Document(document.to_document()));
    doc! {"lastErrorObject": last, "value": document}
}
