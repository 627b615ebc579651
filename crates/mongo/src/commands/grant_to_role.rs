//! `grantPrivilegesToRole`, `revokePrivilegesFromRole`, `grantRolesToRole`, `revokeRolesFromRole`.

use super::roles;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Privileges, Role, RoleName};
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    change_privileges(call, Action::GrantRole, |role, given| {
        role.privileges.extend(given.iter().cloned());
    })
    .await
}

/// `revokePrivilegesFromRole`.
pub(super) async fn revoke(call: &mut Call<'_>) -> Result<Reply> {
    change_privileges(call, Action::RevokeRole, |role, given| {
        given
            .iter()
            .for_each(|privilege| role.privileges.remove(privilege));
    })
    .await
}

/// `grantRolesToRole`.
pub(super) async fn roles(call: &mut Call<'_>) -> Result<Reply> {
    change_roles(call, Action::GrantRole, |role, given| {
        for name in given {
            if !role.roles.contains(&name) {
                role.roles.push(name);
            }
        }
    })
    .await
}

/// `revokeRolesFromRole`.
pub(super) async fn revoke_roles(call: &mut Call<'_>) -> Result<Reply> {
    change_roles(call, Action::RevokeRole, |role, given| {
        role.roles.retain(|name| !given.contains(name));
    })
    .await
}

async fn change_privileges(
    call: &mut Call<'_>,
    action: Action,
    apply: impl FnOnce(&mut Role, Privileges),
) -> Result<Reply> {
    let arguments = call.arguments();
    let name = RoleName::new(arguments.required_string(call.called)?, &call.database);
    let given = Privileges::parse(arguments.required_array("privileges")?)?;
    arguments.finish()?;
    if given.iter().next().is_none() {
        return Err(CommandError::bad_value(format!(
            "{} needs at least one privilege",
            call.called
        )));
    }
    roles::require_over_privileges(call, action, &given)?;
    call.server
        .engine
        .change_role(&name, |role| apply(role, given))
        .await?;
    Ok(Document::new().into())
}

async fn change_roles(
    call: &mut Call<'_>,
    action: Action,
    apply: impl FnOnce(&mut Role, Vec<RoleName>),
) -> Result<Reply> {
    let arguments = call.arguments();
    let name = RoleName::new(arguments.required_string(call.called)?, &call.database);
    let given = roles::parse(call, arguments.required_array("roles")?)?;
    arguments.finish()?;
    if given.is_empty() {
        return Err(CommandError::bad_value(format!(
            "{} needs at least one role",
            call.called
        )));
    }
    roles::require_over_roles(call, action, &given)?;
    call.server
        .engine
        .change_role(&name, |role| apply(role, given))
        .await?;
    Ok(Document::new().into())
}
