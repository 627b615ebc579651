//! What somebody may do: the sum of privileges.

use crate::action::{Action, Resource};
use crate::privilege::Privilege;
use value::{Value, ValueRef};

/// Privileges, each scope once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Privileges {
    list: Vec<Privilege>,
}

impl Privileges {
    /// Reads what [`Privileges::describe`] writes.
    pub fn parse(privileges: value::ArrayRef<'_>) -> Result<Privileges, crate::AuthError> {
        let mut parsed = Privileges::default();
        for privilege in privileges.iter() {
            let ValueRef::Document(privilege) = privilege else {
                return Err(crate::AuthError::privilege_type(
                    "privileges",
                    privilege,
                    "object",
                ));
            };
            parsed.add(Privilege::parse(privilege)?);
        }
        Ok(parsed)
    }

    /// Whether the action is allowed on the resource.
    pub fn allows(&self, action: Action, resource: Resource<'_>) -> bool {
        self.list
            .iter()
            .any(|privilege| privilege.allows(action, resource))
    }

    /// Whether any action at all is allowed on the resource.
    pub fn allows_any(&self, resource: Resource<'_>) -> bool {
        self.list.iter().any(|privilege| privilege.scope.covers(resource))
    }

    /// Whether any action at all is allowed on anything within a database, which so may be known to exist.
    pub fn reaches(&self, database: &str) -> bool {
        self.list
            .iter()
            .any(|privilege| privilege.scope.reaches(database))
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Privilege> {
        self.list.iter()
    }

    /// Adds a privilege: to the one of the same scope, if there is one.
    pub fn add(&mut self, privilege: Privilege) {
        match self.list.iter_mut().find(|held| held.scope == privilege.scope) {
            Some(held) => held.actions.extend(privilege.actions),
            None => self.list.push(privilege),
        }
    }

    /// Takes the actions of a privilege away from the one of the same scope.
    pub fn remove(&mut self, privilege: &Privilege) {
        for held in self.list.iter_mut().filter(|held| held.scope == privilege.scope) {
            held.actions.retain(|action| !privilege.actions.contains(action));
        }
        self.list.retain(|held| !held.actions.is_empty());
    }

    /// The privileges as `connectionStatus` shows them: `[{resource, actions}]`.
    pub fn describe(&self) -> Value {
        let documents = self.list.iter().map(Privilege::describe);
        documents.map(Value::Document).collect()
    }
}

impl Extend<Privilege> for Privileges {
    fn extend<I: IntoIterator<Item = Privilege>>(&mut self, privileges: I) {
        privileges.into_iter().for_each(|privilege| self.add(privilege));
    }
}

impl FromIterator<Privilege> for Privileges {
    fn from_iter<I: IntoIterator<Item = Privilege>>(privileges: I) -> Privileges {
        let mut held = Privileges::default();
        held.extend(privileges);
        held
    }
}
