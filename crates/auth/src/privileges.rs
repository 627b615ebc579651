//! What a user may do: the sum of the roles.

use crate::action::{Action, Resource};
use crate::role::{Grant, Role, Scope};
use value::{Document, Value, doc};

/// What a set of roles allows.
#[derive(Clone, Debug, Default)]
pub struct Privileges {
    grants: Vec<Grant>,
}

impl Privileges {
    /// What these roles allow together.
    pub fn of(roles: &[Role]) -> Privileges {
        Privileges {
            grants: roles.iter().flat_map(Role::grants).collect(),
        }
    }

    /// Whether the action is allowed on the resource.
    pub fn allows(&self, action: Action, resource: Resource<'_>) -> bool {
        self.grants
            .iter()
            .any(|grant| grant.covers(resource) && (grant.allows_all() || grant.actions.contains(&action)))
    }

    /// As `connectionStatus` shows them: `[{resource, actions}]`.
    pub fn describe(&self) -> Vec<Value> {
        self.grants
            .iter()
            .map(|grant| Value::Document(grant.describe()))
            .collect()
    }
}

impl Grant {
    fn allows_all(&self) -> bool {
        self.scope == Scope::Everything
    }

    fn covers(&self, resource: Resource<'_>) -> bool {
        match (&self.scope, resource) {
            (Scope::Everything, _) | (Scope::Cluster, Resource::Cluster) => true,
            (Scope::Database(own), Resource::Database(database)) => own == database,
            (Scope::Database(own), Resource::Collection(database, collection)) => {
                own == database && !is_system(collection)
            }
            (Scope::AnyDatabase, Resource::Database(_)) => true,
            (Scope::AnyDatabase, Resource::Collection(_, collection)) => !is_system(collection),
            (Scope::SystemCollections, Resource::Collection(_, collection)) => is_system(collection),
            (
                Scope::Cluster | Scope::Database(_) | Scope::AnyDatabase | Scope::SystemCollections,
                Resource::Cluster | Resource::Database(_) | Resource::Collection(..),
            ) => false,
        }
    }

    fn describe(&self) -> Document {
        let resource = match &self.scope {
            Scope::Everything => doc! {"anyResource": true},
            Scope::Cluster => doc! {"cluster": true},
            Scope::Database(database) => doc! {"db": database, "collection": ""},
            Scope::AnyDatabase => doc! {"db": "", "collection": ""},
            Scope::SystemCollections => doc! {"db": "", "collection": "system."},
        };
        let actions: Value = match self.allows_all() {
            true => Value::Array(vec![Value::from("anyAction")]),
            false => self
                .actions
                .iter()
                .map(|action| Value::from(action.name()))
                .collect(),
        };
        doc! {"resource": resource, "actions": actions}
    }
}

/// Collections of the server's own, users among them, which roles on databases do not reach. `system.js` and
/// `system.views` count as ordinary collections.
fn is_system(collection: &str) -> bool {
    collection.starts_with("system.") && collection != "system.js" && collection != "system.views"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn privileges(name: &str, database: &str) -> Privileges {
        Privileges::of(&[Role::parse(name, database).unwrap()])
    }

    #[test]
    fn read_reads_its_own_database_only() {
        let read = privileges("read", "shop");
        assert!(read.allows(Action::Find, Resource::Collection("shop", "orders")));
        assert!(!read.allows(Action::Find, Resource::Collection("bank", "orders")));
        assert!(!read.allows(Action::Insert, Resource::Collection("shop", "orders")));
    }

    #[test]
    fn no_reader_sees_the_users() {
        for (name, database) in [
            ("read", "admin"),
            ("readWriteAnyDatabase", "admin"),
            ("dbOwner", "admin"),
        ] {
            let held = privileges(name, database);
            assert!(
                !held.allows(Action::Find, Resource::Collection("admin", "system.users")),
                "{name}"
            );
        }
        assert!(
            privileges("root", "admin").allows(Action::Find, Resource::Collection("admin", "system.users"))
        );
    }

    #[test]
    fn user_admins_manage_users_and_read_nothing() {
        let admin = privileges("userAdmin", "shop");
        assert!(admin.allows(Action::CreateUser, Resource::Database("shop")));
        assert!(!admin.allows(Action::CreateUser, Resource::Database("admin")));
        assert!(!admin.allows(Action::Find, Resource::Collection("shop", "orders")));
    }

    #[test]
    fn any_database_roles_exist_in_admin_only() {
        assert!(Role::parse("readAnyDatabase", "shop").is_err());
        assert!(privileges("readAnyDatabase", "admin").allows(Action::ListDatabases, Resource::Cluster));
        assert!(!privileges("read", "admin").allows(Action::ListDatabases, Resource::Cluster));
    }
}
