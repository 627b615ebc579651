//! `cloneCollectionAsCapped`.

use super::create::capped_bytes;
use crate::dispatch::{Call, namespace_of};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use value::{Document, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let from = namespace_of(
        &call.database,
        arguments.any("cloneCollectionAsCapped").unwrap_or(ValueRef::Null),
    )?;
    let to = match arguments.present("toCollection") {
        Some(name) => namespace_of(&call.database, name)?,
        None => return Err(arguments.missing("toCollection")),
    };
    let size = arguments
        .integer("size")?
        .ok_or_else(|| arguments.missing("size"))?;
    arguments.ignore(&["temp"]);
    arguments.finish()?;
    if size <= 0 {
        return Err(CommandError::invalid_options(
            "Capped collection size must be greater than zero",
        ));
    }
    call.require(
        Action::Find,
        Resource::Collection(&from.database, &from.collection),
    )?;
    call.require(Action::Insert, Resource::Collection(&to.database, &to.collection))?;
    call.server
        .engine
        .clone_as_capped(&from, &to, capped_bytes(size)?)
        .await?;
    Ok(Document::new().into())
}
