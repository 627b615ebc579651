//! Users: kept as documents of `admin.system.users`, known by heart.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::tables::users::namespace;
use auth::{Action, Resource, User};
use code::Code;
use kv::Durability;
use std::sync::Arc;
use store::{CommitOptions, Outcome, Present, StoreError, Target, Transformed, WriteOp};
use value::{DocumentBuf, Value};

/// The databases that are looked through for a user whose name says none.
const DATABASES: [&str; 2] = ["admin", "default"];

/// Whether a user may make others, and give them any role.
fn administers_users(user: &User) -> bool {
    let privileges = user.privileges();
    let admin = Resource::Database("admin");
    [Action::CreateUser, Action::GrantRole]
        .iter()
        .all(|action| privileges.allows(*action, admin))
}

impl Engine {
    /// Whether any user exists; from then on everybody must log in.
    pub fn has_users(&self) -> bool {
        !self.users().is_empty()
    }

    /// The user of this database and name.
    pub fn user(&self, database: &str, name: &str) -> Option<Arc<User>> {
        self.users().get(database, name)
    }

    /// All users, by database and name.
    pub fn all_users(&self) -> Vec<Arc<User>> {
        self.users().all()
    }

    /// Adds a user; fails where one of that database and name exists, and where it is the first but could not add
    /// others: from then on everybody must log in.
    pub async fn create_user(&self, user: User) -> Result<()> {
        if self.user(&user.database, &user.name).is_some() {
            let message = format!("User \"{}@{}\" already exists", user.name, user.database);
            return Err(Error::new(Code::location(51_003), message));
        }
        if !self.has_users() && !administers_users(&user) {
            let message = "The first user must be able to administer users, or nobody could from then on: \
                           give the role root or userAdminAnyDatabase of database admin, or create an administrator first";
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        let document = DocumentBuf::from(&user.to_document());
        self.write_user(WriteOp::Insert(document)).await?;
        self.users().put(user);
        Ok(())
    }

    /// Puts `user` in place of the one of the same database and name.
    pub async fn replace_user(&self, user: User) -> Result<()> {
        let document = DocumentBuf::from(&user.to_document());
        self.change_user(&user.database, &user.name, move || {
            Transformed::Put(document.clone())
        })
        .await?;
        self.users().put(user);
        Ok(())
    }

    /// Removes a user.
    pub async fn drop_user(&self, database: &str, name: &str) -> Result<()> {
        self.change_user(database, name, || Transformed::Delete).await?;
        self.users().remove(database, name);
        Ok(())
    }

    /// The user of this name and password; none where there is no such user or the password is another. The name is
    /// looked for in the databases `admin` and `default`; `name@database` names another one.
    pub async fn log_in(&self, name: &str, password: &str) -> Option<Arc<User>> {
        let named = name
            .rsplit_once('@')
            .and_then(|(name, database)| self.user(database, name));
        let unnamed = || DATABASES.iter().find_map(|database| self.user(database, name));
        let user = named.or_else(unnamed)?;
        let is_good = self.users().passwords().is_good(&user, password).await;
        is_good.then_some(user)
    }

    async fn change_user(
        &self,
        database: &str,
        name: &str,
        change: impl Fn() -> Transformed + Send + 'static,
    ) -> Result<()> {
        let missing = || {
            Error::new(
                Code::USER_NOT_FOUND,
                format!("User '{name}@{database}' not found"),
            )
        };
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
