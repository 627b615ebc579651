//! What clients are told when something cannot be done: a status of HTTP and Riak's text. Protocol buffers carry a text alone, which
//! is another one now and then.

use code::Code;
use http::{BodyError, StatusCode};

/// What handlers give back.
pub(crate) type Result<T, E = RiakError> = std::result::Result<T, E>;

/// An error as a client sees it.
#[derive(Clone, Debug)]
pub(crate) struct RiakError {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
    /// What HTTP says instead.
    web_message: Option<String>,
}

impl RiakError {
    pub(crate) fn new(status: StatusCode, message: impl Into<String>) -> RiakError {
        RiakError {
            status,
            message: message.into(),
            web_message: None,
        }
    }

    /// The same with a text of its own for HTTP.
    pub(crate) fn or_by_http(mut self, message: impl Into<String>) -> RiakError {
        self.web_message = Some(message.into());
        self
    }

    /// What HTTP says.
    pub(crate) fn web_message(&self) -> &str {
        self.web_message.as_ref().unwrap_or(&self.message)
    }

    /// The answer took longer than the client waits.
    pub(crate) fn timeout() -> RiakError {
        RiakError::new(StatusCode::SERVICE_UNAVAILABLE, "timeout").or_by_http("request timed out")
    }

    /// A task that read inputs has panicked.
    pub(crate) fn reading_broke_off() -> RiakError {
        RiakError::new(StatusCode::INTERNAL_SERVER_ERROR, "reading the inputs broke off")
    }

    /// More copies are asked for than an object has.
    pub(crate) fn too_few_copies(copies: u64) -> RiakError {
        RiakError::bad(format!("{{n_val_violation,{copies}}}")).or_by_http(format!(
            "Specified w/dw/pw values invalid for bucket n value of {copies}"
        ))
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
            Code::MAX_TIME_MS_EXPIRED => return RiakError::timeout(),
            Code::INTERRUPTED
            | Code::CLIENT_DISCONNECT
            | Code::INTERRUPTED_AT_SHUTDOWN
            | Code::EXCEEDED_MEMORY_LIMIT => StatusCode::SERVICE_UNAVAILABLE,
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
