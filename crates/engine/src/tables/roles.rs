//! All user-defined roles, known by heart.

use super::records::{each_document, log_unreadable, names_of_unreadable};
use crate::error::Result;
use auth::{Privileges, Role, RoleName, Roles};
use parking_lot::RwLock;
use std::sync::Arc;
use store::{Namespace, Store};
use tokio::sync::{Mutex, OwnedMutexGuard};
use value::Document;

/// All user-defined roles; the documents are written first, this follows. Whoever keeps what comes of them sees by the pointer
/// whether it still holds.
#[derive(Debug, Default)]
pub(crate) struct RoleTable {
    known: RwLock<Arc<Roles>>,
    /// Held while roles and users are changed: no two changes make a circle together or undo each other, and nobody is given a
    /// role that is being dropped.
    changing: Arc<Mutex<()>>,
}

/// The collection in which roles are kept.
pub(crate) fn namespace() -> Namespace {
    Namespace::new("admin", "system.roles")
}

impl RoleTable {
    /// Reads the roles out of the store.
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

    /// Lets nobody else change roles or users.
    pub(crate) async fn alone(&self) -> OwnedMutexGuard<()> {
        self.changing.clone().lock_owned().await
    }

    /// The roles of this moment.
    pub(crate) fn now(&self) -> Arc<Roles> {
        self.known.read().clone()
    }

    /// Changes what is known.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Roles)) {
        let mut known = self.known.write();
        let mut roles = Roles::clone(&known);
        change(&mut roles);
        *known = Arc::new(roles);
    }
}

/// Keeps a role of which no more than the name can be read: it allows nothing.
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
