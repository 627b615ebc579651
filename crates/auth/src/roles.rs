//! All user-defined roles, and what holding a role comes to.

use crate::{AuthError, BuiltinRole, Privileges, Role, RoleName};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The user-defined roles by name. A name that no role has any more allows nothing.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    defined: BTreeMap<RoleName, Arc<Role>>,
}

impl Roles {
    /// The user-defined role of this name.
    pub fn get(&self, name: &RoleName) -> Option<&Arc<Role>> {
        self.defined.get(name)
    }

    /// All of them, by database and name.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<Role>> {
        self.defined.values()
    }

    /// Puts a role in place of one of the same name.
    pub fn put(&mut self, role: Role) {
        self.defined.insert(role.name.clone(), Arc::new(role));
    }

    /// Takes a role away.
    pub fn remove(&mut self, name: &RoleName) {
        self.defined.remove(name);
    }

    /// Refuses names that neither a built-in nor a user-defined role has.
    pub fn check(&self, names: &[RoleName]) -> Result<(), AuthError> {
        let is_missing =
            |name: &&RoleName| BuiltinRole::named(name).is_none() && !self.defined.contains_key(name);
        match names.iter().find(is_missing) {
            Some(name) => Err(AuthError::UnknownRole {
                role: name.name.clone(),
                database: name.database.clone(),
            }),
            None => Ok(()),
        }
    }

    /// The roles, and all roles that they inherit.
    pub fn with_inherited(&self, names: &[RoleName]) -> BTreeSet<RoleName> {
        let mut seen = BTreeSet::new();
        let mut waiting: Vec<&RoleName> = names.iter().collect();
        while let Some(name) = waiting.pop() {
            if seen.insert(name.clone())
                && let Some(role) = self.defined.get(name)
            {
                waiting.extend(&role.roles);
            }
        }
        seen
    }

    /// Refuses a role that would inherit itself.
    pub fn check_circle(&self, role: &Role) -> Result<(), AuthError> {
        match self.with_inherited(&role.roles).contains(&role.name) {
            true => Err(AuthError::RoleModification(format!(
                "Granting these roles to {0} would introduce a cycle in the role graph: {0} would inherit itself",
                role.name
            ))),
            false => Ok(()),
        }
    }

    /// What these roles allow together, with all that they inherit.
    pub fn privileges_of(&self, names: &[RoleName]) -> Privileges {
        let mut held = Privileges::default();
        for name in self.with_inherited(names) {
            if let Some(builtin) = BuiltinRole::named(&name) {
                let anywhere = builtin.is_admin_only();
                held.extend(builtin.privileges(if anywhere { "" } else { &name.database }));
            } else if let Some(role) = self.defined.get(&name) {
                held.extend(role.privileges.iter().cloned());
            }
        }
        held
    }
}
