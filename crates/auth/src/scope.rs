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

    /// Reads a resource document; fields of other names are passed over, as in MongoDB.
    pub fn parse(resource: DocumentRef<'_>) -> Result<Scope, AuthError> {
        let (database, collection) = (text(resource, "db")?, text(resource, "collection")?);
        let buckets = text(resource, "system_buckets")?;
        let (any, cluster) = (flag(resource, "anyResource")?, flag(resource, "cluster")?);
        let names_something = database.is_some() || collection.is_some() || buckets.is_some();
        let wrong = |reason: &str| Err(AuthError::Privilege(reason.to_owned()));
        match (cluster, any) {
            (Some(false), _) => return wrong("resource: {cluster: false} must be true"),
            (None, Some(false)) => return wrong("resource: {anyResource: false} must be true"),
            (Some(true), Some(_)) => return wrong("resource: {cluster: true} conflicts with 'anyResource'"),
            (Some(true), None) | (None, Some(true)) if names_something => {
                return wrong("{cluster: true} and {anyResource: true} stand alone in a resource");
            }
            (Some(true), None) => return Ok(Scope::Cluster),
            (None, Some(true)) => return Ok(Scope::Everything),
            (None, None) => {}
        }
        match (database, collection, buckets) {
            (_, Some(_), Some(_)) => wrong("resource: {collection: '...'} conflicts with 'system_buckets'"),
            (None, Some(_), None) => wrong("resource {collection: '...'} must include 'db' field as well"),
            (Some(_), Some(collection), None) if !is_collection_name(&collection) => {
                wrong(&format!("'{collection}' is not a valid collection name"))
            }
            (Some(database), Some(collection), None) => Ok(Scope::Collections { database, collection }),
            (database, None, Some(collection)) => Ok(Scope::Buckets {
                database: database.unwrap_or_default(),
                collection,
            }),
            (_, None, None) => {
                wrong("resource pattern must contain 'collection' or 'systemBuckets' specifier")
            }
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

/// The value of a field, where it is neither missing nor null.
fn present<'a>(resource: DocumentRef<'a>, name: &str) -> Option<ValueRef<'a>> {
    let given = resource.get(name);
    given.filter(|value| !matches!(value, ValueRef::Null | ValueRef::Undefined))
}

/// A boolean, or a number that stands for one.
fn flag(resource: DocumentRef<'_>, name: &'static str) -> Result<Option<bool>, AuthError> {
    match present(resource, name) {
        None => Ok(None),
        Some(ValueRef::Bool(flag)) => Ok(Some(flag)),
        Some(number) if number.is_number() => Ok(Some(number.as_bool_truthy())),
        Some(other) => Err(AuthError::privilege_type(name, other, "bool")),
    }
}

fn text(resource: DocumentRef<'_>, name: &'static str) -> Result<Option<String>, AuthError> {
    match present(resource, name) {
        None => Ok(None),
        Some(ValueRef::String(text)) => Ok(Some(text.to_owned())),
        Some(other) => Err(AuthError::privilege_type(name, other, "string")),
    }
}

/// Whether a collection can be called so; the empty name stands for all of them.
fn is_collection_name(name: &str) -> bool {
    !name.starts_with('.') && (name == "oplog.$main" || !name.contains(['$', '\0']))
}

/// What CouchDB's protocol takes users and replications from: a document there may name anybody as whom it acts.
pub(crate) const OF_COUCH: [&str; 2] = ["_users", "_replicator"];

/// Collections of the server's own, users among them, which roles on databases do not reach. `system.js` and
/// `system.views` count as ordinary collections.
fn is_system(collection: &str) -> bool {
    let is_ordinary = matches!(collection, "system.js" | "system.views");
    (collection.starts_with("system.") && !is_ordinary) || OF_COUCH.contains(&collection)
}
