//! `createRole`, `updateRole`.

use super::roles;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, BuiltinRole, Privileges, Role, RoleName};
use code::Code;
use value::Document;

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string("createRole")?;
    let privileges = Privileges::parse(arguments.required_array("privileges")?)?;
    let inherited = roles::parse(call, arguments.required_array("roles")?)?;
    roles::refuse_restrictions(call, &arguments)?;
    arguments.finish()?;
    if name.is_empty() || name.contains('\0') {
        return Err(CommandError::bad_value("Role name must be non-empty"));
    }
    if ["local", "$external"].contains(&call.database.as_str()) {
        let message = format!("Cannot create roles in the {} database", call.database);
        return Err(CommandError::bad_value(message));
    }
    roles::require_over_roles(call, Action::GrantRole, &inherited)?;
    roles::require_over_privileges(call, Action::GrantRole, &privileges)?;
    let role = Role {
        name: RoleName::new(name, &call.database),
        privileges,
        roles: inherited,
    };
    call.server.engine.create_role(role).await?;
    Ok(Document::new().into())
}

/// `updateRole`.
pub(super) async fn update(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = RoleName::new(arguments.required_string("updateRole")?, &call.database);
    let privileges = arguments
        .array("privileges")?
        .map(Privileges::parse)
        .transpose()?;
    let given = arguments.array("roles")?;
    let inherited = given.map(|roles| roles::parse(call, roles)).transpose()?;
    roles::require_over_all_roles(call)?;
    let restrictions = roles::refuse_restrictions(call, &arguments)?;
    arguments.finish()?;
    if privileges.is_none() && inherited.is_none() && !restrictions {
        return Err(CommandError::bad_value(
            "Must specify at least one field to update in updateRole",
        ));
    }
    roles::require_over_roles(call, Action::GrantRole, inherited.as_deref().unwrap_or_default())?;
    if let Some(privileges) = &privileges {
        roles::require_over_privileges(call, Action::GrantRole, privileges)?;
    }
    if BuiltinRole::named(&name).is_some() {
        // MongoDB looks for it among those that are defined.
        let message = format!("Role {name} not found");
        return Err(CommandError::new(Code::ROLE_NOT_FOUND, message));
    }
    let change = |role: &mut Role| {
        if let Some(privileges) = privileges {
            role.privileges = privileges;
        }
        if let Some(inherited) = inherited {
            role.roles = inherited;
        }
    };
    call.server.engine.change_role(&name, change).await?;
    Ok(Document::new().into())
}
