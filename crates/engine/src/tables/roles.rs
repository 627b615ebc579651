//! All user-defined roles, in memory.

use super::records::{each_document, log_unreadable, names_of_unreadable};
use crate::error::Result;
use auth::{Privileges, Role, RoleName, Roles};
use parking_lot::RwLock;
use std::sync::Arc;
use store::{Namespace, Store};
use tokio::sync::{Mutex, OwnedMutexGuard};
use value::Document;

/// All user-defined roles. Their documents are written first, then this table. Code that keeps something derived from them compares
/// the pointer to see whether it is still valid.
#[derive(Debug, Default)]
pub(crate) struct RoleTable {
    known: RwLock<Arc<Roles>>,
    /// Held while roles and users are changed, so that no two changes together make a circle or undo each other, and nobody gets
    /// a role that is being dropped.
    changing: Arc<Mutex<()>>,
}

/// The collection in which roles are kept.
pub(crate) fn namespace() -> Namespace {
    Namespace::new("admin", "system.roles")
}

impl RoleTable {
    /// Reads the roles from the store.
    pub(crate) async fn load(store: &Store) -> Result<RoleTable> {
        let mut roles = Roles::default();
        let namespace = namespace();
        each_document(store, &namespace, |document| {
            match Role::from_document(document.into()) {
                Ok(role) => roles.put(role),
                Err(error) => {
                    log_unreadable(&namespace, document, &error);
                    put_unreadable(&mut roles, document);
                }
            }
        })
        .await?;
        let table = RoleTable::default();
        *table.known.write() = Arc::new(roles);
        Ok(table)
    }

    /// Keeps all others from changing roles or users.
    pub(crate) async fn alone(&self) -> OwnedMutexGuard<()> {
        self.changing.clone().lock_owned().await
    }

    /// The roles of this moment.
    pub(crate) fn now(&self) -> Arc<Roles> {
        self.known.read().clone()
    }

    /// Changes the roles in memory.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Roles)) {
        let mut known = self.known.write();
        let mut roles = Roles::clone(&known);
        change(&mut roles);
        *known = Arc::new(roles);
    }
}

/// Keeps a role of which only the name can be read; it allows nothing.
fn put_unreadable(roles: &mut Roles, document: &Document) {
    let Some((database, name)) = names_of_unreadable(document, "role") else {
        return;
    };
    let name = RoleName { database, name };
    if roles.get(&name).is_none() {
        roles.put(Role {
            name,
            privileges: Privileges::default(),
            roles: Vec::new(),
        });
    }
}
