//! `findAndModify`.

use super::{collation, cursor, writes};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::Action;
use engine::{FindAndModifyReply, FindAndModifyRequest, Namespace, WriteOptions};
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let namespace = call.namespace()?;
    let arguments = call.arguments();
    let request = parse(&arguments, call.called)?;
    let removes = request.update.is_none();
    let options = options(call, &arguments)?;
    arguments.ignore(&["runtimeConstants", "legacyRuntimeConstants"]);
    arguments.finish()?;
    check_access(call, &namespace, &request, &options)?;
    let done = call
        .server
        .engine
        .find_and_modify(&call.context, &namespace, request, &options)
        .await?;
    Ok(reply(done, removes).into())
}

/// The options of writes, but for those of batches.
pub(super) fn options(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<WriteOptions> {
    for name in ["ordered", "stmtIds"] {
        if arguments.any(name).is_some() {
            return Err(arguments.unknown(name).into());
        }
    }
    writes::options(call, arguments)
}

/// Refuses a client that may not do what is asked; `explain` refuses it too.
pub(super) fn check_access(
    call: &Call<'_>,
    namespace: &Namespace,
    request: &FindAndModifyRequest,
    options: &WriteOptions,
) -> Result<()> {
    let actions: &[Action] = match (&request.update, request.upsert) {
        (None, _) => &[Action::Find, Action::Remove],
        (Some(_), false) => &[Action::Find, Action::Update],
        (Some(_), true) => &[Action::Find, Action::Update, Action::Insert],
    };
    writes::check_access(call, namespace, actions, options)
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
