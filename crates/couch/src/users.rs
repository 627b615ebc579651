//! Documents of `_users` are the users of the MongoDB protocol: writing one makes, changes or drops the user of that name.
//!
//! The document keeps what CouchDB keeps of it, but for the password, of which only the user's SCRAM credentials are made.

use crate::error::{CouchError, Result};
use crate::incoming::Incoming;
use crate::login;
use auth::{Mechanism, Role, RoleKind};
use engine::Engine;
use http::StatusCode;
use value::{Document, Value, doc};

/// What ids of user documents begin with.
const PREFIX: &str = "org.couchdb.user:";
/// The database in which users are made.
const DATABASE: &str = "admin";

/// What a written user document makes of a user.
#[derive(Debug)]
pub(crate) struct UserChange {
    name: String,
    /// A new password; none leaves it as it is.
    password: Option<String>,
    roles: Vec<Value>,
    deleted: bool,
}

/// The name of a user document's id.
pub(crate) fn name_of(id: &str) -> Option<&str> {
    id.strip_prefix(PREFIX)
}

/// Checks a user document (`share/server/…/_auth`, CouchDB's own design document) and takes its password out.
pub(crate) fn prepare(id: &str, document: &mut Incoming) -> Result<Option<UserChange>> {
    if id.starts_with(crate::ids::DESIGN) {
        return Ok(None);
    }
    let forbidden = |reason: &'static str| CouchError::forbidden(reason);
    let name = name_of(id)
        .ok_or_else(|| forbidden("Document _id must be of the form `org.couchdb.user:name`"))?
        .to_owned();
    if document.deleted {
        return Ok(Some(UserChange {
            name,
            password: None,
            roles: Vec::new(),
            deleted: true,
        }));
    }
    let mut fields = document.fields();
    if fields.get("type") != Some(&Value::from("user")) {
        return Err(forbidden("doc.type must be user"));
    }
    if fields.get("name") != Some(&Value::from(name.as_str())) {
        return Err(forbidden("Docid must be of the form org.couchdb.user:name"));
    }
    let Some(Value::Array(roles)) = fields.get("roles").cloned() else {
        return Err(forbidden("doc.roles must exist"));
    };
    for role in &roles {
        match role {
            Value::String(role) if role.starts_with('_') => {
                return Err(forbidden(
                    "No system roles (starting with underscore) in users db.",
                ));
            }
            Value::String(_) => {}
            _ => return Err(forbidden("doc.roles can only contain strings")),
        }
    }
    let password = match fields.remove("password") {
        Some(Value::String(password)) => Some(password),
        None | Some(Value::Null) => None,
        Some(_) => return Err(forbidden("Password must be a string.")),
    };
    fields.set("password_scheme", "scram");
    document.set_fields(&fields);
    Ok(Some(UserChange {
        name,
        password,
        roles,
        deleted: false,
    }))
}

/// Does what a written document says.
pub(crate) async fn apply(engine: &Engine, change: UserChange) -> Result<()> {
    if change.deleted {
        return drop_user(engine, &change.name).await;
    }
    let present = login::account(engine, &change.name);
    let credentials = match (&change.password, &present) {
        (Some(password), _) => hash(&change.name, password).await?,
        (None, Some(present)) => present.credentials.clone(),
        // A document without a password is nobody who could log in.
        (None, None) => return Ok(()),
    };
    let mut data = present
        .as_ref()
        .and_then(|present| present.custom_data.clone())
        .unwrap_or_default();
    data.set("roles", Value::Array(change.roles));
    put(engine, present.as_deref(), &change.name, credentials, None, data).await
}

/// Makes an administrator, or gives one another password.
pub(crate) async fn put_admin(engine: &Engine, name: &str, password: &str) -> Result<()> {
    let present = login::account(engine, name);
    let credentials = hash(name, password).await?;
    let data = present
        .as_ref()
        .and_then(|present| present.custom_data.clone())
        .unwrap_or_default();
    let root = Role {
        kind: RoleKind::Root,
        database: DATABASE.to_owned(),
    };
    put(engine, present.as_deref(), name, credentials, Some(root), data).await
}

async fn put(
    engine: &Engine,
    present: Option<&auth::User>,
    name: &str,
    credentials: auth::UserCredentials,
    role: Option<Role>,
    data: Document,
) -> Result<()> {
    let mut user = present.cloned().unwrap_or_else(|| auth::User {
        database: DATABASE.to_owned(),
        name: name.to_owned(),
        uuid: uuid::Uuid::new_v4().into_bytes(),
        credentials: Vec::new(),
        roles: Vec::new(),
        custom_data: None,
    });
    user.credentials = credentials;
    user.roles.extend(role.filter(|role| !user.roles.contains(role)));
    user.custom_data = Some(data).filter(|data| *data != doc! {});
    match present {
        Some(_) => engine.replace_user(user).await?,
        None => engine.create_user(user).await?,
    }
    Ok(())
}

/// Drops the user of a name, if there is one.
pub(crate) async fn drop_user(engine: &Engine, name: &str) -> Result<()> {
    match login::account(engine, name) {
        Some(user) => Ok(engine.drop_user(&user.database, &user.name).await?),
        None => Ok(()),
    }
}

/// The names of the administrators.
pub(crate) fn admins(engine: &Engine) -> Vec<String> {
    let is_admin = |user: &auth::User| user.roles.iter().any(|role| role.kind == RoleKind::Root);
    let users = engine.all_users().into_iter().filter(|user| is_admin(user));
    users.map(|user| user.name.clone()).collect()
}

async fn hash(name: &str, password: &str) -> Result<auth::UserCredentials> {
    let (name, password) = (name.to_owned(), password.to_owned());
    let hashed = tokio::task::spawn_blocking(move || {
        auth::User::derive_credentials(&name, &password, &Mechanism::ALL)
    });
    let failed = |reason: String| CouchError::new(StatusCode::BAD_REQUEST, "bad_request", reason);
    hashed
        .await
        .map_err(|error| failed(error.to_string()))?
        .map_err(|error| failed(error.to_string()))
}
