//! Documents of `_users` are the users of the MongoDB protocol: writing one makes, changes or drops the user of that name.
//!
//! The document keeps what CouchDB keeps of it: of the password a key that is derived from it, by which other stores know the user
//! when the document comes to them. This one goes by the user's SCRAM credentials, which the MongoDB protocol changes too. A
//! user who has none yet logs in by the key once ([`adopt`]), and so does one whose password was changed in another store.
//!
//! Whoever does not administer the database reads and changes the own document, and no other.

mod adopt;
mod conflicts;
mod derived;
mod edits;
mod ending;
mod requirements;
mod upgrade;

pub(crate) use adopt::adopt;
pub(crate) use conflicts::check_usable;
pub use edits::{edit, purge};
pub use ending::{end_all, end_marked};
pub(crate) use upgrade::{Upgrades, upgrade_soon};

use crate::config::Config;
use crate::database::Database;
use crate::error::{CouchError, Result};
use crate::ids::{self, name_of_user};
use crate::names;
use crate::security::Permission;
use crate::user::{self, User};
use adopt::Kept;
use auth::{Mechanism, RoleName};
use engine::{Edit, EditOrigin, Engine, Revision, RevisionedCollection};
use http::StatusCode;
use std::time::Duration;
use value::{Document, DocumentBuf, Value, doc};

/// The database in which users are made.
const DATABASE: &str = "admin";

/// The member with the salt of its document's key in the custom data of an account without credentials: cookies end with that password.
pub(crate) const SALT: &str = "salt";

/// How long a new database of users is without its design document.
const DESIGN_DELAY: Duration = Duration::from_secs(1);

/// What a written user document makes of a user.
#[derive(Debug)]
pub struct UserChange {
    name: String,
    /// A new password; none leaves it as it is, unless the document comes with the key of another one.
    password: Option<String>,
    /// What the document knew of the password before.
    known: Option<Kept>,
    /// The key that the document holds of the new password.
    made: Option<Kept>,
    roles: Vec<Value>,
}

impl UserChange {
    fn removal(name: &str) -> UserChange {
        UserChange {
            name: name.to_owned(),
            password: None,
            known: None,
            made: None,
            roles: Vec::new(),
        }
    }

    /// Whether these are the fields of the document that was written, as far as its key tells: each new password has a salt of its own.
    fn has_made(&self, fields: &Document) -> bool {
        self.made.is_some() && Kept::read(fields) == self.made
    }

    /// Whether the user's password is another one since the document is this: it was changed in another store, which sent its key.
    fn is_rekeyed(&self, fields: &Document) -> bool {
        let (None, Some(known)) = (&self.password, &self.known) else {
            return false;
        };
        Kept::read(fields).is_some_and(|kept| kept.replaces(known))
    }
}

/// Checks a user document that is to be written, and takes its password out. Without fields it is a deletion.
///
/// The rules are those of CouchDB's own design document `_auth` (`src/couch/include/couch_js_functions.hrl`) and of
/// `src/couch/src/couch_users_db.erl` (`before_doc_update`).
pub async fn prepare(
    engine: &Engine,
    config: &Config,
    database: &Database,
    id: &str,
    fields: Option<&mut Document>,
) -> Result<Option<UserChange>> {
    if id.starts_with(ids::DESIGN) {
        return Ok(None);
    }
    let user = &database.user;
    let is_admin = database.permission == Permission::Administer;
    let is_own = name_of_user(id).is_some() && name_of_user(id) == user.name.as_deref();
    // Whoever is nobody yet may become somebody.
    if !is_admin && !is_own && user.name.is_some() {
        return Err(CouchError::missing());
    }
    let snapshot = database.snapshot().await?;
    let present = snapshot.document(Value::from(id).as_ref()).await?;
    let present = present.map(|record| record.document.to_document());
    check_account(engine, user, id, present.as_ref())?;
    let Some(fields) = fields else {
        if !is_admin && !is_own {
            return Err(CouchError::forbidden("Only admins may delete other user docs."));
        }
        return Ok(removal(id, present.as_ref()));
    };
    let (name, roles) = check(id, fields, database.name == names::USERS)?;
    if let Some(present) = &present
        && present.get("name") != Some(&Value::from(name.as_str()))
    {
        return Err(CouchError::forbidden("Usernames can not be changed."));
    }
    if !is_admin {
        check_own(user, present.as_ref(), &name, &roles)?;
    }
    check_reserved(&name, &roles)?;
    let password = match fields.remove("password") {
        Some(Value::String(password)) => Some(password),
        None | Some(Value::Null) => None,
        Some(_) => return Err(CouchError::forbidden("Password must be a string.")),
    };
    if let Some(password) = &password {
        requirements::check(config, password)?;
        derived::put(config, password, fields).await?;
    }
    derived::check(fields)?;
    Ok(Some(UserChange {
        name,
        made: password.as_ref().and_then(|_| Kept::read(fields)),
        password,
        known: present.as_ref().and_then(Kept::read),
        roles,
    }))
}

/// Refuses to let a document make something of an account that is more than documents made of it: one of which there is no document,
/// or that has roles of the MongoDB protocol. Otherwise anybody could become an administrator by taking the name of one. Such an account
/// is for server administrators and its owner.
fn check_account(engine: &Engine, asker: &User, id: &str, present: Option<&Document>) -> Result<()> {
    let name = name_of_user(id);
    // A user whom a proxy or a token names has the name, but not the account.
    let has_account = asker.privileges.is_some();
    if asker.is_admin() || (has_account && name.is_some() && asker.name.as_deref() == name) {
        return Ok(());
    }
    let account = name.and_then(|name| user::account(engine, name));
    match account.is_some_and(|account| present.is_none() || !account.roles.is_empty()) {
        true => Err(CouchError::forbidden("There is an account of this name already.")),
        false => Ok(()),
    }
}

/// What the end of a document makes of its user; one that is not there makes nothing.
fn removal(id: &str, present: Option<&Document>) -> Option<UserChange> {
    let (name, present) = (name_of_user(id)?, present?);
    Some(UserChange {
        known: Kept::read(present),
        ..UserChange::removal(name)
    })
}

/// The name and the roles of a document that has the form of a user. Under another name than CouchDB's own a database of users is
/// filled before CouchDB knows that it is one, so documents without a type may be users there too.
fn check(id: &str, fields: &Document, is_strict: bool) -> Result<(String, Vec<Value>)> {
    let forbidden = |reason: &'static str| CouchError::forbidden(reason);
    let kind = fields.get("type");
    let is_untyped = kind.is_none() && !is_strict;
    if kind != Some(&Value::from("user")) && !is_untyped {
        return Err(forbidden("doc.type must be user"));
    }
    let name = match fields.get("name") {
        Some(Value::String(name)) if !name.is_empty() => name.clone(),
        _ => return Err(forbidden("doc.name is required")),
    };
    let roles = match fields.get("roles") {
        None | Some(Value::Null) => return Err(forbidden("doc.roles must exist")),
        Some(Value::Array(roles)) => roles.clone(),
        Some(_) => return Err(forbidden("doc.roles must be an array")),
    };
    if !roles.iter().all(|role| matches!(role, Value::String(_))) {
        return Err(forbidden("doc.roles can only contain strings"));
    }
    if name_of_user(id) != Some(name.as_str()) {
        return Err(forbidden("Doc ID must be of the form org.couchdb.user:name"));
    }
    Ok((name, roles))
}

/// What users may do with their own document: everything but to change their roles.
fn check_own(user: &User, present: Option<&Document>, name: &str, roles: &[Value]) -> Result<()> {
    let Some(present) = present else {
        return match roles.is_empty() {
            true => Ok(()),
            false => Err(CouchError::forbidden("Only _admin may set roles")),
        };
    };
    if user.name.as_deref() != Some(name) {
        return Err(CouchError::forbidden(
            "You may only update your own user document.",
        ));
    }
    let sorted = |roles: &[Value]| {
        let mut names: Vec<String> = roles
            .iter()
            .filter_map(|role| role.as_ref().as_str().map(str::to_owned))
            .collect();
        names.sort();
        names
    };
    let before = match present.get("roles") {
        Some(Value::Array(roles)) => sorted(roles),
        _ => Vec::new(),
    };
    match before == sorted(roles) {
        true => Ok(()),
        false => Err(CouchError::forbidden("Only _admin may edit roles")),
    }
}

/// Names and roles that nobody may have.
fn check_reserved(name: &str, roles: &[Value]) -> Result<()> {
    let is_reserved =
        |role: &Value| matches!(role, Value::String(role) if role.starts_with('_') && role != user::METRICS);
    if roles.iter().any(is_reserved) {
        return Err(CouchError::forbidden(
            "No system roles (starting with underscore) in users db.",
        ));
    }
    if name.starts_with('_') {
        return Err(CouchError::forbidden("Username may not start with underscore."));
    }
    match name.contains(':') {
        true => Err(CouchError::forbidden(
            "Character `:` is not allowed in usernames.",
        )),
        false => Ok(()),
    }
}

/// The database of users, if it is there.
fn stored(engine: &Engine, config: &Config) -> Result<Option<RevisionedCollection>> {
    Ok(engine.revisioned(&names::namespace(&config.users_database()))?)
}

/// Puts the design document that a database of users has, unless it is there. The rules themselves are part of the server, so that
/// they hold whatever becomes of the document.
async fn put_design(users: &RevisionedCollection) -> Result<()> {
    let design = doc! {
        "_id": "_design/_auth",
        "language": "javascript",
        "validate_doc_update": "function (newDoc, oldDoc, userCtx, secObj) {\n  // The server itself checks documents of users.\n}",
    };
    let edit = Edit {
        document: DocumentBuf::from(&design),
        deleted: false,
        origin: EditOrigin::After(None),
    };
    // One that is there already is in conflict with this one, and stays.
    users.edit(vec![edit], true).await?;
    Ok(())
}

/// Puts it after a while. A new database of users is empty, as it is in CouchDB, where whoever follows the database puts it.
pub fn put_design_soon(users: RevisionedCollection) {
    tokio::spawn(async move {
        tokio::time::sleep(DESIGN_DELAY).await;
        if users.is_dropped() {
            return;
        }
        if let Err(error) = put_design(&users).await {
            tracing::debug!(%error, "the database of users has no design document");
        }
    });
}

/// Makes the database that the settings name the one of users: ends the accounts that another one made, and gives it its design
/// document, if it exists.
pub async fn prepare_database(engine: &Engine, config: &Config) -> Result<()> {
    ending::end_others(engine, &config.users_database()).await?;
    match stored(engine, config)? {
        Some(users) => put_design(&users).await,
        None => Ok(()),
    }
}

/// What becomes of a user of whose document revisions are to be purged, unless others are left; `None` where it is the document of none.
pub async fn purging(engine: &Engine, database: &Database, id: &Value) -> Result<Option<UserChange>> {
    let Some(text) = id.as_str().filter(|_| database.is_users) else {
        return Ok(None);
    };
    let present = database.snapshot().await?.document(id.as_ref()).await?;
    let present = present.map(|record| record.document.to_document());
    check_account(engine, &database.user, text, present.as_ref())?;
    Ok(removal(text, present.as_ref()))
}

/// Applies a written revision of a document to its account if it is the winner. Else the account follows the winner, and ends only
/// where no revision is left: a conflict that loses, or is deleted, changes nothing. Where it is not known whether the revision was
/// written (`None`), the key in the document tells.
async fn settle(
    engine: &Engine,
    database: &Database,
    written: Option<&Revision>,
    change: UserChange,
) -> Result<()> {
    let id = format!("{}{}", ids::USER, change.name);
    let snapshot = database.snapshot().await?;
    let Some(seen) = snapshot.document(Value::from(id.as_str()).as_ref()).await? else {
        return ending::end(engine, &change.name).await;
    };
    let fields = seen.document.to_document();
    if change.is_rekeyed(&fields) {
        forget_password(engine, &change.name).await?;
    }
    let change = match written == Some(&seen.revision()) || change.has_made(&fields) {
        true => change,
        false => {
            let is_strict = false;
            let Ok((name, roles)) = check(&id, &fields, is_strict) else {
                return Ok(());
            };
            UserChange {
                name,
                password: None,
                known: None,
                made: None,
                roles,
            }
        }
    };
    let name = change.name.clone();
    apply(engine, &database.name, change, &fields).await?;
    // A drop of the database meanwhile may have looked for its accounts before this one was there.
    match database.collection.is_dropped() {
        true => ending::end(engine, &name).await,
        false => Ok(()),
    }
}

/// Takes a user's credentials away, so that the document's key is asked when somebody logs in under the name. Those of administrators
/// are no matter of a document.
async fn forget_password(engine: &Engine, name: &str) -> Result<()> {
    let Some(present) = user::account(engine, name).filter(|present| !engine.is_root(present)) else {
        return Ok(());
    };
    let forget = |user: &mut auth::User| -> Result<()> {
        user.credentials.clear();
        Ok(())
    };
    engine.change_user(&present.database, &present.name, forget).await
}

/// Applies the fields of a document in `database` to its account.
///
/// A user who needs one-time passwords gets no credentials of SCRAM, since the password alone would do for the other protocols; CouchDB's
/// logins check the key in the document. A document does not change an administrator's credentials.
async fn apply(engine: &Engine, database: &str, change: UserChange, fields: &Document) -> Result<()> {
    let present = user::account(engine, &change.name);
    let is_root = present.as_ref().is_some_and(|present| engine.is_root(present));
    let needs_token = fields.get("totp").is_some() && !is_root;
    let credentials = match (&change.password, &present) {
        (Some(_), _) | (None, Some(_)) if needs_token => Vec::new(),
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
    data.set(ending::MADE_IN, database);
    match Kept::read(fields).filter(|_| needs_token) {
        Some(kept) => data.set(SALT, kept.salt),
        None => drop(data.remove(SALT)),
    }
    put(engine, present.as_deref(), &change.name, credentials, None, data).await
}

/// Makes an administrator, or gives one another password.
pub async fn put_admin(engine: &Engine, name: &str, password: &str) -> Result<()> {
    let present = user::account(engine, name);
    let credentials = hash(name, password).await?;
    let data = present
        .as_ref()
        .and_then(|present| present.custom_data.clone())
        .unwrap_or_default();
    let root = Some(RoleName::root());
    put(engine, present.as_deref(), name, credentials, root, data).await
}

async fn put(
    engine: &Engine,
    present: Option<&auth::User>,
    name: &str,
    credentials: auth::UserCredentials,
    role: Option<RoleName>,
    data: Document,
) -> Result<()> {
    let change = |user: &mut auth::User| -> Result<()> {
        user.credentials = credentials;
        user.roles.extend(role.filter(|role| !user.roles.contains(role)));
        user.custom_data = Some(data).filter(|data| *data != doc! {});
        Ok(())
    };
    if let Some(present) = present {
        return engine.change_user(&present.database, &present.name, change).await;
    }
    let mut user = auth::User {
        database: DATABASE.to_owned(),
        name: name.to_owned(),
        uuid: uuid::Uuid::new_v4().into_bytes(),
        credentials: Vec::new(),
        roles: Vec::new(),
        custom_data: None,
    };
    change(&mut user)?;
    Ok(engine.create_user(user).await?)
}

/// Drops the user of a name, if there is one.
pub async fn drop_user(engine: &Engine, name: &str) -> Result<()> {
    match user::account(engine, name) {
        Some(user) => Ok(engine.drop_user(&user.database, &user.name).await?),
        None => Ok(()),
    }
}

/// The names of the administrators.
pub fn admins(engine: &Engine) -> Vec<String> {
    let users = engine.all_users().into_iter().filter(|user| engine.is_root(user));
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
