//! `killCursors`.

use crate::arguments::is_null;
use crate::call::{Call, namespace_of};
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, Resource};
use engine::Namespace;
use value::{Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.any("killCursors").unwrap_or(ValueRef::Null);
    // The name is checked and not used: a cursor is known by its id alone.
    match name {
        ValueRef::String(listing) if listing.starts_with("$cmd.") => {}
        name => drop(namespace_of(&call.database, name)?),
    }
    let ids = arguments.required_array("cursors")?;
    let ids = ids
        .iter()
        .enumerate()
        .filter(|(_, id)| !is_null(*id))
        .map(|(at, id)| match id {
            ValueRef::Int64(id) => Ok(id),
            other => {
                let path = format!("killCursors.cursors.{at}");
                Err(crate::arguments::wrong_type(&path, other.type_of(), "'long'").into())
            }
        })
        .collect::<Result<Vec<i64>>>()?;
    arguments.finish()?;
    let may_kill_on = |namespace: &Namespace| may_kill_any(call, namespace);
    let engine = &call.server.engine;
    let (killed, unknown) = engine.kill_cursors(&call.context, &ids, may_kill_on)?;
    let none = || Value::Array(Vec::new());
    Ok(doc! {
        "cursorsKilled": Value::from(killed),
        "cursorsNotFound": Value::from(unknown),
        "cursorsAlive": none(),
        "cursorsUnknown": none(),
    }
    .into())
}

/// Whether cursors of others on a collection may be killed too.
fn may_kill_any(call: &Call<'_>, namespace: &Namespace) -> bool {
    let Namespace { database, collection } = namespace;
    let there = match collection.starts_with("$cmd.") {
        true => Resource::Database(database),
        false => Resource::Collection(database, collection),
    };
    [Resource::Cluster, there]
        .into_iter()
        .any(|resource| call.require(Action::KillAnyCursor, resource).is_ok())
}
