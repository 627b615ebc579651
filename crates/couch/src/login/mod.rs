//! Who asks: by basic authentication, by cookie, as a proxy or a token says, or nobody (`src/couch/src/couch_httpd_auth.erl`).
//!
//! The setting `authentication_handlers` of `[chttpd]` names the ways and their order; the first that finds somebody decides.
//!
//! The users are those of the MongoDB protocol, looked for in the databases `admin` and `default`. Where none exists, whoever
//! asks from the machine itself may do everything, and nobody else anything.

mod cookie;
mod handler;
mod jwt;
mod password;
mod proxy;

pub(crate) use cookie::Cookies;
pub(crate) use handler::{Handler, configured as handlers};
pub(crate) use password::{Passwords, by_password};

use crate::call::Call;
use crate::error::{CouchError, Result};
use auth::{Privileges, RoleKind};
use engine::Engine;
use std::net::SocketAddr;
use std::sync::Arc;
use value::Value;

/// The databases in which a name is looked for, in their order.
const USER_DATABASES: [&str; 2] = ["admin", "default"];

/// Who asks.
#[derive(Clone, Debug, Default)]
pub(crate) struct User {
    /// The name; none where nobody has logged in.
    pub(crate) name: Option<String>,
    /// The roles as CouchDB names them; `_admin` may do everything.
    pub(crate) roles: Vec<String>,
    /// How the user was known.
    pub(crate) handler: Option<Handler>,
    /// What the MongoDB protocol's roles allow besides.
    pub(crate) privileges: Option<Arc<Privileges>>,
    /// Whether the request comes from the machine itself.
    pub(crate) is_local: bool,
    /// A cookie that keeps the user logged in, where the one that came is old.
    pub(crate) cookie: Option<String>,
}

impl User {
    /// Nobody yet, from this address.
    pub(crate) fn at(peer: &SocketAddr) -> User {
        User {
            is_local: peer.ip().is_loopback(),
            ..User::default()
        }
    }

    /// Whoever this machine itself is: where no users exist, it may do everything, and else nothing.
    pub(crate) fn of_this_machine(engine: &Engine) -> User {
        let mut user = User {
            is_local: true,
            ..User::default()
        };
        if !engine.has_users() {
            user.roles.push("_admin".to_owned());
            user.handler = Some(Handler::Default);
        }
        user
    }

    /// The same user with the roles of this moment; nobody, if there is no such account any more.
    pub(crate) fn renewed(&self, engine: &Engine) -> User {
        match &self.name {
            None => User::of_this_machine(engine),
            Some(name) => match account(engine, name) {
                Some(account) => User::of(&account, Handler::Default, true),
                None => User::default(),
            },
        }
    }

    /// Whether the user may do everything.
    pub(crate) fn is_admin(&self) -> bool {
        self.roles.iter().any(|role| role == "_admin")
    }

    /// Whoever has this account.
    fn of(account: &auth::User, handler: Handler, is_local: bool) -> User {
        User {
            name: Some(account.name.clone()),
            roles: roles(account),
            handler: Some(handler),
            privileges: Some(Arc::new(account.privileges())),
            is_local,
            cookie: None,
        }
    }

    /// Whoever another service knows under this name.
    fn known_elsewhere(name: String, roles: Vec<String>, handler: Handler, is_local: bool) -> User {
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
pub(crate) fn roles(account: &auth::User) -> Vec<String> {
    let mut roles = Vec::new();
    if account.roles.iter().any(|role| role.kind == RoleKind::Root) {
        roles.push("_admin".to_owned());
    }
    let noted = account.custom_data.as_ref().and_then(|data| data.get("roles"));
    if let Some(Value::Array(noted)) = noted {
        roles.extend(noted.iter().filter_map(|role| match role {
            // Only the store's own role makes an administrator.
            Value::String(role) if !role.starts_with('_') => Some(role.clone()),
            _ => None,
        }));
    }
    roles
}

/// Finds out who asks.
pub(crate) async fn authenticate(call: &mut Call) -> Result<()> {
    for handler in handler::configured(&call.server.config) {
        let found = match handler {
            Handler::Cookie => cookie::user(call).await?,
            Handler::Proxy => proxy::user(call),
            Handler::Jwt => jwt::user(call)?,
            Handler::Default => password::user(call).await?,
        };
        if let Some(user) = found {
            call.user = user;
            return Ok(());
        }
    }
    if !call.server.engine.has_users() && call.user.is_local {
        call.user.roles.push("_admin".to_owned());
        call.user.handler = Some(Handler::Default);
        return Ok(());
    }
    require_valid_user(call)
}

/// Refuses those who did not log in, where the settings `require_valid_user` and `require_valid_user_except_for_up` say so. To try
/// to log in is open to all.
fn require_valid_user(call: &Call) -> Result<()> {
    let config = &call.server.config;
    let path: Vec<&str> = call.path.iter().map(String::as_str).collect();
    let always = config.is_on("chttpd", "require_valid_user");
    let except_for_up = config.is_on("chttpd", "require_valid_user_except_for_up");
    let is_required = match path[..] {
        ["_session"] if call.method == http::Method::POST => false,
        ["_up"] => always && !except_for_up,
        _ => always || except_for_up,
    };
    match is_required {
        true => Err(CouchError::unauthorized("Authentication required.")),
        false => Ok(()),
    }
}

/// The account of this name.
pub(crate) fn account(engine: &Engine, name: &str) -> Option<Arc<auth::User>> {
    USER_DATABASES
        .iter()
        .find_map(|database| engine.user(database, name))
}
