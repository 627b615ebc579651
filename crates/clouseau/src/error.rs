//! What indexes and searches refuse.

use mapping::error::SearchError;

/// An index that is none, or a search that cannot be made.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The search is wrong in itself.
    #[error("{0}")]
    BadRequest(String),
    /// An index without what it needs.
    #[error("{0}")]
    InvalidDesign(String),
    /// The design document has no index of this name.
    #[error("{0}")]
    NotFound(String),
    /// The run refused it.
    #[error("{}", .0.reason)]
    Search(#[from] SearchError),
    /// The rows cannot be read.
    #[error(transparent)]
    View(#[from] view::Error),
    /// The operation must end.
    #[error(transparent)]
    Ended(#[from] language::Error),
}

/// What the crate's functions give back.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn bad_request(reason: impl Into<String>) -> Error {
        Error::BadRequest(reason.into())
    }
}
