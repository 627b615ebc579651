//! Users: kept as documents of `admin.system.users`, known by heart.

use crate::passwords::PasswordsSeen;
use crate::{Engine, Error, Result};
use auth::User;
use kv::Durability;
use parking_lot::RwLock;
use query::Code;
use std::collections::BTreeMap;
use std::sync::Arc;
use store::{CommitOptions, Namespace, Outcome, Present, Store, StoreError, Target, Transformed, WriteOp};
use value::{DocumentBuf, Value};

type UserKey = (String, String);

/// All users by database and name; the documents are written first, this follows.
#[derive(Debug, Default)]
pub(crate) struct Users {
    known: RwLock<BTreeMap<UserKey, Arc<User>>>,
    passwords: PasswordsSeen,
}

fn namespace() -> Namespace {
    Namespace::new("admin", "system.users")
}

impl Users {
    /// Reads the users out of the store.
    pub(crate) async fn load(store: &Store) -> Result<Users> {
        let users = Users::default();
        let Some(collection) = store.collection(&namespace()) else {
            return Ok(users);
        };
        let snapshot = collection.snapshot().await?;
        let mut after = None;
        loop {
            let page = snapshot
                .records(after, kv::Order::Forward, kv::PageLimit::default())
                .await?;
            for record in page.iter() {
                after = Some(record.id);
                let user = User::from_document(&record.document.to_document()).map_err(|error| {
                    Error::new(Code(2), format!("a user in {} is damaged: {error}", namespace()))
                })?;
                users.known.write().insert(key(&user), Arc::new(user));
            }
            if page.exhausted() {
                return Ok(users);
            }
        }
    }
}

fn key(user: &User) -> UserKey {
    (user.database.clone(), user.name.clone())
}

impl Users {
    pub(crate) fn passwords(&self) -> &PasswordsSeen {
        &self.passwords
    }
}

impl Engine {
    /// Whether any user exists; from then on everybody must log in.
    pub fn has_users(&self) -> bool {
        !self.users().known.read().is_empty()
    }

    /// The user of this database and name.
    pub fn user(&self, database: &str, name: &str) -> Option<Arc<User>> {
        self.users()
            .known
            .read()
            .get(&(database.to_owned(), name.to_owned()))
            .cloned()
    }

    /// All users, by database and name.
    pub fn all_users(&self) -> Vec<Arc<User>> {
        self.users().known.read().values().cloned().collect()
    }

    /// Adds a user; fails where one of that database and name exists.
    pub async fn create_user(&self, user: User) -> Result<()> {
        if self.user(&user.database, &user.name).is_some() {
            let message = format!("User \"{}@{}\" already exists", user.name, user.database);
            return Err(Error::new(Code(51_003), message));
        }
        let document = DocumentBuf::from(&user.to_document());
        self.write_user(WriteOp::Insert(document)).await?;
        self.users().known.write().insert(key(&user), Arc::new(user));
        Ok(())
    }

    /// Puts `user` in place of the one of the same database and name.
    pub async fn replace_user(&self, user: User) -> Result<()> {
        let document = DocumentBuf::from(&user.to_document());
        self.change_user(&user.database, &user.name, move || {
            Transformed::Put(document.clone())
        })
        .await?;
        self.users().known.write().insert(key(&user), Arc::new(user));
        Ok(())
    }

    /// Removes a user.
    pub async fn drop_user(&self, database: &str, name: &str) -> Result<()> {
        self.change_user(database, name, || Transformed::Delete).await?;
        self.users()
            .known
            .write()
            .remove(&(database.to_owned(), name.to_owned()));
        Ok(())
    }

    async fn change_user(
        &self,
        database: &str,
        name: &str,
        change: impl Fn() -> Transformed + Send + 'static,
    ) -> Result<()> {
        let missing = || Error::new(Code(11), format!("User '{name}@{database}' not found"));
        let user = self.user(database, name).ok_or_else(missing)?;
        let transform = move |present: Option<Present<'_>>| -> Result<Transformed, StoreError> {
            Ok(if present.is_some() {
                change()
            } else {
                Transformed::NotMatched
            })
        };
        let target = Target::Id(Value::from(user.id()));
        self.write_user(WriteOp::Modify {
            target,
            transform: Box::new(transform),
        })
        .await
    }

    async fn write_user(&self, write: WriteOp) -> Result<()> {
        let collection = self.store().create_if_missing(&namespace()).await?;
        let options = CommitOptions {
            durability: Durability::Flushed,
            ..CommitOptions::default()
        };
        match collection.commit(vec![write], options).await?.pop() {
            Some(Outcome::Failed(error)) => Err(error.into()),
            _ => Ok(()),
        }
    }
}
