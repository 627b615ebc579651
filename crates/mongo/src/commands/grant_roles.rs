//! `grantRolesToUser`, `revokeRolesFromUser`.

use super::roles;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, RoleName, User};
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    change(call, "grantRolesToUser", |present, given| {
        for role in given {
            if !present.contains(&role) {
                present.push(role);
            }
        }
    })
    .await
}

/// `revokeRolesFromUser`.
pub(super) async fn revoke(call: &mut Call<'_>) -> Result<Reply> {
    change(call, "revokeRolesFromUser", |present, given| {
        present.retain(|role| !given.contains(role));
    })
    .await
}

async fn change(
    call: &mut Call<'_>,
    command: &'static str,
    apply: impl FnOnce(&mut Vec<RoleName>, Vec<RoleName>),
) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string(command)?;
    let given = roles::parse(call, arguments.required_array("roles")?)?;
    arguments.finish()?;
    if given.is_empty() {
        let message = format!("{command} command requires a non-empty \"roles\" array");
        return Err(CommandError::bad_value(message));
    }
    let action = match command {
        "grantRolesToUser" => Action::GrantRole,
        _ => Action::RevokeRole,
    };
    roles::require_over_roles(call, action, &given)?;
    let engine = &call.server.engine;
    roles::existing_user(engine, &call.database, name)?;
    engine.roles().check(&given)?;
    let change = |user: &mut User| -> Result<()> {
        apply(&mut user.roles, given);
        Ok(())
    };
    engine.change_user(&call.database, name, change).await?;
    Ok(Document::new().into())
}
