//! The server's own collections, which clients can read and not write: users and roles, which are changed by their own commands, the
//! profiler's records, and described collections.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::running::profile::is_profile;
use crate::{tables, tables::users};
use code::Code;
use store::Namespace;

impl Engine {
    /// Fails for collections that only the server writes.
    pub(crate) fn check_writable(&self, namespace: &Namespace) -> Result<()> {
        match is_profile(namespace) {
            true => Err(refused(namespace, "the profiler alone writes it")),
            false => self.check_nameable(namespace),
        }
    }

    /// Fails if clients may not give a collection this name.
    pub(crate) fn check_nameable(&self, namespace: &Namespace) -> Result<()> {
        if self.is_described(namespace) {
            return Err(refused(
                namespace,
                "its documents say what there is, and are made when they are read",
            ));
        }
        check_no_accounts(namespace)
    }
}

/// Fails for the collections of users and roles. These are kept in memory, so a changed document would have no effect, and without
/// the collection anybody would be let in after the next start.
pub(crate) fn check_no_accounts(namespace: &Namespace) -> Result<()> {
    let commands = if *namespace == users::namespace() {
        "createUser, updateUser, dropUser and a delete change users"
    } else if *namespace == tables::roles::namespace() {
        "createRole, updateRole and dropRole change roles"
    } else {
        return Ok(());
    };
    Err(refused(namespace, commands))
}

fn refused(namespace: &Namespace, why: &str) -> Error {
    let message = format!("cannot write to '{namespace}': {why}");
    Error::new(Code::INVALID_NAMESPACE, message)
}
