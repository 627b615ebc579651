//! `rolesInfo`: user-defined and built-in roles.

use super::roles::{means_all, parse_name};
use crate::arguments::{Arguments, is_true};
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, BuiltinRole, Resource, RoleName, Roles, names_value};
use code::Code;
use value::{Document, Value, ValueRef, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let wanted = arguments.any("rolesInfo").unwrap_or(ValueRef::Null);
    let privileges = Shown::parse(&arguments)?;
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
            if privileges == Shown::AsOfUser {
                return Err(CommandError::new(
                    Code::ILLEGAL_OPERATION,
                    "Cannot get user fragment for all roles in a database",
                ));
            }
            let builtin = BuiltinRole::ALL.iter().filter(|_| show_builtin);
            let builtin = builtin.map(|role| RoleName::new(role.name(), &call.database));
            let defined = known.iter().map(|role| role.name.clone());
            builtin
                .chain(defined.filter(|name| name.database == call.database))
                .collect()
        }
        name => vec![one(call, &known, name)?],
    };
    if privileges == Shown::AsOfUser {
        let fragment = fragment(&known, &names, show_restrictions);
        return Ok(doc! {"userFragment": fragment}.into());
    }
    let shown: Value = names
        .iter()
        .filter_map(|name| describe(&known, name, privileges == Shown::Yes))
        .map(|shown| match show_restrictions {
            true => shown
                .with("authenticationRestrictions", Value::Array(Vec::new()))
                .with("inheritedAuthenticationRestrictions", Value::Array(Vec::new())),
            false => shown,
        })
        .map(Value::Document)
        .collect();
    Ok(doc! {"roles": shown}.into())
}

/// Whether the privileges of roles are told, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    No,
    Yes,
    /// All together, as of a user who holds the roles.
    AsOfUser,
}

impl Shown {
    /// Reads `showPrivileges`.
    fn parse(arguments: &Arguments<'_>) -> Result<Shown> {
        match arguments.present("showPrivileges") {
            None => Ok(Shown::No),
            Some(ValueRef::String("asUserFragment")) => Ok(Shown::AsOfUser),
            Some(flag) if matches!(flag, ValueRef::Bool(_)) || flag.is_number() => {
                Ok(if is_true(Some(flag)) {
                    Shown::Yes
                } else {
                    Shown::No
                })
            }
            Some(other) => Err(CommandError::bad_value(format!(
                "Failed to parse 'showPrivileges'. 'showPrivileges' should either be a boolean or the string 'asUserFragment', \
                 not of type {}",
                other.type_of().alias()
            ))),
        }
    }
}

/// What a user who holds the roles would have of them.
fn fragment(known: &Roles, names: &[RoleName], show_restrictions: bool) -> Document {
    let mut fragment = doc! {
        "roles": names_value(names),
        "inheritedRoles": names_value(&known.with_inherited(names)),
        "inheritedPrivileges": known.privileges_of(names).describe(),
    };
    if show_restrictions {
        fragment.push("inheritedAuthenticationRestrictions", Value::Array(Vec::new()));
    }
    fragment
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
    let mut shown = Document::new();
    if defined.is_some() {
        shown.push("_id", format!("{}.{}", name.database, name.name));
    }
    shown.push("role", &name.name);
    shown.push("db", &name.database);
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
