//! Who asks: by basic authentication, by cookie, as a proxy or a token says, or nobody (`src/couch/src/couch_httpd_auth.erl`).
//!
//! The setting `authentication_handlers` of `[chttpd]` names the ways and their order; the first that finds somebody decides.
//!
//! If no users exist, requests from the machine itself may do everything, and others nothing.

mod cookie;
mod handlers;
mod jwt;
mod lockout;
mod password;
mod proxy;
mod totp;
mod visitor;

pub use cookie::Cookies;
pub use handlers::configured as handlers;
pub use password::by_password;
pub use visitor::{Logins, Visitor};

use crate::error::{CouchError, Result};
use crate::user::{Handler, User};
use http::Method;

/// Finds out who asks.
pub async fn authenticate(visitor: &Visitor<'_>) -> Result<User> {
    for handler in handlers::configured(visitor.config) {
        let found = match handler {
            Handler::Cookie => cookie::user(visitor).await?,
            Handler::Proxy => proxy::user(visitor),
            Handler::Jwt => jwt::user(visitor)?,
            Handler::Default => password::user(visitor).await?,
        };
        if let Some(user) = found {
            return Ok(user);
        }
    }
    let mut user = User::at(&visitor.peer);
    if !visitor.engine.needs_login() && user.is_local {
        user.roles.push("_admin".to_owned());
        user.handler = Some(Handler::Default);
        return Ok(user);
    }
    require_valid_user(visitor).map(|()| user)
}

/// Refuses those who did not log in, where the settings `require_valid_user` and `require_valid_user_except_for_up` say so. To try
/// to log in is open to all.
fn require_valid_user(visitor: &Visitor<'_>) -> Result<()> {
    let config = visitor.config;
    let path: Vec<&str> = visitor.path.iter().map(String::as_str).collect();
    let always = config.is_on("chttpd", "require_valid_user");
    let except_for_up = config.is_on("chttpd", "require_valid_user_except_for_up");
    let is_required = match path[..] {
        ["_session"] if visitor.method == Method::POST => false,
        ["_up"] => always && !except_for_up,
        _ => always || except_for_up,
    };
    match is_required {
        true => Err(CouchError::unauthorized("Authentication required.")),
        false => Ok(()),
    }
}
