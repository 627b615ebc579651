//! `killCursors`.

use crate::arguments::is_null;
use crate::call::{Call, namespace_of};
use crate::error::Result;
use crate::wire::Reply;
use engine::Namespace;
use value::{Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.any("killCursors").unwrap_or(ValueRef::Null);
    let namespace = match name {
        ValueRef::String(listing) if listing.starts_with("$cmd.") => Namespace::new(&call.database, listing),
        name => namespace_of(&call.database, name)?,
    };
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
    let (killed, unknown) = call.server.engine.kill_cursors(&call.context, &namespace, &ids);
    let none = || Value::Array(Vec::new());
    Ok(doc! {
        "cursorsKilled": Value::from(killed),
        "cursorsNotFound": Value::from(unknown),
        "cursorsAlive": none(),
        "cursorsUnknown": none(),
    }
    .into())
}
