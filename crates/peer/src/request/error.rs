//! Why a replication is refused before it begins.

use http::StatusCode;

/// What is wrong with a request for a replication: the status, word and reason that its client is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestError {
    /// The status of the answer.
    pub status: StatusCode,
    /// The short word for it.
    pub error: &'static str,
    /// What was wrong.
    pub reason: String,
}

/// What reading a request gives back.
pub(super) type Result<T> = std::result::Result<T, RequestError>;

impl RequestError {
    pub(super) fn new(status: StatusCode, error: &'static str, reason: impl Into<String>) -> RequestError {
        RequestError {
            status,
            error,
            reason: reason.into(),
        }
    }

    pub(super) fn bad_request(reason: impl Into<String>) -> RequestError {
        RequestError::new(StatusCode::BAD_REQUEST, "bad_request", reason)
    }

    pub(super) fn not_implemented(reason: impl Into<String>) -> RequestError {
        RequestError::new(StatusCode::NOT_IMPLEMENTED, "not_implemented", reason)
    }
}
