//! What databases and collections may be called.

use crate::error::{Error, Result};
use crate::limits::{DATABASE_NAME_BYTES_MAX, NAMESPACE_BYTES_MAX};
use query::Code;
use store::Namespace;

/// MongoDB's rules for a database's name.
pub(crate) fn check_database(database: &str) -> Result<()> {
    let forbidden = |c: char| matches!(c, '/' | '\\' | '.' | ' ' | '"' | '$' | '\0');
    if database.is_empty() || database.len() > DATABASE_NAME_BYTES_MAX || database.contains(forbidden) {
        let message = format!("Invalid database name: '{database}'");
        return Err(Error::new(Code::INVALID_NAMESPACE, message));
    }
    Ok(())
}

/// MongoDB's rules for a collection's full name.
pub(crate) fn check_namespace(namespace: &Namespace) -> Result<()> {
    check_database(&namespace.database)?;
    let name = &namespace.collection;
    let wrong = name.is_empty()
        || name.starts_with('.')
        || name.ends_with('.')
        || name.contains(['$', '\0'])
        || namespace.database.len() + 1 + name.len() > NAMESPACE_BYTES_MAX;
    if wrong {
        return Err(Error::new(
            Code::INVALID_NAMESPACE,
            format!("Invalid collection name: {namespace}"),
        ));
    }
    Ok(())
}
