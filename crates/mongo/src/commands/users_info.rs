//! `usersInfo`.

use super::listing_filter::ListingFilter;
use super::roles::{NameForm, means_all};
use crate::arguments::Arguments;
use crate::call::Call;
use crate::error::{CommandError, Result};
use crate::wire::Reply;
use auth::{Action, Resource, User};
use code::Code;
use std::sync::Arc;
use value::{Document, Value, ValueRef, doc};

/// The ways to log in that MongoDB knows.
const MECHANISMS: [&str; 7] = [
    "MONGODB-X509",
    "PLAIN",
    "GSSAPI",
    "SCRAM-SHA-1",
    "SCRAM-SHA-256",
    "MONGODB-AWS",
    "MONGODB-OIDC",
];

/// The users that are asked for.
enum Wanted {
    /// Those of the command's database.
    Here,
    /// Those of all databases.
    Everywhere,
    /// These, by name and database.
    Named(Vec<(String, String)>),
}

/// What is told of each.
struct Shown {
    credentials: bool,
    custom_data: bool,
    /// Whether all that the user inherits is told too.
    inherited: bool,
    restrictions: bool,
}

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let arguments = call.arguments();
    let wanted = Wanted::parse(call, arguments.any("usersInfo").unwrap_or(ValueRef::Null))?;
    let shown = Shown::parse(&arguments)?;
    check_mechanism(&arguments)?;
    let given_filter = arguments.document("filter")?;
    let filter = ListingFilter::parse(&arguments.decoded("filter")?)?;
    arguments.finish()?;
    wanted.check_access(call)?;
    let is_exact = matches!(wanted, Wanted::Named(_)) && given_filter.is_none();
    if shown.inherited && !is_exact {
        return Err(CommandError::new(
            Code::ILLEGAL_OPERATION,
            "Privilege or restriction details require exact-match usersInfo queries",
        ));
    }
    let mut users = Vec::new();
    for user in wanted.matching(call, shown.inherited) {
        let described = shown.describe(call, &user);
        if filter.matches(&described)? {
            users.push(Value::Document(described));
        }
    }
    Ok(Reply {
        body: doc! {"users": Value::Array(users)},
        is_secret: shown.credentials,
        ..Reply::default()
    })
}

impl Wanted {
    fn parse(call: &Call<'_>, wanted: ValueRef<'_>) -> Result<Wanted> {
        let is_set = |value: ValueRef<'_>| match value {
            ValueRef::Bool(flag) => flag,
            ValueRef::Null | ValueRef::Undefined => false,
            number if number.is_number() => number.as_f64() != Some(0.0),
            _ => true,
        };
        match wanted {
            all if means_all(all) => Ok(Wanted::Here),
            ValueRef::Document(document) if document.get("forAllDBs").is_some_and(is_set) => {
                Ok(Wanted::Everywhere)
            }
            ValueRef::Array(names) => {
                let names = names.iter().map(|name| parse_name(call, name));
                Ok(Wanted::Named(names.collect::<Result<_>>()?))
            }
            name => Ok(Wanted::Named(vec![parse_name(call, name)?])),
        }
    }

    /// Refuses a client that may not see these users; oneself anybody may see.
    fn check_access(&self, call: &Call<'_>) -> Result<()> {
        let view = |database| call.require(Action::ViewUser, Resource::Database(database));
        match self {
            Wanted::Here => view(&call.database),
            Wanted::Everywhere => view(""),
            Wanted::Named(names) => {
                let own = call.connection.login.user();
                names
                    .iter()
                    .filter(|(name, database)| {
                        !own.is_some_and(|own| own.name == *name && own.database == *database)
                    })
                    .try_for_each(|(_, database)| view(database))
            }
        }
    }

    /// Those that there are: in the order of their names and each once, or else as they are asked for.
    fn matching(&self, call: &Call<'_>, as_asked: bool) -> Vec<Arc<User>> {
        let engine = &call.server.engine;
        let mut users = match self {
            Wanted::Named(names) => {
                let users = names
                    .iter()
                    .filter_map(|(name, database)| engine.user(database, name));
                users.collect()
            }
            Wanted::Everywhere => engine.all_users(),
            Wanted::Here => {
                let mut users = engine.all_users();
                users.retain(|user| user.database == call.database);
                users
            }
        };
        if !as_asked {
            users.sort_by(|a, b| (&a.name, &a.database).cmp(&(&b.name, &b.database)));
            users.dedup_by(|a, b| (&a.name, &a.database) == (&b.name, &b.database));
        }
        users
    }
}

impl Shown {
    fn parse(arguments: &Arguments<'_>) -> Result<Shown> {
        let privileges = arguments.flag("showPrivileges")?.unwrap_or(false);
        let restrictions = arguments.flag("showAuthenticationRestrictions")?.unwrap_or(false);
        Ok(Shown {
            credentials: arguments.flag("showCredentials")?.unwrap_or(false),
            custom_data: arguments.flag("showCustomData")?.unwrap_or(true),
            inherited: privileges || restrictions,
            restrictions,
        })
    }

    fn describe(&self, call: &Call<'_>, user: &User) -> Document {
        let engine = &call.server.engine;
        let mut described = user.describe(self.credentials, self.custom_data);
        if self.inherited {
            let inherited = engine.roles().with_inherited(&user.roles);
            described.push("inheritedRoles", auth::names_value(&inherited));
            described.push("inheritedPrivileges", engine.privileges(user).describe());
            described.push("inheritedAuthenticationRestrictions", Value::Array(Vec::new()));
        }
        if self.restrictions {
            described.push("authenticationRestrictions", Value::Array(Vec::new()));
        }
        described
    }
}

/// Checks `authenticatedMechanism`, by which MongoDB's routers say how a user logged in. Nothing that is told depends on it.
fn check_mechanism(arguments: &Arguments<'_>) -> Result<()> {
    match arguments.string("authenticatedMechanism")? {
        Some(name) if !MECHANISMS.contains(&name) => Err(CommandError::bad_value(format!(
            "'{name}' is no mechanism of authentication: there are {}",
            MECHANISMS.join(", ")
        ))),
        _ => Ok(()),
    }
}

/// The name of a user of this database, or `{user, db}`.
fn parse_name(call: &Call<'_>, name: ValueRef<'_>) -> Result<(String, String)> {
    match name {
        ValueRef::String(name) => Ok((name.to_owned(), call.database.clone())),
        ValueRef::Document(document) => NameForm::USER.parse(document),
        _ => Err(NameForm::USER.refused()),
    }
}
