//! User-defined roles: documents of `admin.system.roles`, which are also kept in memory.

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::tables::roles::namespace;
use crate::users::{modification, to_the_end_alone};
use auth::{BuiltinRole, Role, RoleName, Roles, User};
use code::Code;
use std::sync::Arc;
use store::{Transformed, WriteOp};
use value::DocumentBuf;

impl Engine {
    /// The user-defined roles of this moment.
    pub fn roles(&self) -> Arc<Roles> {
        self.role_table().now()
    }

    /// Adds a role.
    pub async fn create_role(&self, role: Role) -> Result<()> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        to_the_end_alone(alone, async move { engine.add_role(role).await }).await
    }

    async fn add_role(&self, role: Role) -> Result<()> {
        if BuiltinRole::named(&role.name).is_some() {
            let message = "Cannot create roles with the same name as a built-in role";
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        self.check_role(&role)?;
        if self.roles().get(&role.name).is_some() {
            let message = format!("Role \"{}\" already exists", role.name);
            return Err(Error::new(Code::location(51_002), message));
        }
        let document = DocumentBuf::from(&role.to_document());
        let follow = || self.role_table().update(|roles| roles.put(role));
        self.write_account(&namespace(), WriteOp::Insert(document), follow)
            .await
    }

    /// Changes a role.
    pub async fn change_role(&self, name: &RoleName, change: impl FnOnce(&mut Role)) -> Result<()> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let mut role = Role::clone(&*self.defined(name)?);
        change(&mut role);
        self.check_role(&role)?;
        to_the_end_alone(alone, async move { engine.put_role(role).await }).await
    }

    /// Removes a role: first from the users and the roles that hold it, so that no later role of that name is theirs.
    pub async fn drop_role(&self, name: &RoleName) -> Result<()> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let dropped = self.defined(name)?;
        to_the_end_alone(alone, async move { engine.drop_defined(&dropped).await }).await
    }

    /// Removes the roles of a database, and returns their number.
    pub async fn drop_roles(&self, database: &str) -> Result<usize> {
        let (engine, alone) = (self.clone(), self.role_table().alone().await);
        let database = database.to_owned();
        to_the_end_alone(alone, async move {
            let roles = engine.roles();
            let mut dropped = 0;
            for role in roles.iter().filter(|role| role.name.database == database) {
                engine.drop_defined(role).await?;
                dropped += 1;
            }
            Ok(dropped)
        })
        .await
    }

    async fn drop_defined(&self, dropped: &Role) -> Result<()> {
        let name = &dropped.name;
        for user in self.all_users() {
            if user.roles.contains(name) {
                let mut user = User::clone(&user);
                user.roles.retain(|held| held != name);
                self.put_user(user).await?;
            }
        }
        for role in self.roles().iter() {
            if role.roles.contains(name) {
                let mut role = Role::clone(role);
                role.roles.retain(|held| held != name);
                self.put_role(role).await?;
            }
        }
        let removal = modification(dropped.id(), || Transformed::Delete);
        let follow = || self.role_table().update(|roles| roles.remove(name));
        self.write_account(&namespace(), removal, follow).await
    }

    async fn put_role(&self, role: Role) -> Result<()> {
        let document = DocumentBuf::from(&role.to_document());
        let replacement = modification(role.id(), move || Transformed::Put(document.clone()));
        let follow = || self.role_table().update(|roles| roles.put(role));
        self.write_account(&namespace(), replacement, follow).await
    }

    /// The user-defined role of this name; built-in ones cannot be changed.
    fn defined(&self, name: &RoleName) -> Result<Arc<Role>> {
        if BuiltinRole::named(name).is_some() {
            let message = format!("{name} is a built-in role and cannot be modified");
            return Err(Error::new(Code::BAD_VALUE, message));
        }
        let missing = || Error::new(Code::ROLE_NOT_FOUND, format!("Role {name} not found"));
        self.roles().get(name).cloned().ok_or_else(missing)
    }

    fn check_role(&self, role: &Role) -> Result<()> {
        role.check_reach()?;
        let roles = self.roles();
        roles.check_circle(role)?;
        Ok(roles.check(&role.roles)?)
    }
}
