//! Roles and passwords as arguments of the user commands.

use crate::arguments::{Arguments, Fields};
use crate::error::{CommandError, Result};
use auth::{Mechanism, Role, User, UserCredentials};
use code::Code;
use engine::Engine;
use std::sync::Arc;
use value::{ArrayRef, ValueRef};

/// Reads `roles`: names of roles of this database, or `{role, db}`.
pub(super) fn parse(path: &str, database: &str, roles: ArrayRef<'_>) -> Result<Vec<Role>> {
    roles
        .iter()
        .map(|role| match role {
            ValueRef::String(name) => Ok(Role::parse(name, database)?),
            ValueRef::Document(role) => {
                let arguments = Fields::new(path.to_owned(), role);
                let name = arguments.required_string("role")?;
                let of = arguments.required_string("db")?;
                arguments.finish()?;
                Ok(Role::parse(name, of)?)
            }
            _ => Err(CommandError::new(
                Code::BAD_VALUE,
                "Role names must be either strings or objects",
            )),
        })
        .collect()
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
