//! The order of strings of an operation: the one that it asks for, or its collection's.

use crate::error::{Error, Result};
use store::{Collection, Namespace, Store};
use value::collation::{Collation, CollationError};
use value::{Document, Value};

impl From<CollationError> for Error {
    fn from(error: CollationError) -> Error {
        language::Error::from(error).into()
    }
}

/// The requested collation, or else that of the collection or view; `None` for the order of bytes.
pub(crate) fn asked_or_default(
    store: &Store,
    namespace: &Namespace,
    asked: Option<&Document>,
) -> Result<Option<Collation>> {
    match asked {
        Some(options) => Ok(Collation::parse(options)?),
        None => match store.collection(namespace) {
            Some(collection) => default_of(&collection),
            None => Ok(None),
        },
    }
}

/// The collation that a collection was made with.
pub(crate) fn default_of(collection: &Collection) -> Result<Option<Collation>> {
    of_options(&collection.options().kept)
}

/// The collation that the options of a collection name.
pub(crate) fn of_options(options: &Document) -> Result<Option<Collation>> {
    match options.get("collation") {
        Some(Value::Document(options)) => Ok(Collation::parse(options)?),
        _ => Ok(None),
    }
}

/// The requested collation, or else the default.
pub(crate) fn asked_or(asked: Option<&Document>, default: Option<&Collation>) -> Result<Option<Collation>> {
    match asked {
        Some(options) => Ok(Collation::parse(options)?),
        None => Ok(default.cloned()),
    }
}
