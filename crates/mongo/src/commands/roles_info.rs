//! `rolesInfo`: user-defined and built-in roles.

use super::roles::{means_all, parse_name};
use crate::call::Call;
use crate::error::Result;
use crate::wire::Reply;
use auth::{Action, BuiltinRole, Resource, RoleName, Roles, names_value};
use value::{Document, Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let wanted = arguments.any("rolesInfo").unwrap_or(ValueRef::Null);
    let show_privileges = arguments.flag("showPrivileges")?.unwrap_or(false);
    let show_builtin = arguments.flag("showBuiltinRoles")?.unwrap_or(false);
    let show_restrictions = arguments.flag("showAuthenticationRestrictions")?.unwrap_or(false);
    arguments.finish()?;
    let known = call.server.engine.roles();
    let names = match wanted {
        ValueRef::Array(names) => {
            let names = names.iter().map(|name| one(call, &known, name));
            names.collect::<Result<Vec<_>>>()?
        }
        all if means_all(all) => {
            call.require(Action::ViewRole, Resource::Database(&call.database))?;
            let builtin = BuiltinRole::ALL.iter().filter(|_| show_builtin);
            let builtin = builtin.map(|role| RoleName::new(role.name(), &call.database));
            let defined = known.iter().map(|role| role.name.clone());
            defined
                .filter(|name| name.database == call.database)
                .chain(builtin)
                .collect()
        }
        name => vec![one(call, &known, name)?],
    };
    let shown: Value = names
        .iter()
        .filter_map(|name| describe(&known, name, show_privileges))
        .map(|shown| match show_restrictions {
            true => shown.with("authenticationRestrictions", Value::Array(Vec::new())),
            false => shown,
        })
        .map(Value::Document)
        .collect();
    Ok(doc! {"roles": shown}.into())
}

/// A name, which somebody may ask about who holds that role or may see the roles of its database.
fn one(call: &Call<'_>, known: &Roles, wanted: ValueRef<'_>) -> Result<RoleName> {
    let name = parse_name(call, wanted)?;
    let held = call
        .connection
        .login
        .user()
        .map(|user| known.with_inherited(&user.roles));
    if !held.is_some_and(|held| held.contains(&name)) {
        call.require(Action::ViewRole, Resource::Database(&name.database))?;
    }
    Ok(name)
}

/// What is told of a role; nothing where there is no such role.
fn describe(known: &Roles, name: &RoleName, show_privileges: bool) -> Option<Document> {
    let defined = known.get(name);
    known.check(std::slice::from_ref(name)).ok()?;
    let roles = defined.map_or(&[][..], |role| &role.roles);
    let id = format!("{}.{}", name.database, name.name);
    let mut shown = doc! {"_id": id, "role": &name.name, "db": &name.database};
    shown.push("roles", names_value(roles));
    shown.push("inheritedRoles", names_value(&known.with_inherited(roles)));
    shown.push("isBuiltin", defined.is_none());
    if show_privileges {
        let all = known.privileges_of(std::slice::from_ref(name));
        let own = defined.map_or_else(|| all.describe(), |role| role.privileges.describe());
        shown.push("privileges", own);
        shown.push("inheritedPrivileges", all.describe());
    }
    Some(shown)
}
