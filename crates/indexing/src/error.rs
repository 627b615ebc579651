//! What can go wrong with an index, or with a search.

use fulltext::FulltextError;
use search::SearchError;

/// What has gone wrong.
#[derive(Debug, thiserror::Error)]
pub enum IndexingError {
    /// The documents cannot be read, or the operation must end.
    #[error(transparent)]
    Engine(#[from] engine::Error),
    /// The search cannot be done, or does not fit the mapping.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The files of an index cannot be read or written.
    #[error(transparent)]
    Fulltext(#[from] FulltextError),
    /// There is no memory to write an index.
    #[error("{0}")]
    Memory(String),
    /// Something else, which the source says.
    #[error("{0}")]
    Failed(String),
}

/// A result of this crate.
pub type Result<T, E = IndexingError> = std::result::Result<T, E>;
