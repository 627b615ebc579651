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

    /// Reads `{resource, actions}`; other fields are passed over, as in MongoDB.
    pub fn parse(privilege: DocumentRef<'_>) -> Result<Privilege, AuthError> {
        let resource = match present(privilege, "resource")? {
            ValueRef::Document(resource) => resource,
            other => return Err(AuthError::privilege_type("resource", other, "object")),
        };
        let named = match present(privilege, "actions")? {
            ValueRef::Array(named) => named,
            other => return Err(AuthError::privilege_type("actions", other, "array")),
        };
        let (mut actions, mut unknown) = (BTreeSet::new(), BTreeSet::new());
        for name in named.iter() {
            let ValueRef::String(name) = name else {
                return Err(AuthError::privilege_type("actions", name, "string"));
            };
            match Action::parse(name) {
                Some(action) => drop(actions.insert(action)),
                None => drop(unknown.insert(name)),
            }
        }
        let scope = Scope::parse(resource)?;
        if !unknown.is_empty() {
            return Err(AuthError::Privilege(unknown_actions(&unknown)));
        }
        if actions.is_empty() {
            let message = "'actions' field of privilege resource must not be empty";
            return Err(AuthError::Privilege(message.to_owned()));
        }
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

/// A field that must be there.
fn present<'a>(privilege: DocumentRef<'a>, name: &'static str) -> Result<ValueRef<'a>, AuthError> {
    let given = privilege.get(name);
    let given = given.filter(|value| !matches!(value, ValueRef::Null | ValueRef::Undefined));
    given.ok_or(AuthError::PrivilegeMissing(name))
}

fn unknown_actions(names: &BTreeSet<&str>) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let plural = if names.len() > 1 { "s" } else { "" };
    format!(
        "Unknown action type{plural} in privilege set: {}",
        quoted.join(", ")
    )
}
