//! What clients are told when something cannot be done: a status of HTTP and Riak's text, which protocol buffers carry alone.

use code::Code;
use http::{BodyError, StatusCode};

/// What handlers give back.
pub(crate) type Result<T, E = RiakError> = std::result::Result<T, E>;

/// An error as a client sees it.
#[derive(Clone, Debug)]
pub(crate) struct RiakError {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl RiakError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> RiakError {
        RiakError {
            status,
            message: message.into(),
        }
    }

    pub(crate) fn bad(message: impl Into<String>) -> RiakError {
        RiakError::new(StatusCode::BAD_REQUEST, message)
    }

    /// Larder does not do this.
    pub(crate) fn unsupported(what: impl std::fmt::Display) -> RiakError {
        RiakError::new(StatusCode::NOT_IMPLEMENTED, format!("{what} is not supported"))
    }

    pub(crate) fn precondition(message: impl Into<String>) -> RiakError {
        RiakError::new(StatusCode::PRECONDITION_FAILED, message)
    }

    pub(crate) fn forbidden(message: impl Into<String>) -> RiakError {
        RiakError::new(StatusCode::FORBIDDEN, message)
    }
}

impl From<BodyError> for RiakError {
    fn from(error: BodyError) -> RiakError {
        let status = match error {
            BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
            BodyError::NoMemory(_) => StatusCode::SERVICE_UNAVAILABLE,
            BodyError::Late(_) => StatusCode::REQUEST_TIMEOUT,
            _ => StatusCode::BAD_REQUEST,
        };
        RiakError::new(status, error.to_string())
    }
}

impl From<serde_json::Error> for RiakError {
    fn from(error: serde_json::Error) -> RiakError {
        RiakError::bad(format!("the body is not the JSON that is wanted: {error}"))
    }
}

impl From<engine::Error> for RiakError {
    /// MongoDB's codes, which the engine speaks, in Riak's terms.
    fn from(error: engine::Error) -> RiakError {
        let status = match error.code {
            Code::NAMESPACE_NOT_FOUND => StatusCode::NOT_FOUND,
            Code::BSON_OBJECT_TOO_LARGE => StatusCode::PAYLOAD_TOO_LARGE,
            Code::MAX_TIME_MS_EXPIRED => return RiakError::new(StatusCode::SERVICE_UNAVAILABLE, "timeout"),
            Code::INTERRUPTED_AT_SHUTDOWN | Code::EXCEEDED_MEMORY_LIMIT => StatusCode::SERVICE_UNAVAILABLE,
            Code::DUPLICATE_KEY => StatusCode::CONFLICT,
            Code::DOCUMENT_VALIDATION_FAILURE
            | Code::BAD_VALUE
            | Code::INVALID_NAMESPACE
            | Code::INVALID_ID_FIELD
            | Code::COMMAND_NOT_SUPPORTED_ON_VIEW => StatusCode::BAD_REQUEST,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        RiakError::new(status, error.message)
    }
}
