//! What the store refuses.

use code::Code;
use value::Document;

/// An operation that the store refused or that failed below it.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A unique key is taken.
    #[error(
        "E11000 duplicate key error collection: {namespace} index: {index}{} dup key: {}",
        shown_collation(.collation.as_deref()),
        value::shell::document(.key.into())
    )]
    DuplicateKey {
        /// The collection's full name.
        namespace: String,
        /// The index's name.
        index: String,
        /// The index's key pattern.
        pattern: Document,
        /// The key that is taken: field names with values. In an index with a collation, strings are known by their keys only.
        key: Document,
        /// The index's collation.
        collation: Option<Box<Document>>,
    },
    /// The collection exists.
    #[error("Collection {0} already exists.")]
    NamespaceExists(String),
    /// There are as many collections as memory has room for.
    #[error(
        "there are {most} collections and views already, as many as the memory budget allows: drop some, or raise --memory"
    )]
    TooManyCollections {
        /// How many there may be.
        most: usize,
    },
    /// The collection does not exist.
    #[error("ns not found: {0}")]
    NamespaceNotFound(String),
    /// A name that no database or collection can have.
    #[error("{0}")]
    InvalidNamespace(String),
    /// The collection was dropped while the operation waited.
    #[error("collection dropped: {0}")]
    CollectionDropped(String),
    /// A view holds no documents of its own.
    #[error("Namespace {0} is a view, not a collection")]
    IsView(String),
    /// No index of this name.
    #[error("index not found with name [{0}]")]
    IndexNotFound(String),
    /// An index of the same keys exists with another name or other options.
    #[error("{0}")]
    IndexOptionsConflict(String),
    /// An index of the same name exists with other keys.
    #[error("{0}")]
    IndexKeySpecsConflict(String),
    /// The index cannot be made with these options.
    #[error("{0}")]
    CannotCreateIndex(String),
    /// A document that an index cannot hold: parallel arrays, an array in a hashed field.
    #[error("{message}")]
    CannotIndex {
        /// MongoDB's error code.
        code: Code,
        /// MongoDB's message.
        message: String,
    },
    /// The session has already gone on to a later transaction number.
    #[error(
        "Cannot start transaction with id {number} on session because a newer transaction with txnNumber \
         {present} has already started on this session."
    )]
    TransactionTooOld {
        /// The number asked for.
        number: i64,
        /// The session's number.
        present: i64,
    },
    /// The document is larger than [`crate::DOCUMENT_BYTES_MAX`].
    #[error(
        "object to insert too large. size in bytes: {size_bytes}, max size: {}",
        crate::DOCUMENT_BYTES_MAX
    )]
    DocumentTooLarge {
        /// Its size.
        size_bytes: usize,
    },
    /// A change would give the document another `_id`.
    #[error("Performing an update on the path '_id' would modify the immutable field '_id'")]
    ImmutableId,
    /// The `_id` is missing or of a type that none can have.
    #[error("{0}")]
    BadId(String),
    /// A document of a partitioned collection whose id names no partition.
    #[error("Doc id must be of form partition:id")]
    NoPartition,
    /// A caller's transformation refused the change, in the caller's own code and words.
    #[error("{message}")]
    Refused {
        /// The caller's error code.
        code: Code,
        /// The caller's message.
        message: String,
    },
    /// What was read from disk is not what was written.
    #[error("corrupt data in {namespace}: {what}")]
    Corrupt {
        /// The collection's full name or the part of the store.
        namespace: String,
        /// What is wrong.
        what: String,
    },
    /// The committer ended while the operation waited; whether it was made is not known.
    #[error("the operation was interrupted while it was being committed")]
    Interrupted,
    /// Other processes commit to the shard faster than this one can read it.
    #[error(
        "the commit was tried {} times and each time another process was first",
        crate::COMMIT_ATTEMPTS_MAX
    )]
    Contention,
    /// The disk is nearly full, and the operation would add to it.
    #[error(transparent)]
    DiskLow(kv::Error),
    /// The key-value store failed.
    #[error(transparent)]
    Kv(#[from] kv::Error),
}

fn shown_collation(collation: Option<&Document>) -> String {
    let shown = collation.map(|collation| value::shell::document(collation.into()));
    shown.map_or_else(String::new, |shown| format!(" collation: {shown}"))
}

impl StoreError {
    /// The error's code in the one table.
    pub fn code(&self) -> Code {
        match self {
            StoreError::DuplicateKey { .. } => Code::DUPLICATE_KEY,
            StoreError::NamespaceExists(_) => Code::NAMESPACE_EXISTS,
            StoreError::TooManyCollections { .. } => Code::EXCEEDED_MEMORY_LIMIT,
            StoreError::NamespaceNotFound(_) => Code::NAMESPACE_NOT_FOUND,
            StoreError::InvalidNamespace(_) => Code::INVALID_NAMESPACE,
            StoreError::CollectionDropped(_) => Code::QUERY_PLAN_KILLED,
            StoreError::IsView(_) => Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            StoreError::IndexNotFound(_) => Code::INDEX_NOT_FOUND,
            StoreError::IndexOptionsConflict(_) => Code::INDEX_OPTIONS_CONFLICT,
            StoreError::IndexKeySpecsConflict(_) => Code::INDEX_KEY_SPECS_CONFLICT,
            StoreError::CannotCreateIndex(_) => Code::CANNOT_CREATE_INDEX,
            StoreError::TransactionTooOld { .. } => Code::TRANSACTION_TOO_OLD,
            StoreError::DocumentTooLarge { .. } => Code::BSON_OBJECT_TOO_LARGE,
            StoreError::ImmutableId => Code::IMMUTABLE_FIELD,
            StoreError::BadId(_) | StoreError::NoPartition => Code::INVALID_ID_FIELD,
            StoreError::CannotIndex { code, .. } | StoreError::Refused { code, .. } => *code,
            StoreError::Interrupted => Code::INTERRUPTED,
            StoreError::Contention => Code::WRITE_CONFLICT,
            StoreError::DiskLow(_) => Code::OUT_OF_DISK_SPACE,
            StoreError::Kv(
                kv::Error::DiskLow { .. } | kv::Error::DiskFull { .. } | kv::Error::DiskFullAtFlush { .. },
            ) => Code::OUT_OF_DISK_SPACE,
            _ => Code::INTERNAL_ERROR,
        }
    }
}
