//! All users, in memory.

use super::passwords::PasswordsSeen;
use super::records::{each_document, log_unreadable, names_of_unreadable};
use crate::error::Result;
use auth::User;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use store::{Namespace, Store};
use value::Document;

type UserKey = (String, String);

/// All users by database and name. Their documents are written first, then this table.
#[derive(Debug, Default)]
pub(crate) struct Users {
    known: RwLock<Known>,
    /// Whether `known` has any; kept apart, since each request reads it and should take no lock.
    has_some: AtomicBool,
    passwords: PasswordsSeen,
    is_login_waived: AtomicBool,
}

#[derive(Debug, Default)]
struct Known {
    named: BTreeMap<UserKey, Arc<User>>,
    /// Whether there are users whose names cannot even be read. They cannot log in, but while they exist logins are required.
    has_nameless: bool,
}

/// The collection in which users are kept.
pub(crate) fn namespace() -> Namespace {
    Namespace::new("admin", "system.users")
}

impl Users {
    /// Reads the users from the store.
    pub(crate) async fn load(store: &Store) -> Result<Users> {
        let users = Users::default();
        let namespace = namespace();
        each_document(store, &namespace, |document| {
            match User::from_document(document) {
                Ok(user) => users.put(user),
                Err(error) => {
                    log_unreadable(&namespace, document, &error);
                    users.put_unreadable(document);
                }
            }
        })
        .await?;
        Ok(users)
    }

    /// Reads the users from the store again, after documents were removed there.
    pub(crate) async fn reload(&self, store: &Store) -> Result<()> {
        let now = Users::load(store).await?;
        self.change(|known| *known = now.known.into_inner());
        Ok(())
    }

    /// Whether there is no user, not even one whose document cannot be read.
    pub(crate) fn is_empty(&self) -> bool {
        !self.has_some.load(Ordering::Acquire)
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        let mut known = self.known.write();
        change(&mut known);
        let has_some = known.has_nameless || !known.named.is_empty();
        self.has_some.store(has_some, Ordering::Release);
    }

    pub(crate) fn is_login_waived(&self) -> bool {
        self.is_login_waived.load(Ordering::Relaxed)
    }

    pub(crate) fn waive_login(&self) {
        self.is_login_waived.store(true, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, database: &str, name: &str) -> Option<Arc<User>> {
        let key = (database.to_owned(), name.to_owned());
        self.known.read().named.get(&key).cloned()
    }

    /// All of them, by database and name.
    pub(crate) fn all(&self) -> Vec<Arc<User>> {
        self.known.read().named.values().cloned().collect()
    }

    /// Puts a user in place of one of the same database and name.
    pub(crate) fn put(&self, user: User) {
        self.change(|known| drop(known.named.insert(key(&user), Arc::new(user))));
    }

    /// Keeps a user of whom only the name can be read, without credentials and roles.
    fn put_unreadable(&self, document: &Document) {
        let Some((database, name)) = names_of_unreadable(document, "user") else {
            return self.change(|known| known.has_nameless = true);
        };
        let user = User {
            database,
            name,
            uuid: uuid::Uuid::new_v4().into_bytes(),
            credentials: Vec::new(),
            roles: Vec::new(),
            custom_data: None,
        };
        // One of the same name that can be read is who logs in.
        self.change(|known| {
            known.named.entry(key(&user)).or_insert_with(|| Arc::new(user));
        });
    }

    pub(crate) fn remove(&self, database: &str, name: &str) {
        let key = (database.to_owned(), name.to_owned());
        self.change(|known| drop(known.named.remove(&key)));
    }

    pub(crate) fn passwords(&self) -> &PasswordsSeen {
        &self.passwords
    }
}

fn key(user: &User) -> UserKey {
    (user.database.clone(), user.name.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::doc;

    #[test]
    fn there_are_users_from_the_first_one_until_the_last_is_removed() {
        let user = |name: &str| User {
            database: "admin".to_owned(),
            name: name.to_owned(),
            uuid: [0; 16],
            credentials: Vec::new(),
            roles: Vec::new(),
            custom_data: None,
        };
        let users = Users::default();
        assert!(users.is_empty());
        users.put(user("ann"));
        users.put(user("bob"));
        users.remove("admin", "ann");
        assert!(!users.is_empty());
        users.remove("admin", "bob");
        assert!(users.is_empty());
        users.put_unreadable(&doc! {"_id": 1});
        users.put(user("ann"));
        users.remove("admin", "ann");
        assert!(!users.is_empty(), "one has no name that can be read");
    }
}
