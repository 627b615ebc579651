//! `dropRole`, `dropAllRolesFromDatabase`.

use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::RoleName;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = RoleName::new(arguments.required_string("dropRole")?, &call.database);
    arguments.finish()?;
    call.server.engine.drop_role(&name).await?;
    Ok(Document::new().into())
}

/// `dropAllRolesFromDatabase`.
pub(super) async fn all(call: &mut Call<'_>) -> Result<Reply> {
    call.arguments().finish()?;
    let dropped = call.server.engine.drop_roles(&call.database).await?;
    Ok(doc! {"n": Value::count(dropped as u64)}.into())
}
