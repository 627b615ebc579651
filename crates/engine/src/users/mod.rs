//! Users: documents of `admin.system.users`, which are also kept in memory.

pub(crate) mod roles;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::tables::attempts::TooManyAttempts;
use crate::tables::users::namespace;
use auth::{Action, Privileges, Resource, RoleName, User};
use code::Code;
use kv::Durability;
use query::write::{self, DeleteRequest, Deleted, WriteOptions};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use store::{
    Collection, CommitOptions, Namespace, Outcome, Present, StoreError, Target, Transformed, WriteOp,
    to_the_end,
};
use tokio::sync::OwnedMutexGuard;
use value::{DocumentBuf, Value};

/// The databases that are searched for a user whose name does not include one.
const DATABASES: [&str; 2] = ["admin", "default"];

impl Engine {
    /// Whether any user exists.
    pub fn has_users(&self) -> bool {
        !self.users().is_empty()
    }

    /// Whether everybody must log in: from the first user on, unless that is waived.
    pub fn needs_login(&self) -> bool {
        self.has_users() && !self.users().is_login_waived()
    }

    /// Lets everybody do everything although users exist, until the engine is closed.
    pub fn waive_login(&self) {
        self.users().waive_login();
    }

    /// The user of this database and name.
    pub fn user(&self, database: &str, name: &str) -> Option<Arc<User>> {
        self.users().get(database, name)
    }

    /// All users, by database and name.
    pub fn all_users(&self) -> Vec<Arc<User>> {
        self.users().all()
    }

    /// What the user's roles allow, with all that they inherit.
    pub fn privileges(&self, user: &User) -> Privileges {
        self.roles().privileges_of(&user.roles)
    }

    /// Whether the user holds the role that may do everything.
    pub fn is_root(&self, user: &User) -> bool {
        self.roles()
            .with_inherited(&user.roles)
            .contains(&RoleName::root())
    }

    /// Whether a user may make others, and give them any role.
    fn administers_users(&self, user: &User) -> bool {
        let privileges = self.privileges(user);
        let admin = Resource::Database("admin");
        [Action::CreateUser, Action::GrantRole]
            .iter()
            .all(|action| privileges.allows(*action, admin))
    }

    /// Adds a user. Fails if one with that database and name exists, or if it is the first and could not add others: from
    /// then on everybody must log in.
    pub async fn create_user(&self, user: User) -> Result<()> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        to_the_end_alone(alone, async move { engine.add_user(user).await }).await
    }

    async fn add_user(&self, user: User) -> Result<()> {
        self.roles().check(&user.roles)?;
        if self.user(&user.database, &user.name).is_some() {
            let message = format!("User \"{}@{}\" already exists", user.name, user.database);
            return Err(Error::new(Code::location(51_003), message));
        }
        if !self.has_users() && !self.administers_users(&user) {
            let message = "The first user must be able to administer users, or nobody could from then on: \
                           give the role root or userAdminAnyDatabase of database admin, or create an administrator first";
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        let document = DocumentBuf::from(&user.to_document());
        let insert = WriteOp::Insert(document);
        self.write_account(&namespace(), insert, || self.users().put(user))
            .await
    }

    /// Changes a user. Changes are made one after the other, so the change sees exactly the user that it replaces.
    pub async fn change_user<E: From<Error>>(
        &self,
        database: &str,
        name: &str,
        change: impl FnOnce(&mut User) -> Result<(), E>,
    ) -> Result<(), E> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let present = self.existing_user(database, name)?;
        let mut user = User::clone(&present);
        change(&mut user)?;
        let mut added = user.roles.clone();
        added.retain(|role| !present.roles.contains(role));
        self.roles().check(&added).map_err(Error::from)?;
        let changed = to_the_end_alone(alone, async move { engine.put_user(user).await });
        Ok(changed.await?)
    }

    /// Removes a user.
    pub async fn drop_user(&self, database: &str, name: &str) -> Result<()> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let user = self.existing_user(database, name)?;
        to_the_end_alone(alone, async move { engine.drop_existing(&user).await }).await
    }

    /// Removes the users of a database, and returns their number.
    pub async fn drop_users(&self, database: &str) -> Result<usize> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let mut users = self.all_users();
        users.retain(|user| user.database == database);
        to_the_end_alone(alone, async move {
            for user in &users {
                engine.drop_existing(user).await?;
            }
            Ok(users.len())
        })
        .await
    }

    /// Removes the users whose documents these requests match; that is on the disk then, as after each change of users.
    pub(crate) async fn delete_users(
        &self,
        collection: &Arc<Collection>,
        requests: Vec<DeleteRequest>,
        mut options: WriteOptions,
    ) -> Result<Deleted> {
        options.durability = Durability::Flushed;
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let collection = collection.clone();
        to_the_end_alone(alone, async move {
            let deleted = write::delete(&collection, requests, &options).await;
            // Also after a failure: some of the documents may be gone then.
            engine.users().reload(engine.store()).await?;
            Ok(deleted?)
        })
        .await
    }

    async fn drop_existing(&self, user: &User) -> Result<()> {
        let removal = modification(user.id(), || Transformed::Delete);
        let follow = || self.users().remove(&user.database, &user.name);
        self.write_account(&namespace(), removal, follow).await
    }

    /// Puts `user` in place of the one of the same database and name, while no other change comes between.
    async fn put_user(&self, user: User) -> Result<()> {
        let document = DocumentBuf::from(&user.to_document());
        let replacement = modification(user.id(), move || Transformed::Put(document.clone()));
        self.write_account(&namespace(), replacement, || self.users().put(user))
            .await
    }

    fn existing_user(&self, database: &str, name: &str) -> Result<Arc<User>> {
        self.user(database, name).ok_or_else(|| {
            Error::new(
                Code::USER_NOT_FOUND,
                format!("User '{name}@{database}' not found"),
            )
        })
    }

    /// The user of this name and password; `None` if there is no such user or the password is another. The name is
    /// looked for in the databases `admin` and `default`; `name@database` names another one. After many failures a login waits.
    pub async fn log_in(
        &self,
        name: &str,
        password: &str,
        from: SocketAddr,
    ) -> Result<Option<Arc<User>>, TooManyAttempts> {
        let named = name
            .rsplit_once('@')
            .and_then(|(name, database)| self.user(database, name));
        let unnamed = || DATABASES.iter().find_map(|database| self.user(database, name));
        let user = named.or_else(unnamed);
        let passwords = self.users().passwords();
        if let Some(user) = &user
            && passwords.is_known(user, password)
        {
            return Ok(Some(user.clone()));
        }
        self.begin_login(name, from).await?;
        let is_good = passwords.is_good(user.as_ref(), name, password).await;
        let user = user.filter(|_| is_good);
        self.end_login(name, from, user.is_some());
        Ok(user)
    }

    /// To be called before a password is checked: those who failed often wait, or are refused.
    pub async fn begin_login(&self, name: &str, from: SocketAddr) -> Result<(), TooManyAttempts> {
        let wait = self.attempts().begin(name, from.ip())?;
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// How often somebody failed from an address since the last right password; `None` if the last time was before
    /// this time.
    pub fn failed_logins(&self, name: &str, from: SocketAddr, within: Duration) -> u32 {
        self.attempts().failures(name, from.ip(), within)
    }

    /// To be called after a password was checked.
    pub fn end_login(&self, name: &str, from: SocketAddr, is_right: bool) {
        match is_right {
            true => self.attempts().succeeded(name, from.ip()),
            false => {
                tracing::warn!(peer = %from, user = ?name, "a login failed");
                self.attempts().failed(name, from.ip());
            }
        }
    }

    /// Writes a document of a user or a role to the disk, then updates the table in memory. It must be run to its end: otherwise a user who
    /// was dropped, or whose password was changed, would stay as before until a restart.
    pub(crate) async fn write_account(
        &self,
        kept_in: &Namespace,
        write: WriteOp,
        follow: impl FnOnce() + Send,
    ) -> Result<()> {
        let collection = self.store().create_if_missing(kept_in).await?;
        let options = CommitOptions {
            durability: Durability::Flushed,
            ..CommitOptions::default()
        };
        let told = match collection.commit(vec![write], options).await {
            Ok(mut outcomes) => match outcomes.pop() {
                Some(Outcome::Failed(error)) => return Err(error.into()),
                _ => Ok(()),
            },
            // It was made, though it is not safe yet.
            Err(error @ StoreError::Kv(kv::Error::DiskFullAtFlush { .. })) => Err(error.into()),
            Err(error) => return Err(error.into()),
        };
        follow();
        told
    }
}

/// Runs a change of users or roles to its end, even if its client goes away meanwhile. No other change begins before that.
async fn to_the_end_alone<T: Send + 'static>(
    alone: OwnedMutexGuard<()>,
    change: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    to_the_end(async move {
        let _alone = alone;
        change.await
    })
    .await
}

/// Changes the document with this `_id`, if there is one.
pub(crate) fn modification(id: String, change: impl Fn() -> Transformed + Send + 'static) -> WriteOp {
    let transform = move |present: Option<Present<'_>>| -> Result<Transformed, StoreError> {
        Ok(if present.is_some() {
            change()
        } else {
            Transformed::NotMatched
        })
    };
    WriteOp::Modify {
        target: Target::Id(Value::from(id)),
        transform: Box::new(transform),
    }
}
