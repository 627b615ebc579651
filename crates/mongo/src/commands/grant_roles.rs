//! `grantRolesToUser`, `revokeRolesFromUser`.

use super::roles;
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Role, User};
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
    apply: impl FnOnce(&mut Vec<Role>, Vec<Role>),
) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string(command)?;
    let given = roles::parse(
        &format!("{command}.roles"),
        &call.database,
        arguments.required_array("roles")?,
    )?;
    arguments.finish()?;
    for role in &given {
        let action = if command == "grantRolesToUser" {
            auth::Action::GrantRole
        } else {
            auth::Action::RevokeRole
        };
        call.require(action, auth::Resource::Database(&role.database))?;
    }
    let present = roles::existing_user(&call.server.engine, &call.database, name)?;
    let mut user = User::clone(&present);
    apply(&mut user.roles, given);
    call.server.engine.replace_user(user).await?;
    Ok(Document::new().into())
}
