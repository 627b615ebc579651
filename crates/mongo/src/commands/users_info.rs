//! `usersInfo`.

use crate::arguments::Fields;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource, User};
use code::Code;
use std::sync::Arc;
use value::{Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let wanted = arguments.any("usersInfo").unwrap_or(ValueRef::Null);
    let show_credentials = arguments.flag("showCredentials")?.unwrap_or(false);
    let show_custom_data = arguments.flag("showCustomData")?.unwrap_or(true);
    let show_privileges = arguments.flag("showPrivileges")?.unwrap_or(false);
    if arguments
        .document("filter")?
        .is_some_and(|filter| !filter.is_empty())
    {
        return Err(CommandError::new(
            Code::NOT_IMPLEMENTED,
            "usersInfo with a filter is not supported yet",
        ));
    }
    arguments.ignore(&["showAuthenticationRestrictions"]);
    arguments.finish()?;
    let users = matching(call, wanted)?;
    let engine = &call.server.engine;
    let shown: Value = users
        .iter()
        .map(|user| {
            let mut shown = user.describe(show_credentials, show_custom_data);
            if show_privileges {
                let inherited = engine.roles().with_inherited(&user.roles);
                shown.push("inheritedRoles", auth::names_value(&inherited));
                shown.push("inheritedPrivileges", engine.privileges(user).describe());
            }
            Value::Document(shown)
        })
        .collect();
    Ok(Reply {
        body: doc! {"users": shown},
        is_secret: show_credentials,
        ..Reply::default()
    })
}

/// The users that are asked for, as far as the client may see them.
fn matching(call: &Call<'_>, wanted: ValueRef<'_>) -> Result<Vec<Arc<User>>> {
    let all = call.server.engine.all_users();
    match wanted {
        ValueRef::Document(document) if document.get("forAllDBs").is_some() => {
            for user in &all {
                call.require(Action::ViewUser, Resource::Database(&user.database))?;
            }
            Ok(all)
        }
        ValueRef::Array(names) => {
            let mut users = Vec::new();
            for name in names.iter() {
                users.extend(one(call, &all, name)?);
            }
            Ok(users)
        }
        ValueRef::String(_) | ValueRef::Document(_) => Ok(one(call, &all, wanted)?.into_iter().collect()),
        number if number.is_number() => {
            call.require(Action::ViewUser, Resource::Database(&call.database))?;
            Ok(all
                .into_iter()
                .filter(|user| user.database == call.database)
                .collect())
        }
        _ => Err(CommandError::bad_value(
            "UserName must be either a string or an object",
        )),
    }
}

fn one(call: &Call<'_>, all: &[Arc<User>], wanted: ValueRef<'_>) -> Result<Option<Arc<User>>> {
    let (name, database) = match wanted {
        ValueRef::String(name) => (name, call.database.as_str()),
        ValueRef::Document(document) => {
            let arguments = Fields::new("usersInfo", document);
            let name = arguments.required_string("user")?;
            (name, arguments.required_string("db")?)
        }
        _ => {
            return Err(CommandError::bad_value(
                "UserName must be either a string or an object",
            ));
        }
    };
    let is_self = call
        .connection
        .login
        .user()
        .is_some_and(|user| user.name == name && user.database == database);
    if !is_self {
        call.require(Action::ViewUser, Resource::Database(database))?;
    }
    Ok(all
        .iter()
        .find(|user| user.name == name && user.database == database)
        .cloned())
}
