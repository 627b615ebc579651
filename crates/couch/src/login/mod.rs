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

pub(crate) use cookie::Cookies;
pub(crate) use handlers::configured as handlers;
pub(crate) use password::by_password;

use crate::call::Call;
use crate::error::{CouchError, Result};
use crate::user::Handler;

/// Finds out who asks.
pub(crate) async fn authenticate(call: &mut Call) -> Result<()> {
    for handler in handlers::configured(&call.server.config) {
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
    if !call.server.engine.needs_login() && call.user.is_local {
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
