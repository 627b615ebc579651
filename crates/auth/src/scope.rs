//! Where a privilege holds: MongoDB's resource documents.

use crate::AuthError;
use crate::action::Resource;
use value::{Document, DocumentRef, ValueRef, doc};

/// Collections whose names begin so hold the buckets of time series.
const BUCKETS: &str = "system.buckets.";

/// Where a privilege holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// `{anyResource: true}`: everything.
    Everything,
    /// `{cluster: true}`: the server as a whole.
    Cluster,
    /// `{db, collection}`, where an empty name stands for all: of databases, and of collections but those of the server's own.
    Collections {
        /// The database, or empty.
        database: String,
        /// The collection, or empty.
        collection: String,
    },
    /// `{db, system_buckets}`: the buckets of time series, by the same rules.
    Buckets {
        /// The database, or empty.
        database: String,
        /// The time series, or empty.
        collection: String,
    },
}

impl Scope {
    /// All of a database but the collections of the server's own; of all databases where the name is empty.
    pub fn database(name: &str) -> Scope {
        Scope::collection(name, "")
    }

    /// One collection.
    pub fn collection(database: &str, collection: &str) -> Scope {
        Scope::Collections {
            database: database.to_owned(),
            collection: collection.to_owned(),
        }
    }

    /// Reads a resource document.
    pub fn parse(resource: DocumentRef<'_>) -> Result<Scope, AuthError> {
        let wrong = |reason: &str| Err(AuthError::Privilege(reason.to_owned()));
        let flag = |name: &str| match resource.get(name) {
            Some(ValueRef::Bool(flag)) => Ok(Some(flag)),
            Some(_) => Err(AuthError::Privilege(format!("{name} must be true"))),
            None => Ok(None),
        };
        let text = |name: &str| match resource.get(name) {
            Some(ValueRef::String(text)) => Ok(Some(text.to_owned())),
            Some(_) => Err(AuthError::Privilege(format!("{name} must be a string"))),
            None => Ok(None),
        };
        let known = ["anyResource", "cluster", "db", "collection", "system_buckets"];
        if let Some((name, _)) = resource.iter().find(|(name, _)| !known.contains(name)) {
            return Err(AuthError::Privilege(format!("a resource has no field {name}")));
        }
        let (database, collection) = (text("db")?, text("collection")?);
        let (any, cluster, buckets) = (flag("anyResource")?, flag("cluster")?, text("system_buckets")?);
        let kinds = [
            any.is_some(),
            cluster.is_some(),
            database.is_some() && collection.is_some(),
        ];
        match (any, cluster, database, collection, buckets) {
            (Some(true), None, None, None, None) => Ok(Scope::Everything),
            (None, Some(true), None, None, None) => Ok(Scope::Cluster),
            (None, None, Some(database), Some(collection), None) => {
                Ok(Scope::Collections { database, collection })
            }
            (None, None, database, None, Some(collection)) => Ok(Scope::Buckets {
                database: database.unwrap_or_default(),
                collection,
            }),
            _ if kinds.iter().filter(|kind| **kind).count() > 1 => {
                wrong("Only one of anyResource, cluster, db with collection may stand in a resource")
            }
            _ => wrong(
                "A resource is {anyResource: true}, {cluster: true}, {db, collection} or {db, system_buckets}",
            ),
        }
    }

    /// The scope as a resource document.
    pub fn describe(&self) -> Document {
        match self {
            Scope::Everything => doc! {"anyResource": true},
            Scope::Cluster => doc! {"cluster": true},
            Scope::Collections { database, collection } => {
                doc! {"db": database, "collection": collection}
            }
            Scope::Buckets { database, collection } => {
                doc! {"db": database, "system_buckets": collection}
            }
        }
    }

    /// The database whose administrators decide about it: `admin` where it is more than one database.
    pub fn administered_by(&self) -> &str {
        match self {
            Scope::Collections { database, .. } | Scope::Buckets { database, .. } if !database.is_empty() => {
                database
            }
            _ => "admin",
        }
    }

    /// Whether it holds for something within a database.
    pub fn reaches(&self, name: &str) -> bool {
        match self {
            Scope::Everything => true,
            Scope::Cluster => false,
            Scope::Collections { database, .. } | Scope::Buckets { database, .. } => {
                database.is_empty() || database == name
            }
        }
    }

    /// Whether it holds for a resource.
    pub fn covers(&self, resource: Resource<'_>) -> bool {
        let is = |own: &str, name: &str| own.is_empty() || own == name;
        match (self, resource) {
            (Scope::Everything, _) | (Scope::Cluster, Resource::Cluster) => true,
            (Scope::Collections { database, collection }, Resource::Database(name)) => {
                is(database, name) && collection.is_empty()
            }
            (Scope::Collections { database, collection }, Resource::Collection(of, name)) => {
                let named = !collection.is_empty() && collection == name;
                is(database, of) && (named || (collection.is_empty() && !is_system(name)))
            }
            (Scope::Buckets { database, collection }, Resource::Collection(of, name)) => {
                let series = name.strip_prefix(BUCKETS);
                is(database, of) && series.is_some_and(|series| is(collection, series))
            }
            (
                Scope::Cluster | Scope::Collections { .. } | Scope::Buckets { .. },
                Resource::Cluster | Resource::Database(_) | Resource::Collection(..),
            ) => false,
        }
    }
}

/// What CouchDB's protocol takes users and replications from: a document there may name anybody as whom it acts.
pub(crate) const OF_COUCH: [&str; 2] = ["_users", "_replicator"];

/// Collections of the server's own, users among them, which roles on databases do not reach. `system.js` and
/// `system.views` count as ordinary collections.
fn is_system(collection: &str) -> bool {
    let is_ordinary = matches!(collection, "system.js" | "system.views");
    (collection.starts_with("system.") && !is_ordinary) || OF_COUCH.contains(&collection)
}
