//! `renameCollection`.

use crate::call::{Call, check_collection_name};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use code::Code;
use engine::Namespace;
use value::{Document, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let from = full_name("renameCollection", arguments.required_string("renameCollection")?)?;
    let to = full_name("to", arguments.required_string("to")?)?;
    let (drop_target, target_uuid) = match arguments.any("dropTarget") {
        None => (false, None),
        Some(ValueRef::Bool(flag)) => (flag, None),
        Some(ValueRef::Binary { subtype: 4, bytes }) if bytes.len() == 16 => (true, bytes.try_into().ok()),
        Some(other) => {
            return Err(arguments
                .wrong_type("dropTarget", other, "'[bool, binData]'")
                .into());
        }
    };
    arguments.bool("stayTemp")?;
    let uuid = arguments.uuid("collectionUUID")?;
    arguments.finish()?;
    check_lengths(&from, &to)?;
    check_not_system("source", &from)?;
    check_not_system("target", &to)?;
    check_uuid(call, &from, uuid)?;
    // The UUID in dropTarget is that of the collection that may be dropped.
    check_uuid(call, &to, target_uuid)?;
    check_access(call, &from, &to, drop_target)?;
    check_not_series(call, &from, &to)?;
    call.server
        .engine
        .rename_collection(&from, &to, drop_target)
        .await?;
    Ok(Document::new().into())
}

fn check_access(call: &Call<'_>, from: &Namespace, to: &Namespace, drop_target: bool) -> Result<()> {
    let source = Resource::Collection(&from.database, &from.collection);
    let target = Resource::Collection(&to.database, &to.collection);
    if from.database == to.database {
        let may = |action, resource| call.require(action, resource).is_ok();
        let may_rename =
            may(Action::RenameCollectionSameDb, source) && may(Action::RenameCollectionSameDb, target);
        // What one may not read must not get a name under which one may.
        let shows_nothing = may(Action::Find, source) || !may(Action::Find, target);
        let may_drop = !drop_target || may(Action::DropCollection, target);
        if may_rename && shows_nothing && may_drop {
            return Ok(());
        }
    }
    call.require(Action::Find, source)?;
    call.require(Action::DropCollection, source)?;
    call.require(Action::Insert, target)?;
    call.require(Action::CreateIndex, target)?;
    match drop_target {
        true => call.require(Action::DropCollection, target),
        false => Ok(()),
    }
}

/// A time series is a view in MongoDB: it keeps its name, and none takes its place.
fn check_not_series(call: &Call<'_>, from: &Namespace, to: &Namespace) -> Result<()> {
    let is_series = |namespace: &Namespace| {
        let entry = call.server.engine.collection_entry(namespace);
        entry.map(|entry| entry.options.contains("timeseries"))
    };
    match (is_series(from), is_series(to)) {
        // To give it its own name is another mistake.
        (Some(true), _) if from != to => Err(CommandError::new(
            Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            format!("cannot rename the time series {from}"),
        )),
        (Some(false), Some(true)) => Err(CommandError::new(
            Code::NAMESPACE_EXISTS,
            format!("a time series already exists with that name: {to}"),
        )),
        _ => Ok(()),
    }
}

fn check_lengths(from: &Namespace, to: &Namespace) -> Result<()> {
    let longest = engine::limits::NAMESPACE_BYTES_MAX;
    match [from, to]
        .into_iter()
        .find(|namespace| namespace.to_string().len() > longest)
    {
        Some(long) => {
            let message = format!("Fully qualified namespace is too long: {long}; at most {longest} bytes");
            Err(CommandError::new(Code::ILLEGAL_OPERATION, message))
        }
        None => Ok(()),
    }
}

/// No collection becomes one of the server's own, and none of those another.
fn check_not_system(side: &str, namespace: &Namespace) -> Result<()> {
    match namespace.collection.starts_with("system.") {
        true => Err(CommandError::new(
            Code::ILLEGAL_OPERATION,
            format!("error with {side} namespace: cannot write to '{namespace}'"),
        )),
        false => Ok(()),
    }
}

/// `collectionUUID` says which collection the client means; it must be the one of the name.
pub(super) fn check_uuid(call: &Call<'_>, namespace: &Namespace, uuid: Option<[u8; 16]>) -> Result<()> {
    let Some(expected) = uuid else { return Ok(()) };
    let engine = &call.server.engine;
    if engine
        .collection_entry(namespace)
        .is_some_and(|entry| entry.uuid == Some(expected))
    {
        return Ok(());
    }
    let actual = engine
        .collections(&namespace.database)
        .into_iter()
        .find(|entry| entry.uuid == Some(expected));
    let error = CommandError::new(
        Code::COLLECTION_UUID_MISMATCH,
        "Collection UUID does not match that specified",
    )
    .with_detail("db", namespace.database.as_str())
    .with_detail(
        "collectionUUID",
        value::Binary {
            subtype: 4,
            bytes: expected.to_vec(),
        },
    )
    .with_detail("expectedCollection", namespace.collection.as_str())
    .with_detail("actualCollection", actual.map(|entry| entry.name));
    Err(error)
}

/// `database.collection`.
pub(super) fn full_name(argument: &str, text: &str) -> Result<Namespace> {
    match text.split_once('.') {
        Some((database, collection)) if !database.is_empty() => {
            check_collection_name(database, collection)?;
            Ok(Namespace::new(database, collection))
        }
        _ => Err(CommandError::invalid_namespace(format!(
            "Invalid namespace specified for {argument}: '{text}'"
        ))),
    }
}
