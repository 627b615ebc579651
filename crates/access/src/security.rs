//! Who may use a database: its security object, and the roles of the MongoDB protocol (`src/couch/src/couch_db.erl`,
//! `check_is_member`, `check_is_admin`).

use crate::error::{CouchError, Result};
use crate::ids;
use crate::user::User;
use auth::{Action, Resource};
use engine::Namespace;
use http::StatusCode;
use value::{Document, Value};

/// What a user may do with one database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Permission {
    /// Nothing.
    Nothing,
    /// Read and write the own document of the database of users.
    Own,
    /// Read documents.
    Read,
    /// Read and write documents.
    Write,
    /// Change design documents and the database itself too.
    Administer,
}

/// What the user may do. Where no security object was ever set, only administrators come in.
pub fn permission(user: &User, namespace: &Namespace, security: Option<&Document>) -> Permission {
    let nothing = Document::new();
    let is_stated = security.is_some();
    let security = security.unwrap_or(&nothing);
    if user.is_admin() || is_listed(user, security, "admins") || allows(user, namespace, &[Action::CollMod]) {
        return Permission::Administer;
    }
    let is_public = is_stated && is_empty(security, "members");
    if is_public
        || is_listed(user, security, "members")
        || allows(user, namespace, &[Action::Insert, Action::Update, Action::Remove])
    {
        return Permission::Write;
    }
    match may_find(user, namespace) {
        true => Permission::Read,
        false => Permission::Nothing,
    }
}

/// Why a user may not use a database.
pub fn refusal(user: &User) -> CouchError {
    match user.name {
        None => CouchError::unauthorized("You are not authorized to access this db."),
        Some(_) => CouchError::forbidden("You are not allowed to access this db."),
    }
}

/// Why a user may not administer a database.
pub fn admin_refusal(user: &User) -> CouchError {
    let reason = "You are not a db or server admin.";
    match user.name {
        None => CouchError::unauthorized(reason),
        Some(_) => CouchError::forbidden(reason),
    }
}

/// Refuses a user who is not a server administrator.
pub fn require_server_admin(user: &User) -> Result<()> {
    match user.is_admin() {
        true => Ok(()),
        false => Err(CouchError::unauthorized("You are not a server admin.")),
    }
}

/// Whether a user who may not administer the database of users may read one of its documents.
pub fn check_readable(user: &User, id: &str) -> Result<()> {
    if id.starts_with(ids::DESIGN) {
        return Err(design_refusal());
    }
    match user.name.is_some() && ids::name_of_user(id) == user.name.as_deref() {
        true => Ok(()),
        false => Err(CouchError::missing()),
    }
}

/// Why users may not use views of their database.
pub fn design_refusal() -> CouchError {
    CouchError::forbidden("Only administrators can view design docs in the users database.")
}

/// Whether the MongoDB protocol's roles let a user read all documents.
pub fn may_find(user: &User, namespace: &Namespace) -> bool {
    allows(user, namespace, &[Action::Find])
}

fn allows(user: &User, namespace: &Namespace, actions: &[Action]) -> bool {
    let resource = Resource::Collection(&namespace.database, &namespace.collection);
    user.privileges
        .as_ref()
        .is_some_and(|privileges| actions.iter().all(|&action| privileges.allows(action, resource)))
}

fn list<'d>(security: &'d Document, group: &str, kind: &str) -> &'d [Value] {
    // Before CouchDB 1.1 members were called readers.
    let named = match (security.get(group), group) {
        (None, "members") => security.get("readers"),
        (named, _) => named,
    };
    let Some(Value::Document(group)) = named else {
        return &[];
    };
    match group.get(kind) {
        Some(Value::Array(listed)) => listed,
        _ => &[],
    }
}

fn is_empty(security: &Document, group: &str) -> bool {
    list(security, group, "names").is_empty() && list(security, group, "roles").is_empty()
}

fn is_listed(user: &User, security: &Document, group: &str) -> bool {
    let is = |listed: &Value, text: &str| matches!(listed, Value::String(listed) if listed == text);
    let by_name = user.name.as_ref().is_some_and(|name| {
        list(security, group, "names")
            .iter()
            .any(|listed| is(listed, name))
    });
    let roles = list(security, group, "roles");
    by_name
        || user
            .roles
            .iter()
            .any(|role| roles.iter().any(|listed| is(listed, role)))
}

/// The object that a database without one has: nobody but administrators.
pub const DEFAULT: &str = r#"{"members":{"roles":["_admin"]},"admins":{"roles":["_admin"]}}"#;

/// Refuses a security object of the wrong form (`src/couch/src/couch_db.erl`, `validate_security_object`), with the status that
/// CouchDB gives.
pub fn check(security: &Document) -> Result<()> {
    let refused = |reason: String| {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Err(CouchError::new(status, "unknown_error", reason))
    };
    for group in ["admins", "members", "readers"] {
        match security.get(group) {
            None | Some(Value::Document(_)) => {}
            Some(_) => {
                return refused("admins or members must be a JSON list of strings".to_owned());
            }
        }
        for kind in ["names", "roles"] {
            let Some(Value::Document(inner)) = security.get(group) else {
                continue;
            };
            let is_right = match inner.get(kind) {
                None => true,
                Some(Value::Array(listed)) => listed.iter().all(|one| matches!(one, Value::String(_))),
                Some(_) => false,
            };
            if !is_right {
                return refused(format!("{kind} must be a JSON list of strings"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    fn user(name: &str, roles: &[&str]) -> User {
        User {
            name: Some(name.to_owned()),
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
            ..User::default()
        }
    }

    fn allowed(user: &User, security: &Document) -> Permission {
        permission(user, &Namespace::new("default", "db"), Some(security))
    }

    #[test]
    fn without_a_security_object_only_administrators_come_in() {
        let allowed = |user: &User| permission(user, &Namespace::new("default", "db"), None);
        assert_eq!(allowed(&user("anna", &[])), Permission::Nothing);
        assert_eq!(allowed(&user("root", &["_admin"])), Permission::Administer);
    }

    #[test]
    fn members_are_known_by_name_and_by_role() {
        let security = doc! {
            "admins": doc! {"names": Value::Array(vec![Value::from("boss")])},
            "members": doc! {"roles": Value::Array(vec![Value::from("reader")])},
        };
        assert_eq!(allowed(&user("boss", &[]), &security), Permission::Administer);
        assert_eq!(allowed(&user("anna", &["reader"]), &security), Permission::Write);
        assert_eq!(allowed(&user("anna", &[]), &security), Permission::Nothing);
    }

    #[test]
    fn a_database_without_members_is_everybodys() {
        let security = doc! {"admins": doc! {"names": Value::Array(vec![Value::from("boss")])}};
        assert_eq!(allowed(&User::default(), &security), Permission::Write);
        assert_eq!(allowed(&User::default(), &Document::new()), Permission::Write);
    }

    #[test]
    fn readers_are_members_where_no_members_are_named() {
        let readers = doc! {"readers": doc! {"names": Value::Array(vec![Value::from("anna")])}};
        assert_eq!(allowed(&user("anna", &[]), &readers), Permission::Write);
        assert_eq!(allowed(&user("bert", &[]), &readers), Permission::Nothing);
    }
}
