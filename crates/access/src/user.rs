//! Who asks, and what accounts say of whoever has them.
//!
//! The accounts are the users of the MongoDB protocol, looked for in the databases `admin` and `default`.

use auth::Privileges;
use engine::Engine;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use value::Value;

/// The databases in which a name is looked for, in their order.
const USER_DATABASES: [&str; 2] = ["admin", "default"];

/// The role of those who read figures of the server.
pub const METRICS: &str = "_metrics";

/// How a user was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handler {
    /// By the cookie of a session.
    Cookie,
    /// By headers that a proxy sets.
    Proxy,
    /// By a signed token.
    Jwt,
    /// By name and password.
    Default,
}

impl Handler {
    /// The name under which `_session` shows it.
    pub fn name(self) -> &'static str {
        match self {
            Handler::Cookie => "cookie",
            Handler::Proxy => "proxy",
            Handler::Jwt => "jwt",
            Handler::Default => "default",
        }
    }
}

impl fmt::Display for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who asks.
#[derive(Clone, Debug, Default)]
pub struct User {
    /// The name; `None` if nobody has logged in.
    pub name: Option<String>,
    /// The roles as CouchDB names them; `_admin` may do everything.
    pub roles: Vec<String>,
    /// How the user was known.
    pub handler: Option<Handler>,
    /// What the MongoDB protocol's roles allow besides.
    pub privileges: Option<Arc<Privileges>>,
    /// Whether the request comes from the machine itself.
    pub is_local: bool,
    /// A cookie that keeps the user logged in, where the one that came is old.
    pub cookie: Option<String>,
    /// Whether the user's replications may ask private addresses, as those of administrators may.
    pub asks_anywhere: bool,
}

impl User {
    /// Nobody yet, from this address.
    pub fn at(peer: &SocketAddr) -> User {
        User {
            // A listener of IPv6 sees addresses of IPv4 within its own.
            is_local: peer.ip().to_canonical().is_loopback(),
            ..User::default()
        }
    }

    /// Whoever this machine itself is: where no users exist, it may do everything, and else nothing.
    pub fn of_this_machine(engine: &Engine) -> User {
        let mut user = User {
            is_local: true,
            ..User::default()
        };
        if !engine.needs_login() {
            user.roles.push("_admin".to_owned());
            user.handler = Some(Handler::Default);
        }
        user
    }

    /// The same user with the roles of this moment; nobody, if there is no such account any more. Whom a proxy or a token named has no
    /// account, even where there is one of that name, and keeps the roles that came with the name.
    pub fn renewed(&self, engine: &Engine) -> User {
        match (&self.name, self.handler) {
            (None, _) => User::of_this_machine(engine),
            (Some(_), Some(Handler::Proxy | Handler::Jwt)) => self.clone(),
            (Some(name), _) => User::named(engine, name),
        }
    }

    /// The user of the account of this name; the anonymous user if there is no such account.
    pub fn named(engine: &Engine, name: &str) -> User {
        match account(engine, name) {
            Some(account) => User::of(engine, &account, Handler::Default, true),
            None => User::default(),
        }
    }

    /// Whether the name is that of an account which somebody else has: a proxy or a token named this user so.
    pub fn has_name_of_another(&self, engine: &Engine) -> bool {
        let name = self.name.as_deref();
        self.privileges.is_none() && name.is_some_and(|name| account(engine, name).is_some())
    }

    /// Whether the user may do everything.
    pub fn is_admin(&self) -> bool {
        self.roles.iter().any(|role| role == "_admin")
    }

    /// Whoever has this account.
    pub fn of(engine: &Engine, account: &auth::User, handler: Handler, is_local: bool) -> User {
        User {
            name: Some(account.name.clone()),
            roles: roles(engine, account),
            handler: Some(handler),
            privileges: Some(Arc::new(engine.privileges(account))),
            is_local,
            ..User::default()
        }
    }

    /// Whoever another service knows under this name.
    pub fn known_elsewhere(name: String, roles: Vec<String>, handler: Handler, is_local: bool) -> User {
        User {
            name: Some(name),
            roles,
            handler: Some(handler),
            is_local,
            ..User::default()
        }
    }
}

/// The roles of an account as CouchDB names them.
pub fn roles(engine: &Engine, account: &auth::User) -> Vec<String> {
    let mut roles = Vec::new();
    if engine.is_root(account) {
        roles.push("_admin".to_owned());
    }
    let noted = account.custom_data.as_ref().and_then(|data| data.get("roles"));
    if let Some(Value::Array(noted)) = noted {
        roles.extend(noted.iter().filter_map(|role| match role {
            // Only the store's own role makes an administrator.
            Value::String(role) if !role.starts_with('_') || role == METRICS => Some(role.clone()),
            _ => None,
        }));
    }
    roles
}

/// The account of this name.
pub fn account(engine: &Engine, name: &str) -> Option<Arc<auth::User>> {
    USER_DATABASES
        .iter()
        .find_map(|database| engine.user(database, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known_by_both_families_of_addresses() {
        let is_local = |peer: &str| User::at(&peer.parse().unwrap()).is_local;
        for peer in ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"] {
            assert!(is_local(peer), "{peer}");
        }
        assert!(!is_local("[::ffff:10.0.0.1]:1"));
    }
}
