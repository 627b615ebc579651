//! What views refuse.

use crate::ScriptError;
use store::StoreError;

/// A view that cannot be made, built or read.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A design document that is none.
    #[error("{0}")]
    InvalidDesign(String),
    /// The design document has no view of this name.
    #[error("missing_named_view")]
    MissingView,
    /// Options of a query that contradict each other or the view.
    #[error("{0}")]
    QueryParse(String),
    /// A function failed, or was stopped while it looked at a document.
    #[error("{}", described(.script, .function, .document.as_deref()))]
    Script {
        /// What happened.
        script: ScriptError,
        /// The design document whose function it was.
        function: String,
        /// The document that the function was given.
        document: Option<String>,
    },
    /// A built-in reduction cannot take these values.
    #[error("{0}")]
    InvalidValue(String),
    /// Views of capped collections are not kept: their evictions leave no trace in the change log.
    #[error("views of a capped collection are not supported")]
    Capped,
}

/// The result of an operation of views.
pub type Result<T> = std::result::Result<T, Error>;

fn described(script: &ScriptError, function: &str, document: Option<&str>) -> String {
    match (script, document) {
        (ScriptError::Thrown { reason, .. }, _) => reason.clone(),
        (script, Some(document)) => format!("{script}, at document {document} in {function}"),
        (script, None) => format!("{script}, in {function}"),
    }
}
