//! `rolesInfo`: all roles are built in.

use crate::arguments::Fields;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Privileges, Role, RoleKind};
use value::{Document, Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let wanted = arguments.any("rolesInfo").unwrap_or(ValueRef::Null);
    let show_privileges = arguments.flag("showPrivileges")?.unwrap_or(false);
    let show_builtin = arguments.flag("showBuiltinRoles")?.unwrap_or(false);
    arguments.ignore(&["showAuthenticationRestrictions"]);
    arguments.finish()?;
    let roles = match wanted {
        ValueRef::Array(names) => {
            let mut roles = Vec::new();
            for name in names.iter() {
                roles.extend(one(&call.database, name)?);
            }
            roles
        }
        number if number.is_number() => {
            let here = |kind: &RoleKind| Role::parse(kind.name(), &call.database).ok();
            RoleKind::ALL
                .iter()
                .filter(|_| show_builtin)
                .filter_map(here)
                .collect()
        }
        name => one(&call.database, name)?.into_iter().collect(),
    };
    let shown: Value = roles
        .iter()
        .map(|role| Value::Document(describe(role, show_privileges)))
        .collect();
    Ok(doc! {"roles": shown}.into())
}

fn one(database: &str, wanted: ValueRef<'_>) -> Result<Option<Role>> {
    match wanted {
        ValueRef::String(name) => Ok(Role::parse(name, database).ok()),
        ValueRef::Document(document) => {
            let arguments = Fields::new("rolesInfo", document);
            let name = arguments.required_string("role")?;
            Ok(Role::parse(name, arguments.required_string("db")?).ok())
        }
        _ => Err(CommandError::bad_value(
            "Role names must be either strings or objects",
        )),
    }
}

fn describe(role: &Role, show_privileges: bool) -> Document {
    let mut shown = role.to_document();
    shown.push("isBuiltin", true);
    shown.push("roles", Value::Array(Vec::new()));
    shown.push("inheritedRoles", Value::Array(Vec::new()));
    if show_privileges {
        let privileges = Privileges::of(std::slice::from_ref(role)).describe();
        shown.push("privileges", Value::Array(privileges.clone()));
        shown.push("inheritedPrivileges", Value::Array(privileges));
    }
    shown
}
