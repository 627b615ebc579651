//! Roles and passwords as arguments of the user commands.

use crate::arguments::{Arguments, Fields};
use crate::call::Call;
use crate::error::{CommandError, Result};
use auth::{Action, Mechanism, Privileges, Resource, RoleName, User, UserCredentials};
use code::Code;
use engine::Engine;
use std::sync::Arc;
use value::{ArrayRef, ValueRef};

/// Reads `roles`, all of which must exist.
pub(super) fn parse(call: &Call<'_>, roles: ArrayRef<'_>) -> Result<Vec<RoleName>> {
    let named = roles.iter().map(|role| parse_name(call, role));
    let named: Vec<RoleName> = named.collect::<Result<_>>()?;
    call.server.engine.roles().check(&named)?;
    Ok(named)
}

/// Reads the name of a role of this database, or `{role, db}`.
pub(super) fn parse_name(call: &Call<'_>, role: ValueRef<'_>) -> Result<RoleName> {
    match role {
        ValueRef::String(name) => Ok(RoleName::new(name, &call.database)),
        ValueRef::Document(role) => {
            let arguments = Fields::new(format!("{}.roles", call.called), role);
            let name = arguments.required_string("role")?;
            let of = arguments.required_string("db")?;
            arguments.finish()?;
            Ok(RoleName::new(name, of))
        }
        _ => Err(CommandError::new(
            Code::BAD_VALUE,
            "Role names must be either strings or objects",
        )),
    }
}

/// Refuses a user who may not do this (grant or revoke) with each of the roles.
pub(super) fn require_over_roles(call: &Call<'_>, action: Action, roles: &[RoleName]) -> Result<()> {
    roles
        .iter()
        .try_for_each(|role| call.require(action, Resource::Database(&role.database)))
}

/// Refuses a user who may not do this (grant or revoke) with each of the privileges.
pub(super) fn require_over_privileges(
    call: &Call<'_>,
    action: Action,
    privileges: &Privileges,
) -> Result<()> {
    privileges
        .iter()
        .try_for_each(|privilege| call.require(action, Resource::Database(privilege.scope.administered_by())))
}

/// Refuses `authenticationRestrictions` that restrict something.
pub(super) fn refuse_restrictions(arguments: &Arguments<'_>) -> Result<()> {
    match arguments.array("authenticationRestrictions")? {
        Some(restrictions) if !restrictions.is_empty() => Err(CommandError::new(
            Code::NOT_IMPLEMENTED,
            "authenticationRestrictions are not supported yet",
        )),
        _ => Ok(()),
    }
}

/// Reads `mechanisms`; all where it is not given.
pub(super) fn mechanisms(arguments: &Arguments<'_>) -> Result<Option<Vec<Mechanism>>> {
    let Some(names) = arguments.strings("mechanisms")? else {
        return Ok(None);
    };
    if names.is_empty() {
        return Err(CommandError::bad_value("mechanisms field must not be empty"));
    }
    names
        .into_iter()
        .map(|name| {
            Mechanism::parse(name)
                .map_err(|_| CommandError::bad_value(format!("Unknown auth mechanism '{name}'")))
        })
        .collect::<Result<_>>()
        .map(Some)
}

/// Hashes a password, on a thread that may take its time.
pub(super) async fn hash(name: &str, password: &str, mechanisms: Vec<Mechanism>) -> Result<UserCredentials> {
    if password.is_empty() {
        return Err(CommandError::bad_value("Password cannot be empty"));
    }
    let (name, password) = (name.to_owned(), password.to_owned());
    let hashing =
        tokio::task::spawn_blocking(move || User::derive_credentials(&name, &password, &mechanisms));
    match hashing.await {
        Ok(credentials) => Ok(credentials?),
        Err(error) => Err(CommandError::new(
            Code::INTERNAL_ERROR,
            format!("the password could not be hashed: {error}"),
        )),
    }
}

/// The user, or the error that there is none.
pub(super) fn existing_user(engine: &Engine, database: &str, name: &str) -> Result<Arc<User>> {
    engine.user(database, name).ok_or_else(|| {
        CommandError::new(
            Code::USER_NOT_FOUND,
            format!("Could not find user \"{name}\" for db \"{database}\""),
        )
    })
}
