//! Whom a document of `_replicator` acts as (`src/couch_replicator/src/couch_replicator_parse.erl`, `parse_rep_user_ctx`).
//!
//! `user_ctx` names an account of this server, as whom local databases are reached; without it, they are reached as nobody,
//! unless there are no users and everybody on this machine may do everything. Addresses say themselves who asks.

use crate::error::{CouchError, Result};
use crate::user::User;
use engine::Engine;
use http::StatusCode;
use serde_json::{Map, Value};

/// The member that names the account.
const MEMBER: &str = "user_ctx";

/// The user that a document acts as. Its roles are those that the account has; a document that names others is refused.
pub(super) fn user(engine: &Engine, wish: &Map<String, Value>) -> Result<User> {
    let context = match wish.get(MEMBER) {
        None | Some(Value::Null) => return Ok(User::of_this_machine(engine)),
        Some(Value::Object(context)) => context,
        Some(_) => return Err(wrong("`user_ctx` must be a JSON object")),
    };
    if !engine.needs_login() {
        return Ok(User::of_this_machine(engine));
    }
    let name = match context.get("name") {
        Some(Value::String(name)) => name.clone(),
        None | Some(Value::Null) => return Ok(User::default()),
        Some(_) => return Err(wrong("`user_ctx.name` must be a string")),
    };
    let named = User {
        name: Some(name.clone()),
        ..User::default()
    };
    let user = named.renewed(engine);
    if user.name.is_none() {
        return Err(wrong(&format!(
            "`user_ctx` names the user {name}, whom this server does not know"
        )));
    }
    for role in roles(context)? {
        if !user.roles.contains(&role) {
            return Err(wrong(&format!(
                "`user_ctx` names the role {role}, which the user {name} has not"
            )));
        }
    }
    Ok(user)
}

/// Refuses a document by which somebody would act as somebody else.
pub(crate) fn check(user: &User, document: &Map<String, Value>) -> Result<()> {
    let Some(context) = document.get(MEMBER).filter(|context| !context.is_null()) else {
        return Ok(());
    };
    let is_own = context.get("name").and_then(Value::as_str) == user.name.as_deref();
    match is_own || user.is_admin() {
        true => Ok(()),
        false => Err(CouchError::new(
            StatusCode::FORBIDDEN,
            "forbidden",
            "The given `user_ctx` is not valid: it names another user than you",
        )),
    }
}

fn roles(context: &Map<String, Value>) -> Result<Vec<String>> {
    match context.get("roles") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(roles)) => {
            let role = |role: &Value| role.as_str().map(str::to_owned);
            let roles: Option<Vec<String>> = roles.iter().map(role).collect();
            roles.ok_or_else(|| wrong("`user_ctx.roles` must be an array of strings"))
        }
        Some(_) => Err(wrong("`user_ctx.roles` must be an array of strings")),
    }
}

fn wrong(reason: &str) -> CouchError {
    CouchError::bad_request(reason.to_owned())
}
