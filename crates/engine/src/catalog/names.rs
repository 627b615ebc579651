//! The rules for names of databases and collections.

use crate::error::{Error, Result};
use code::Code;
use store::Namespace;

/// MongoDB's rules for a database's name.
pub(crate) fn check_database(database: &str) -> Result<()> {
    if !Namespace::is_database_name(database) {
        let message = format!("Invalid database name: '{database}'");
        return Err(Error::new(Code::INVALID_NAMESPACE, message));
    }
    Ok(())
}

/// MongoDB's rules for a collection's full name.
pub(crate) fn check_namespace(namespace: &Namespace) -> Result<()> {
    check_database(&namespace.database)?;
    if !namespace.is_well_formed() {
        return Err(Error::new(
            Code::INVALID_NAMESPACE,
            format!("Invalid collection name: {namespace}"),
        ));
    }
    Ok(())
}
