//! Databases of CouchDB are collections: `readings` is `default.readings`, `fleet/readings` is `fleet.readings`. A dollar sign,
//! which names of collections cannot have, is `%24` in them, as in a URL.

use crate::error::{CouchError, Result};
use engine::files::Bucket;
use engine::{Engine, Namespace};
use http::StatusCode;

/// The database in which bare names are.
const DEFAULT_DATABASE: &str = "default";
/// What stands after a collection's name in that of the bucket of its attachments.
const ATTACHMENTS: &str = ".attachments";
/// The database of users.
pub const USERS: &str = "_users";
/// The last part of the names of databases whose documents ask for replications.
pub const REPLICATOR: &str = "_replicator";
/// Names with an underscore in front, which only these may have.
const SYSTEM_NAMES: [&str; 3] = [USERS, REPLICATOR, "_global_changes"];

/// What stands in names of collections for what only names of databases here have.
const DOLLAR: (&str, &str) = ("$", "%24");

/// The collection of a database's name.
pub fn namespace(name: &str) -> Namespace {
    let name = &*name.replace(DOLLAR.0, DOLLAR.1);
    match name.split_once('/') {
        Some((database, collection)) if !database.is_empty() && !collection.is_empty() => {
            Namespace::new(database, collection)
        }
        _ => Namespace::new(DEFAULT_DATABASE, name),
    }
}

/// The database's name of a collection.
pub fn name(namespace: &Namespace) -> String {
    let name = match namespace.database == DEFAULT_DATABASE {
        true => namespace.collection.clone(),
        false => format!("{}/{}", namespace.database, namespace.collection),
    };
    match name.contains(DOLLAR.1) {
        true => name.replace(DOLLAR.1, DOLLAR.0),
        false => name,
    }
}

/// Refuses a name that a new database cannot have (`src/couch/src/couch_db.erl`, `validate_dbname`).
pub fn check(name: &str) -> Result<()> {
    let is_legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_$()+-/".contains(c);
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(is_legal);
    if is_plain || SYSTEM_NAMES.contains(&name) {
        return Ok(());
    }
    Err(CouchError::new(
        StatusCode::BAD_REQUEST,
        "illegal_database_name",
        format!(
            "Name: '{name}'. Only lowercase characters (a-z), digits (0-9), and any of the characters _, $, (, ), +, -, \
             and / are allowed. Must begin with a letter."
        ),
    ))
}

/// Whether a name with an underscore in front is a database's.
pub fn is_system(name: &str) -> bool {
    SYSTEM_NAMES.contains(&name)
}

/// Whether a database is the system's, or ends in the name of one (`src/couch/src/couch_partition.erl`, `validate_dbname`).
pub fn is_of_system(name: &str) -> bool {
    let last = name.rsplit('/').next().unwrap_or(name);
    is_system(name) || matches!(last, USERS | REPLICATOR)
}

/// Whether the documents of a database ask for replications.
pub fn is_replicator(name: &str) -> bool {
    name == REPLICATOR || name.ends_with("/_replicator")
}

/// The names of all databases, sorted.
pub fn all(engine: &Engine) -> Vec<String> {
    let mut names = Vec::new();
    for database in engine.databases() {
        for entry in engine.collections(&database) {
            let namespace = Namespace::new(&database, &entry.name);
            if !entry.is_view && namespace.is_shown_everywhere() {
                names.push(name(&namespace));
            }
        }
    }
    names.sort();
    names
}

/// The bucket of a database's attachments.
pub fn attachments(namespace: &Namespace) -> Bucket {
    Bucket::new(
        &namespace.database,
        format!("{}{ATTACHMENTS}", namespace.collection),
    )
}

/// The collections of a bucket of attachments, which go with their database.
pub fn attachment_collections(namespace: &Namespace) -> [Namespace; 2] {
    let bucket = attachments(namespace);
    [bucket.files(), bucket.chunks()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_collections_are_told_apart_by_the_slash() {
        for (name_here, database, collection) in [
            ("readings", "default", "readings"),
            ("fleet/readings", "fleet", "readings"),
            ("a$b$/c$", "a%24b%24", "c%24"),
        ] {
            let namespace = namespace(name_here);
            assert_eq!(
                (namespace.database.as_str(), namespace.collection.as_str()),
                (database, collection)
            );
            assert_eq!(name(&namespace), name_here);
        }
    }

    #[test]
    fn only_lowercase_names_are_made() {
        for right in ["a", "a1_$()+-/", "_users"] {
            assert!(check(right).is_ok(), "{right}");
        }
        for wrong in ["", "A", "1a", "_odd", "a.b", "a b"] {
            assert!(check(wrong).is_err(), "{wrong}");
        }
    }
}
