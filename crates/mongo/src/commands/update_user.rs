//! `updateUser`.

use super::roles::{self, Login};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, EXTERNAL, Mechanism, Resource, RoleName, User};
use engine::Engine;
use value::{Document, DocumentRef};

/// What changes.
struct Change {
    login: Login,
    custom_data: Option<Document>,
    roles: Option<Vec<RoleName>>,
    /// Whether restrictions are given: that there are none, since no other are taken.
    restrictions: bool,
}

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let name = arguments.required_string("updateUser")?;
    let login = Login::parse(&arguments)?;
    let custom_data = arguments.document("customData")?.map(DocumentRef::to_document);
    let given_roles = arguments.array("roles")?;
    let restrictions = roles::refuse_restrictions(call, &arguments)?;
    arguments.finish()?;
    let change = Change {
        login,
        custom_data,
        roles: given_roles.map(|given| roles::parse(call, given)).transpose()?,
        restrictions,
    };
    change.check()?;
    change.check_allowed(call, name)?;
    let engine = &call.server.engine;
    if let Some(given) = &change.roles {
        engine.roles().check(given)?;
    }
    let user = roles::existing_user(engine, &call.database, name)?;
    change.make(engine, &user).await?;
    Ok(Document::new().into())
}

impl Change {
    fn changes_login(&self) -> bool {
        self.login.has_password() || self.login.mechanisms().is_some()
    }

    fn check(&self) -> Result<()> {
        let is_any =
            self.changes_login() || self.custom_data.is_some() || self.roles.is_some() || self.restrictions;
        match is_any {
            true => Ok(()),
            false => Err(CommandError::bad_value(
                "Must specify at least one field to update in updateUser",
            )),
        }
    }

    /// Users may change their own password and data where a role says so; all else needs the rights of a user admin.
    fn check_allowed(&self, call: &Call<'_>, name: &str) -> Result<()> {
        let here = Resource::Database(&call.database);
        let is_self = call
            .connection
            .login
            .user()
            .is_some_and(|user| user.name == name && user.database == call.database);
        if self.changes_login() && !(is_self && call.require(Action::ChangeOwnPassword, here).is_ok()) {
            call.require(Action::ChangePassword, here)?;
        }
        if self.custom_data.is_some() && !(is_self && call.require(Action::ChangeOwnCustomData, here).is_ok())
        {
            call.require(Action::ChangeCustomData, here)?;
        }
        match &self.roles {
            Some(given) => {
                roles::require_over_all_roles(call)?;
                roles::require_over_roles(call, Action::GrantRole, given)
            }
            None => Ok(()),
        }
    }

    async fn make(self, engine: &Engine, user: &User) -> Result<()> {
        if user.database == EXTERNAL && self.changes_login() {
            return Err(CommandError::bad_value(
                "Cannot set the password for users defined on the '$external' database",
            ));
        }
        let mechanisms = self.login.mechanisms().map(<[Mechanism]>::to_vec);
        let credentials = match self.login.has_password() {
            true => Some(self.login.credentials(&user.name).await?),
            false => None,
        };
        let apply = |user: &mut User| -> Result<()> {
            match (credentials, mechanisms) {
                (Some(credentials), _) => user.credentials = credentials,
                (None, Some(mechanisms)) => keep_mechanisms(user, &mechanisms)?,
                (None, None) => {}
            }
            if let Some(roles) = self.roles {
                user.roles = roles;
            }
            user.custom_data = self.custom_data.or(user.custom_data.take());
            Ok(())
        };
        engine.change_user(&user.database, &user.name, apply).await
    }
}

/// Takes the credentials of all other mechanisms away.
fn keep_mechanisms(user: &mut User, mechanisms: &[Mechanism]) -> Result<()> {
    if mechanisms
        .iter()
        .any(|mechanism| user.credentials_for(*mechanism).is_none())
    {
        let message = "mechanisms field must be a subset of previously set mechanisms";
        return Err(CommandError::bad_value(message));
    }
    user.credentials
        .retain(|(mechanism, _)| mechanisms.contains(mechanism));
    Ok(())
}
