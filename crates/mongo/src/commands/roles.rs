//! Roles and passwords as arguments of the user commands.

use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use auth::{Action, Mechanism, Privileges, Resource, RoleName, User, UserCredentials};
use code::Code;
use engine::Engine;
use std::sync::Arc;
use value::{ArrayRef, DocumentRef, ValueRef};

/// Reads `roles`, each once. Whether they exist is another question, which MongoDB asks last.
pub(super) fn parse(call: &Call<'_>, roles: ArrayRef<'_>) -> Result<Vec<RoleName>> {
    let mut named: Vec<RoleName> = Vec::new();
    for role in roles.iter() {
        let name = parse_name(call, role)?;
        if !named.contains(&name) {
            named.push(name);
        }
    }
    Ok(named)
}

/// Reads the name of a role of this database, or `{role, db}`.
pub(super) fn parse_name(call: &Call<'_>, role: ValueRef<'_>) -> Result<RoleName> {
    match role {
        ValueRef::String(name) => Ok(RoleName::new(name, &call.database)),
        ValueRef::Document(role) => {
            let (name, database) = NameForm::ROLE.parse(role)?;
            Ok(RoleName::new(name, database))
        }
        _ => Err(NameForm::ROLE.refused()),
    }
}

/// How a role or a user is named by a document.
pub(super) struct NameForm {
    /// What is named, in errors.
    what: &'static str,
    /// The field of the name, beside `db`.
    field: &'static str,
    /// Whether other fields are refused.
    is_strict: bool,
}

impl NameForm {
    /// `{role, db}`.
    pub(super) const ROLE: NameForm = NameForm {
        what: "RoleName",
        field: "role",
        is_strict: false,
    };
    /// `{user, db}`.
    pub(super) const USER: NameForm = NameForm {
        what: "UserName",
        field: "user",
        is_strict: true,
    };

    /// Reads the name and the database.
    pub(super) fn parse(&self, document: DocumentRef<'_>) -> Result<(String, String)> {
        let refuse = |reason: String| CommandError::bad_value(format!("{} {reason}", self.what));
        let (mut name, mut database) = (None, None);
        for (field, value) in document.iter() {
            let place = match field {
                "db" => &mut database,
                field if field == self.field => &mut name,
                _ if !self.is_strict => continue,
                other => return Err(refuse(format!("contains an unknown field named: '{other}'"))),
            };
            let ValueRef::String(text) = value else {
                let found = value.type_of().alias();
                return Err(refuse(format!(
                    "must contain a string field named: {field}. But, has type {found}"
                )));
            };
            if place.replace(text.to_owned()).is_some() {
                return Err(refuse(format!("has more than one field named: {field}")));
            }
        }
        let name = name.ok_or_else(|| refuse(format!("must contain a field named: {}", self.field)))?;
        let database = database.ok_or_else(|| refuse("must contain a field named: db".to_owned()))?;
        Ok((name, database))
    }

    /// The error that a name is of another type.
    pub(super) fn refused(&self) -> CommandError {
        CommandError::bad_value(format!("{} must be either a string or an object", self.what))
    }
}

/// Refuses a user who may not do this (grant or revoke) with each of the roles.
pub(super) fn require_over_roles(call: &Call<'_>, action: Action, roles: &[RoleName]) -> Result<()> {
    roles
        .iter()
        .try_for_each(|role| call.require(action, Resource::Database(&role.database)))
}

/// Refuses a user who may not revoke roles of every database: what is put in the place of others may revoke any.
pub(super) fn require_over_all_roles(call: &Call<'_>) -> Result<()> {
    call.require(Action::RevokeRole, Resource::Database(""))
        .map_err(|_| {
            CommandError::unauthorized(format!(
                "not authorized on {} to execute command {}, which may revoke roles and privileges of any database: it needs \
                 revokeRole on all of them. Commands that grant or revoke some need it on theirs alone",
                call.database, call.called
            ))
        })
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

/// Refuses `authenticationRestrictions` that restrict something; whether there are any.
pub(super) fn refuse_restrictions(call: &Call<'_>, arguments: &Arguments<'_>) -> Result<bool> {
    let Some(restrictions) = arguments.array("authenticationRestrictions")? else {
        return Ok(false);
    };
    if !restrictions.is_empty() {
        return Err(CommandError::new(
            Code::NOT_IMPLEMENTED,
            "authenticationRestrictions are not supported yet",
        ));
    }
    let here = Resource::Database(&call.database);
    call.require(Action::SetAuthenticationRestriction, here)?;
    Ok(true)
}

/// Whether a number stands for everything in the database that the command is of: 1 and no other does.
pub(super) fn means_all(wanted: ValueRef<'_>) -> bool {
    wanted.is_number() && wanted.as_f64().is_some_and(|number| number.trunc() == 1.0)
}

/// `pwd`, `mechanisms` and `digestPassword`.
pub(super) struct Login {
    password: Option<String>,
    mechanisms: Option<Vec<Mechanism>>,
    /// Whether the password is one, or else the digest that SCRAM-SHA-1 is made of.
    digests: bool,
}

impl Login {
    pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Login> {
        Ok(Login {
            password: arguments.string("pwd")?.map(str::to_owned),
            mechanisms: mechanisms(arguments)?,
            digests: arguments.flag("digestPassword")?.unwrap_or(true),
        })
    }

    pub(super) fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The mechanisms that are asked for, each once, in the order in which MongoDB names them.
    pub(super) fn mechanisms(&self) -> Option<&[Mechanism]> {
        self.mechanisms.as_deref()
    }

    /// The credentials that the password makes, for all mechanisms unless some are named. They are hashed on a thread that may
    /// take its time.
    pub(super) async fn credentials(self, name: &str) -> Result<UserCredentials> {
        let password = self.password.unwrap_or_default();
        let mechanisms = self.mechanisms.unwrap_or_else(|| Mechanism::ALL.to_vec());
        if password.is_empty() {
            return Err(CommandError::bad_value("Password cannot be empty"));
        }
        if !self.digests && mechanisms.contains(&Mechanism::ScramSha256) {
            return Err(CommandError::bad_value(
                "Use of SCRAM-SHA-256 requires undigested passwords",
            ));
        }
        let (name, digests) = (name.to_owned(), self.digests);
        let hashing = tokio::task::spawn_blocking(move || match digests {
            true => User::derive_credentials(&name, &password, &mechanisms),
            false => User::digested_credentials(&password),
        });
        match hashing.await {
            Ok(credentials) => Ok(credentials?),
            Err(error) => Err(CommandError::new(
                Code::INTERNAL_ERROR,
                format!("the password could not be hashed: {error}"),
            )),
        }
    }
}

/// Reads `mechanisms`.
fn mechanisms(arguments: &Arguments<'_>) -> Result<Option<Vec<Mechanism>>> {
    let Some(names) = arguments.strings("mechanisms")? else {
        return Ok(None);
    };
    if names.is_empty() {
        return Err(CommandError::bad_value("mechanisms field must not be empty"));
    }
    for name in &names {
        Mechanism::parse(name)
            .map_err(|_| CommandError::bad_value(format!("Unknown auth mechanism '{name}'")))?;
    }
    let named = |mechanism: &Mechanism| names.iter().any(|name| *name == mechanism.name());
    Ok(Some(Mechanism::ALL.into_iter().filter(named).collect()))
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
