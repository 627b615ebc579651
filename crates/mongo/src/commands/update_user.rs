//! `updateUser`.

use super::roles;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, EXTERNAL, Resource, User};
use value::{Document, DocumentRef};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string("updateUser")?;
    let password = arguments.string("pwd")?;
    let custom_data = arguments.document("customData")?.map(DocumentRef::to_document);
    let given_roles = arguments.array("roles")?;
    let mechanisms = roles::mechanisms(&arguments)?;
    arguments.ignore(&["digestPassword"]);
    arguments.finish()?;
    if password.is_none() && custom_data.is_none() && given_roles.is_none() && mechanisms.is_none() {
        return Err(CommandError::bad_value(
            "Must specify at least one field to update in updateUser",
        ));
    }
    let new_roles = given_roles.map(|given| roles::parse(call, given)).transpose()?;
    check_allowed(
        call,
        name,
        password.is_some(),
        custom_data.is_some(),
        new_roles.is_some(),
    )?;
    let present = roles::existing_user(&call.server.engine, &call.database, name)?;
    let mut user = User::clone(&present);
    if call.database == EXTERNAL && (password.is_some() || mechanisms.is_some()) {
        return Err(CommandError::bad_value(
            "Cannot set the password for users defined on the '$external' database",
        ));
    }
    if let Some(password) = password {
        let mechanisms =
            mechanisms.unwrap_or_else(|| user.credentials.iter().map(|(mechanism, _)| *mechanism).collect());
        user.credentials = roles::hash(name, password, mechanisms).await?;
    } else if let Some(mechanisms) = mechanisms {
        if mechanisms
            .iter()
            .any(|mechanism| user.credentials_for(*mechanism).is_none())
        {
            let message = "mechanisms field must be a subset of previously set mechanisms";
            return Err(CommandError::bad_value(message));
        }
        user.credentials
            .retain(|(mechanism, _)| mechanisms.contains(mechanism));
    }
    if let Some(roles) = new_roles {
        user.roles = roles;
    }
    user.custom_data = custom_data.or(user.custom_data);
    call.server.engine.replace_user(user).await?;
    Ok(Document::new().into())
}

/// Users may change their own password and data where a role says so; all else needs the rights of a user admin.
fn check_allowed(call: &Call<'_>, name: &str, password: bool, data: bool, roles: bool) -> Result<()> {
    let here = Resource::Database(&call.database);
    let is_self = call
        .connection
        .login
        .user()
        .is_some_and(|user| user.name == name && user.database == call.database);
    if password && !(is_self && call.require(Action::ChangeOwnPassword, here).is_ok()) {
        call.require(Action::ChangePassword, here)?;
    }
    if data && !(is_self && call.require(Action::ChangeOwnCustomData, here).is_ok()) {
        call.require(Action::ChangeCustomData, here)?;
    }
    if roles || !(password || data) {
        call.require(Action::GrantRole, here)?;
    }
    Ok(())
}
