//! Collections of the server's own, which clients read and cannot write: users and roles, which commands of their own change,
//! what the profiler records, and what is only described.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::running::profile::is_profile;
use crate::{tables, tables::users};
use code::Code;
use store::Namespace;

impl Engine {
    /// Refuses to write documents of the server's own.
    pub(crate) fn check_writable(&self, namespace: &Namespace) -> Result<()> {
        match is_profile(namespace) {
            true => Err(refused(namespace, "the profiler alone writes it")),
            false => self.check_nameable(namespace),
        }
    }

    /// Refuses to make a collection of this name, or to give one this name.
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

/// Refuses what holds users or roles: those are known by heart, so that a document that is changed behind them means nothing, and
/// a collection that is gone would let in anybody after the next start.
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
