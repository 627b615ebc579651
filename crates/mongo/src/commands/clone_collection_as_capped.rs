//! `cloneCollectionAsCapped`.

use super::create::capped_bytes;
use crate::arguments::{Arguments, Number};
use crate::call::{Call, namespace_of};
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::Namespace;
use value::{Document, ValueRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let from = collection(&call.database, &arguments, "cloneCollectionAsCapped")?;
    let to = collection(&call.database, &arguments, "toCollection")?;
    let size = size(&arguments)?;
    arguments.ignore(&["temp"]);
    arguments.finish()?;
    call.require(
        Action::Find,
        Resource::Collection(&from.database, &from.collection),
    )?;
    for action in [Action::Insert, Action::CreateIndex, Action::ConvertToCapped] {
        call.require(action, Resource::Collection(&to.database, &to.collection))?;
    }
    call.server
        .engine
        .clone_as_capped(&from, &to, capped_bytes(size)?)
        .await?;
    Ok(Document::new().into())
}

fn collection(database: &str, arguments: &Arguments<'_>, name: &'static str) -> Result<Namespace> {
    match arguments.any(name).unwrap_or(ValueRef::Null) {
        text @ ValueRef::String(_) => namespace_of(database, text),
        other => Err(arguments.wrong_type(name, other, "'string'").into()),
    }
}

/// `size`: whatever is no number above zero is refused alike.
pub(super) fn size(arguments: &Arguments<'_>) -> Result<i64> {
    arguments
        .any("size")
        .and_then(Number::of)
        .map(Number::to_i64_saturating)
        .filter(|size| *size > 0)
        .ok_or_else(|| CommandError::invalid_options("Capped collection size must be greater than zero"))
}
