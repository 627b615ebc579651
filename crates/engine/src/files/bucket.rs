//! The name of a bucket and of its collections.

use crate::error::{Error, Result};
use code::Code;
use std::fmt;
use store::Namespace;

/// The database that protocols with one level of names reach.
const DEFAULT_DATABASE: &str = "default";

/// A set of files: the collections `NAME.files` and `NAME.chunks` of a database.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Bucket {
    database: String,
    name: String,
}

impl Bucket {
    /// The bucket of this name in a database.
    pub fn new(database: impl Into<String>, name: impl Into<String>) -> Bucket {
        Bucket {
            database: database.into(),
            name: name.into(),
        }
    }

    /// The bucket of this name in protocols with one level of names: `photos` is in the database `default`,
    /// `fleet.photos` in the database `fleet`.
    pub fn parse(text: &str) -> Result<Bucket> {
        let (database, name) = text.split_once('.').unwrap_or((DEFAULT_DATABASE, text));
        let bucket = Bucket::new(database, name);
        let complete = !database.is_empty() && !name.is_empty();
        match complete && crate::catalog::names::check_namespace(&bucket.files()).is_ok() {
            true => Ok(bucket),
            false => Err(Error::new(
                Code::INVALID_NAMESPACE,
                format!(
                    "'{text}' is no name of a bucket: give one such as photos, or fleet.photos for another database"
                ),
            )),
        }
    }

    /// The database.
    pub fn database(&self) -> &str {
        &self.database
    }

    /// The name before `.files` and `.chunks`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The collection of entries.
    pub fn files(&self) -> Namespace {
        self.part("files")
    }

    /// The collection of chunks.
    pub fn chunks(&self) -> Namespace {
        self.part("chunks")
    }

    /// The collection of uploads that may be resumed.
    pub fn uploads(&self) -> Namespace {
        self.part("uploads")
    }

    fn part(&self, part: &str) -> Namespace {
        Namespace::new(&self.database, format!("{}.{part}", self.name))
    }
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.database, self.name)
    }
}
