//! Conversions of other crates' errors, one table for each crate.

use super::CouchError;
use code::Code;
use engine::files::FileError;
use http::{BodyError, MultipartError, StatusCode};
use json::JsonError;
use mango::SelectorError;
use peer::request::RequestError;
use search::ErrorKind;
use view::ScriptError;

impl From<JsonError> for CouchError {
    fn from(error: JsonError) -> CouchError {
        CouchError::bad_request(error.to_string())
    }
}

impl From<BodyError> for CouchError {
    fn from(error: BodyError) -> CouchError {
        match error {
            BodyError::TooLarge { .. } => CouchError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "too_large",
                "the request entity is too large",
            ),
            BodyError::NoMemory(_) => CouchError::new(
                StatusCode::SERVICE_UNAVAILABLE,
                "service_unavailable",
                error.to_string(),
            ),
            BodyError::Late(_) => CouchError::new(StatusCode::REQUEST_TIMEOUT, "timeout", error.to_string()),
            other => CouchError::bad_request(other.to_string()),
        }
    }
}

impl From<RequestError> for CouchError {
    fn from(error: RequestError) -> CouchError {
        CouchError::new(error.status, error.error, error.reason)
    }
}

impl From<engine::Error> for CouchError {
    /// MongoDB's codes, which the engine speaks, in CouchDB's terms.
    fn from(error: engine::Error) -> CouchError {
        let status = match error.code {
            // A unique index or a validator: nothing that another revision could mend.
            Code::DUPLICATE_KEY | Code::DOCUMENT_VALIDATION_FAILURE | Code::COMMAND_NOT_SUPPORTED_ON_VIEW => {
                (StatusCode::FORBIDDEN, "forbidden")
            }
            Code::BSON_OBJECT_TOO_LARGE => (StatusCode::PAYLOAD_TOO_LARGE, "document_too_large"),
            Code::NAMESPACE_NOT_FOUND => return CouchError::no_database(),
            Code::NAMESPACE_EXISTS => return CouchError::file_exists(),
            Code::INVALID_NAMESPACE => (StatusCode::BAD_REQUEST, "illegal_database_name"),
            Code::BAD_VALUE | Code::FAILED_TO_PARSE | Code::TYPE_MISMATCH | Code::INVALID_ID_FIELD => {
                (StatusCode::BAD_REQUEST, "bad_request")
            }
            Code::MAX_TIME_MS_EXPIRED => {
                return CouchError::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "timeout",
                    "The request could not be processed in a reasonable amount of time.",
                );
            }
            Code::OUT_OF_DISK_SPACE => (StatusCode::INSUFFICIENT_STORAGE, "insufficient_storage"),
            Code::INTERRUPTED_AT_SHUTDOWN | Code::EXCEEDED_MEMORY_LIMIT => {
                (StatusCode::SERVICE_UNAVAILABLE, "service_unavailable")
            }
            // The collection was dropped under the operation.
            Code::QUERY_PLAN_KILLED => return CouchError::no_database(),
            _ => (StatusCode::INTERNAL_SERVER_ERROR, "internal_server_error"),
        };
        CouchError::new(status.0, status.1, error.message)
    }
}

impl From<MultipartError> for CouchError {
    fn from(error: MultipartError) -> CouchError {
        match error {
            MultipartError::Body(error @ (BodyError::TooLarge { .. } | BodyError::NoMemory(_))) => {
                error.into()
            }
            other => CouchError::bad_request(other.to_string()),
        }
    }
}

impl From<FileError> for CouchError {
    fn from(error: FileError) -> CouchError {
        match error {
            FileError::Engine(error) => error.into(),
            FileError::TooManyChunks(_) | FileError::TooLong { .. } => CouchError::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "attachment_too_large",
                error.to_string(),
            ),
            FileError::DigestMismatch(_) => CouchError::bad_request(error.to_string()),
            FileError::Deleted(_) => CouchError::not_found("Document is missing attachment"),
            other => CouchError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal_server_error",
                other.to_string(),
            ),
        }
    }
}

impl From<view::Error> for CouchError {
    fn from(error: view::Error) -> CouchError {
        let text = error.to_string();
        match error {
            view::Error::Store(error) => engine::Error::from(error).into(),
            view::Error::InvalidDesign(_) => {
                CouchError::new(StatusCode::BAD_REQUEST, "invalid_design_doc", text)
            }
            view::Error::MissingView => CouchError::not_found(text),
            view::Error::QueryParse(_) => CouchError::query_parse(text),
            view::Error::Script { script, .. } => of_script(script, text),
            view::Error::InvalidValue(_) => {
                CouchError::new(StatusCode::INTERNAL_SERVER_ERROR, "invalid_value", text)
            }
            view::Error::Capped => CouchError::not_implemented(text),
            _ => CouchError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_server_error", text),
        }
    }
}

impl From<ScriptError> for CouchError {
    fn from(error: ScriptError) -> CouchError {
        let text = match &error {
            ScriptError::Thrown { reason, .. } => reason.clone(),
            other => other.to_string(),
        };
        of_script(error, text)
    }
}

/// What a script's error is called; CouchDB's query server dies where a function has to be stopped.
fn of_script(error: ScriptError, text: String) -> CouchError {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    match error {
        ScriptError::Thrown { kind, .. } if kind == "not_found" => CouchError::not_found(text),
        ScriptError::Thrown { kind, .. } if kind == "forbidden" => CouchError::forbidden(text),
        ScriptError::Thrown { kind, .. } if kind == "unauthorized" => CouchError::unauthorized(text),
        ScriptError::Thrown { kind, .. } if kind == "not_acceptable" => {
            CouchError::new(StatusCode::NOT_ACCEPTABLE, kind, text)
        }
        ScriptError::Thrown { kind, .. } if kind == "method_not_allowed" => {
            CouchError::new(StatusCode::METHOD_NOT_ALLOWED, kind, text)
        }
        ScriptError::Thrown { kind, .. } => CouchError::new(status, kind, text),
        ScriptError::NoMemory(_) => {
            CouchError::new(StatusCode::SERVICE_UNAVAILABLE, "service_unavailable", text)
        }
        _ => CouchError::new(status, "os_process_error", text),
    }
}

impl From<SelectorError> for CouchError {
    fn from(error: SelectorError) -> CouchError {
        CouchError::new(StatusCode::BAD_REQUEST, error.word(), error.to_string())
    }
}

impl From<mango::Error> for CouchError {
    fn from(error: mango::Error) -> CouchError {
        match error {
            mango::Error::Selector(error) => error.into(),
            mango::Error::Refused { word, reason } => CouchError::new(StatusCode::BAD_REQUEST, word, reason),
        }
    }
}

impl From<clouseau::Error> for CouchError {
    fn from(error: clouseau::Error) -> CouchError {
        let text = error.to_string();
        match error {
            clouseau::Error::View(error) => error.into(),
            clouseau::Error::Ended(error) => engine::Error::from(error).into(),
            clouseau::Error::NotFound(_) => CouchError::not_found(text),
            clouseau::Error::InvalidDesign(_) => {
                CouchError::new(StatusCode::BAD_REQUEST, "invalid_design_doc", text)
            }
            clouseau::Error::Search(error) => match error.kind {
                ErrorKind::Memory => {
                    CouchError::new(StatusCode::SERVICE_UNAVAILABLE, "service_unavailable", text)
                }
                ErrorKind::Unsupported => CouchError::not_implemented(text),
                _ => CouchError::bad_request(text),
            },
            _ => CouchError::bad_request(text),
        }
    }
}
