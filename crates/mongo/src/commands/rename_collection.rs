//! `renameCollection`.

use crate::dispatch::{Call, check_collection_name};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::Namespace;
use value::{Document, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    call.require_admin()?;
    let arguments = call.arguments();
    let from = full_name("renameCollection", arguments.required_string("renameCollection")?)?;
    let to = full_name("to", arguments.required_string("to")?)?;
    let drop_target = match arguments.present("dropTarget") {
        None => false,
        Some(ValueRef::Bool(flag)) => flag,
        // A UUID names the collection that may be dropped; there is only one of that name.
        Some(ValueRef::Binary { .. }) => true,
        Some(number) if number.is_number() => crate::arguments::number_as_f64(number) != Some(0.0),
        Some(other) => {
            return Err(arguments.wrong_type(
                "dropTarget",
                other,
                "'[bool, long, int, decimal, double, binData]'",
            ));
        }
    };
    arguments.flag("stayTemp")?;
    arguments.any("collectionUUID");
    arguments.finish()?;
    check_access(call, &from, &to, drop_target)?;
    call.server
        .engine
        .rename_collection(&from, &to, drop_target)
        .await?;
    Ok(Document::new().into())
}

fn check_access(call: &Call<'_>, from: &Namespace, to: &Namespace, drop_target: bool) -> Result<()> {
    let source = Resource::Collection(&from.database, &from.collection);
    let target = Resource::Collection(&to.database, &to.collection);
    if from.database == to.database && !drop_target {
        return call.require(Action::RenameCollectionSameDb, source);
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
