//! The user as whom a document of `_replicator` acts (`src/couch_replicator/src/couch_replicator_parse.erl`, `parse_rep_user_ctx`).
//!
//! `user_ctx` names an account of this server, as whom local databases are reached; without it, they are reached as nobody,
//! unless there are no users and everybody on this machine may do everything. Addresses say themselves who asks.

use super::states;
use crate::incoming::Incoming;
use crate::json;
use access::error::{CouchError, Result};
use access::user::User;
use engine::Engine;
use peer::request::ReplicationCommand;
use serde_json::{Map, Value};
use value::{Document, DocumentBuf, Value as Bson};

/// The member that names the account.
const MEMBER: &str = "user_ctx";

/// The member that tells who has written the document. Only an administrator leaves another there.
const OWNER: &str = "owner";

/// The user that a document acts as.
pub(super) fn user(engine: &Engine, wish: &Map<String, Value>) -> Result<User> {
    let owner = wish.get(OWNER).and_then(Value::as_str);
    Ok(User {
        asks_anywhere: owner.is_some_and(|name| User::named(engine, name).is_admin()),
        ..acting(engine, wish)?
    })
}

/// The same by `user_ctx` alone. Its roles are those that the account has; a document that names others is refused.
fn acting(engine: &Engine, wish: &Map<String, Value>) -> Result<User> {
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
    let user = User::named(engine, &name);
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

/// Notes who writes a document, and refuses one by which somebody would act as somebody else, or that asks for nothing that could
/// be done (`src/couch_replicator/src/couch_replicator_docs.erl`, `before_doc_update`). What another store has taken is taken here.
pub(crate) fn prepare(engine: &Engine, user: &User, document: &mut Incoming, is_given: bool) -> Result<()> {
    if user.has_name_of_another(engine) && !user.is_admin() {
        let reason = "There is an account of your name, as which the replication would run.";
        return Err(CouchError::forbidden(reason));
    }
    let (mut fields, own) = (document.fields(), user.name.as_deref());
    let owner = fields.get(OWNER).and_then(|owner| owner.as_ref().as_str());
    let has_other = owner.is_some() && owner != own;
    let acts_as_other = match fields.get(MEMBER) {
        None | Some(Bson::Null) => false,
        Some(Bson::Document(context)) => context.get("name").and_then(|name| name.as_ref().as_str()) != own,
        Some(_) => own.is_some(),
    };
    if has_other && !user.is_admin() {
        return Err(CouchError::forbidden(
            "Can't update replication documents from other users.",
        ));
    }
    if acts_as_other && !user.is_admin() {
        let reason = "The given `user_ctx` is not valid: it names another user than you";
        return Err(CouchError::forbidden(reason));
    }
    if !is_given && !document.deleted {
        check(&fields)?;
    }
    if let Some(own) = own.filter(|_| !has_other && !document.deleted) {
        fields.set(OWNER, own);
        document.set_fields(&fields);
    }
    Ok(())
}

/// Refuses what is no request for a replication; a document whose replication has failed for that may say so.
fn check(fields: &Document) -> Result<()> {
    let fields = json::object(&DocumentBuf::from(fields));
    if states::of(&fields) == Some(states::FAILED) {
        return Ok(());
    }
    match ReplicationCommand::parse(&fields) {
        Ok(_) => Ok(()),
        Err(wrong) => Err(CouchError::forbidden(wrong.reason)),
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
