//! One privilege: actions on a scope.

use crate::AuthError;
use crate::action::{Action, Resource};
use crate::scope::Scope;
use std::collections::BTreeSet;
use value::{Document, DocumentRef, Value, ValueRef, doc};

/// Actions that are allowed on a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Privilege {
    /// Where.
    pub scope: Scope,
    /// What; [`Action::AnyAction`] stands for every action.
    pub actions: BTreeSet<Action>,
}

impl Privilege {
    /// These actions there.
    pub fn new(scope: Scope, actions: impl IntoIterator<Item = Action>) -> Privilege {
        Privilege {
            scope,
            actions: actions.into_iter().collect(),
        }
    }

    /// Reads `{resource, actions}`.
    pub fn parse(privilege: DocumentRef<'_>) -> Result<Privilege, AuthError> {
        let known = ["resource", "actions"];
        if let Some((name, _)) = privilege.iter().find(|(name, _)| !known.contains(name)) {
            return Err(AuthError::Privilege(format!("a privilege has no field {name}")));
        }
        let Some(ValueRef::Document(resource)) = privilege.get("resource") else {
            return Err(AuthError::Privilege("resource must be a document".to_owned()));
        };
        let Some(ValueRef::Array(named)) = privilege.get("actions") else {
            return Err(AuthError::Privilege(
                "actions must be an array of strings".to_owned(),
            ));
        };
        let (mut actions, mut unknown) = (BTreeSet::new(), Vec::new());
        for name in named.iter() {
            let ValueRef::String(name) = name else {
                return Err(AuthError::Privilege(
                    "actions must be an array of strings".to_owned(),
                ));
            };
            match Action::parse(name) {
                Some(action) => drop(actions.insert(action)),
                None => unknown.push(name),
            }
        }
        if !unknown.is_empty() {
            let message = format!("Unrecognized action privilege strings: {}", unknown.join(","));
            return Err(AuthError::Privilege(message));
        }
        if actions.is_empty() {
            return Err(AuthError::Privilege("actions must not be empty".to_owned()));
        }
        let scope = Scope::parse(resource)?;
        Ok(Privilege { scope, actions })
    }

    /// `{resource, actions}`.
    pub fn describe(&self) -> Document {
        let actions: Value = self
            .actions
            .iter()
            .map(|action| Value::from(action.name()))
            .collect();
        doc! {"resource": self.scope.describe(), "actions": actions}
    }

    /// Whether it allows this.
    pub fn allows(&self, action: Action, resource: Resource<'_>) -> bool {
        (self.actions.contains(&action) || self.actions.contains(&Action::AnyAction))
            && self.scope.covers(resource)
    }
}
