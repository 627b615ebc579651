//! Errors, as a client is told them.

use code::Code;
use engine::Error;
use engine::files::FileError;
use http::header::ALLOW;
use http::{BodyError, HeaderName, HeaderValue, StatusCode};

/// A refusal or a failure.
#[derive(Debug)]
pub(crate) struct WebError {
    pub(crate) status: StatusCode,
    /// A word for programs.
    pub(crate) error: &'static str,
    /// A sentence for people.
    pub(crate) reason: String,
    pub(crate) header: Option<(HeaderName, HeaderValue)>,
}

pub(crate) type Result<T, E = WebError> = std::result::Result<T, E>;

impl WebError {
    pub(crate) fn new(status: StatusCode, error: &'static str, reason: impl Into<String>) -> WebError {
        WebError {
            status,
            error,
            reason: reason.into(),
            header: None,
        }
    }

    pub(crate) fn bad_request(reason: impl Into<String>) -> WebError {
        WebError::new(StatusCode::BAD_REQUEST, "bad_request", reason)
    }

    pub(crate) fn not_found(reason: impl Into<String>) -> WebError {
        WebError::new(StatusCode::NOT_FOUND, "not_found", reason)
    }

    pub(crate) fn forbidden(reason: impl Into<String>) -> WebError {
        WebError::new(StatusCode::FORBIDDEN, "forbidden", reason)
    }

    pub(crate) fn precondition_failed() -> WebError {
        let reason =
            "the file is not as If-Match, If-None-Match or If-Unmodified-Since require; read it again";
        WebError::new(StatusCode::PRECONDITION_FAILED, "precondition_failed", reason)
    }

    /// The path does not have the method.
    pub(crate) fn not_allowed(methods: &'static str) -> WebError {
        let reason = format!("this path takes {methods}");
        WebError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", reason)
            .with_header(ALLOW, HeaderValue::from_static(methods))
    }

    #[must_use]
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> WebError {
        self.header = Some((name, value));
        self
    }
}

impl From<FileError> for WebError {
    fn from(error: FileError) -> WebError {
        let reason = error.to_string();
        let (status, word) = match &error {
            FileError::Busy => (StatusCode::LOCKED, "locked"),
            FileError::Exists(_) => (StatusCode::CONFLICT, "exists"),
            FileError::OtherLength { .. } => (StatusCode::BAD_REQUEST, "length"),
            FileError::Joined => (StatusCode::FORBIDDEN, "joined"),
            FileError::PartMissing(_) => (StatusCode::NOT_FOUND, "part_missing"),
            FileError::PartTwice(_) => (StatusCode::BAD_REQUEST, "part_twice"),
            FileError::PartUnfinished { .. } => (StatusCode::BAD_REQUEST, "part_unfinished"),
            FileError::DigestMismatch(_) => (StatusCode::BAD_REQUEST, "digest_mismatch"),
            FileError::TooLong { .. } | FileError::TooManyChunks(_) => {
                (StatusCode::PAYLOAD_TOO_LARGE, "too_large")
            }
            FileError::ConditionFailed => return WebError::precondition_failed(),
            FileError::Deleted(_) => (StatusCode::NOT_FOUND, "not_found"),
            FileError::Damaged { .. } => (StatusCode::INTERNAL_SERVER_ERROR, "damaged"),
            FileError::Engine(error) => return WebError::from(error.clone()),
        };
        WebError::new(status, word, reason)
    }
}

impl From<Error> for WebError {
    fn from(error: Error) -> WebError {
        let (status, word) = match error.code {
            Code::BAD_VALUE | Code::INVALID_NAMESPACE => (StatusCode::BAD_REQUEST, "bad_request"),
            Code::DOCUMENT_VALIDATION_FAILURE | Code::COMMAND_NOT_SUPPORTED_ON_VIEW => {
                (StatusCode::CONFLICT, "refused")
            }
            Code::EXCEEDED_MEMORY_LIMIT => (StatusCode::SERVICE_UNAVAILABLE, "unavailable"),
            Code::OUT_OF_DISK_SPACE => (StatusCode::INSUFFICIENT_STORAGE, "insufficient_storage"),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        };
        WebError::new(status, word, error.message)
    }
}

impl From<BodyError> for WebError {
    fn from(error: BodyError) -> WebError {
        match error {
            BodyError::TooLarge { .. } => {
                WebError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", error.to_string())
            }
            BodyError::NoMemory(_) => {
                WebError::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", error.to_string())
            }
            BodyError::Late(_) => WebError::new(StatusCode::REQUEST_TIMEOUT, "timeout", error.to_string()),
            _ => WebError::bad_request(error.to_string()),
        }
    }
}
