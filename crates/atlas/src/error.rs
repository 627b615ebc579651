//! What clients are told: MongoDB's codes, and the words of the search process of Atlas.

use code::Code;
use engine::Error;
use indexing::IndexingError;
use search::{ErrorKind, SearchError};

/// What the crate's functions give back.
pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// What stands before an error of a search.
const REMOTE: &str =
    "PlanExecutor error during aggregation :: caused by :: Remote error from mongot :: caused by :: ";

/// A search is not of its form.
pub(crate) fn refused(message: impl std::fmt::Display) -> Error {
    Error::new(Code::UNKNOWN_ERROR, format!("{REMOTE}{message}"))
}

/// Larder does not do this.
pub(crate) fn unsupported(what: impl std::fmt::Display) -> Error {
    Error::new(Code::COMMAND_NOT_SUPPORTED, format!("{what} is not supported"))
}

/// An error of a query that fits no field, or does not fit into memory.
pub(crate) fn of_search(error: SearchError) -> Error {
    match error.kind {
        ErrorKind::Memory => Error::new(Code::EXCEEDED_MEMORY_LIMIT, error.reason),
        ErrorKind::Unsupported => Error::new(Code::COMMAND_NOT_SUPPORTED, error.reason),
        _ => refused(error.reason),
    }
}

/// An error of an index.
pub(crate) fn of_indexing(error: IndexingError) -> Error {
    match error {
        IndexingError::Engine(error) => error,
        IndexingError::Search(error) => of_search(error),
        other => Error::new(Code::INTERNAL_ERROR, other.to_string()),
    }
}
