//! `dropUser`, `dropAllUsersFromDatabase`.

use super::roles;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string("dropUser")?;
    arguments.finish()?;
    let user = roles::existing_user(&call.server.engine, &call.database, name)?;
    call.server.engine.drop_user(&user.database, &user.name).await?;
    Ok(Document::new().into())
}

/// `dropAllUsersFromDatabase`.
pub(super) async fn all(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    let dropped = call.server.engine.drop_users(&call.database).await?;
    Ok(doc! {"n": Value::count(dropped as u64)}.into())
}
