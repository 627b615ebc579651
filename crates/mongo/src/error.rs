//! Errors on their way to a client: code, name, message and whatever else the reply carries.

use crate::wire::WireError;
use auth::AuthError;
use code::Code;
use value::{Document, Value, doc};

/// The result of a command.
pub type Result<T, E = CommandError> = std::result::Result<T, E>;

/// A command that failed, in MongoDB's code and words.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// MongoDB's error code.
    pub code: Code,
    /// What was wrong, with what, and what would be right.
    pub message: String,
    /// Further fields of the reply.
    pub details: Document,
}

impl CommandError {
    /// An error of this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> CommandError {
        CommandError {
            code,
            message: message.into(),
            details: Document::new(),
        }
    }

    /// A value that is not allowed, the commonest error.
    pub fn bad_value(message: impl Into<String>) -> CommandError {
        CommandError::new(Code::BAD_VALUE, message)
    }

    /// A document that does not have the form that is asked for.
    pub fn failed_to_parse(message: impl Into<String>) -> CommandError {
        CommandError::new(Code::FAILED_TO_PARSE, message)
    }

    /// The user may not do it.
    pub fn unauthorized(message: impl Into<String>) -> CommandError {
        CommandError::new(Code::UNAUTHORIZED, message)
    }

    /// A value of another type than the one that is asked for.
    pub fn type_mismatch(message: impl Into<String>) -> CommandError {
        CommandError::new(Code::TYPE_MISMATCH, message)
    }

    /// Options that do not go together, or that a collection cannot have.
    pub fn invalid_options(message: impl Into<String>) -> CommandError {
        CommandError::new(Code::INVALID_OPTIONS, message)
    }

    /// A name that no database or collection can have.
    pub fn invalid_namespace(message: impl Into<String>) -> CommandError {
        CommandError::new(Code::INVALID_NAMESPACE, message)
    }

    /// The same error with one more field in its reply.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> CommandError {
        self.details.push(name, value);
        self
    }

    /// The reply.
    pub fn to_reply(&self) -> Document {
        let mut reply = doc! {
            "ok": 0.0,
            "errmsg": &self.message,
            "code": self.code.number(),
            "codeName": self.code.name().as_ref(),
        };
        for (name, value) in self.details.iter() {
            reply.push(name, value.clone());
        }
        reply
    }

    /// The error as an element of `writeErrors`.
    pub fn to_write_error(&self, index: usize) -> Document {
        let mut error = doc! {"index": index as i32, "code": self.code.number()};
        for (name, value) in self.details.iter() {
            error.push(name, value.clone());
        }
        error.with("errmsg", &self.message)
    }
}

impl From<engine::Error> for CommandError {
    fn from(error: engine::Error) -> CommandError {
        CommandError {
            code: error.code,
            message: error.message,
            details: error.details,
        }
    }
}

impl From<language::Error> for CommandError {
    fn from(error: language::Error) -> CommandError {
        CommandError::new(error.code, error.message)
    }
}

impl From<WireError> for CommandError {
    fn from(error: WireError) -> CommandError {
        match error {
            WireError::Invalid { code, message } => CommandError::new(code, message),
            WireError::Io(_) | WireError::Framing(_) => {
                CommandError::new(Code::PROTOCOL_ERROR, error.to_string())
            }
        }
    }
}

impl From<AuthError> for CommandError {
    fn from(error: AuthError) -> CommandError {
        CommandError::new(error.code(), error.to_string())
    }
}
