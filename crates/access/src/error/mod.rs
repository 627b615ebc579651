//! What clients are told when something cannot be done: CouchDB's status, error and reason.
//!
//! The table is CouchDB's (`src/chttpd/src/chttpd.erl`, `error_info`).

mod conversions;

use http::StatusCode;
use std::borrow::Cow;

/// What the endpoints give back.
pub type Result<T, E = CouchError> = std::result::Result<T, E>;

/// An error as a client sees it.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{error}: {reason}")]
pub struct CouchError {
    /// The status of the answer.
    pub status: StatusCode,
    /// The short word for it.
    pub error: Cow<'static, str>,
    /// What was wrong.
    pub reason: Cow<'static, str>,
    /// The methods that are allowed, where the one asked for is not.
    pub allow: Option<&'static str>,
}

impl CouchError {
    /// An error of this status, word and reason.
    pub fn new(
        status: StatusCode,
        error: impl Into<Cow<'static, str>>,
        reason: impl Into<Cow<'static, str>>,
    ) -> CouchError {
        CouchError {
            status,
            error: error.into(),
            reason: reason.into(),
            allow: None,
        }
    }

    /// The request is wrong in itself.
    pub fn bad_request(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::BAD_REQUEST, "bad_request", reason)
    }

    /// A parameter of the query has a wrong value.
    pub fn query_parse(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::BAD_REQUEST, "query_parse_error", reason)
    }

    /// A document that cannot be one.
    pub fn doc_validation(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::BAD_REQUEST, "doc_validation", reason)
    }

    /// An id that no document can have.
    pub fn illegal_docid(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::BAD_REQUEST, "illegal_docid", reason)
    }

    /// A name that no partition can have.
    pub fn illegal_partition(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::BAD_REQUEST, "illegal_partition", reason)
    }

    /// A document that has more bytes than it may.
    pub fn document_too_large(id: String) -> CouchError {
        CouchError::new(StatusCode::PAYLOAD_TOO_LARGE, "document_too_large", id)
    }

    /// There is no such thing.
    pub fn not_found(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::NOT_FOUND, "not_found", reason)
    }

    /// There is no such document or revision.
    pub fn missing() -> CouchError {
        CouchError::not_found("missing")
    }

    /// There is no such database.
    pub fn no_database() -> CouchError {
        CouchError::not_found("Database does not exist.")
    }

    /// The revision that was named is not the present one.
    pub fn conflict() -> CouchError {
        CouchError::new(StatusCode::CONFLICT, "conflict", "Document update conflict.")
    }

    /// Somebody must log in, or log in as somebody else.
    pub fn unauthorized(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::UNAUTHORIZED, "unauthorized", reason)
    }

    /// Whoever is logged in may not.
    pub fn forbidden(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::FORBIDDEN, "forbidden", reason)
    }

    /// The endpoint has other methods than this.
    pub fn method_not_allowed(allow: &'static str) -> CouchError {
        let reason = format!("Only {allow} allowed");
        CouchError {
            allow: Some(allow),
            ..CouchError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", reason)
        }
    }

    /// Larder does not do this.
    pub fn not_implemented(reason: impl Into<Cow<'static, str>>) -> CouchError {
        CouchError::new(StatusCode::NOT_IMPLEMENTED, "not_implemented", reason)
    }

    /// A database of this name exists.
    pub fn file_exists() -> CouchError {
        CouchError::new(
            StatusCode::PRECONDITION_FAILED,
            "file_exists",
            "The database could not be created, the file already exists.",
        )
    }
}
