//! Errors on their way to a client: code, name, message and whatever else the reply carries.

use crate::code_name::code_name;
use crate::wire::WireError;
use auth::AuthError;
use value::{Document, Value, doc};

/// What a command gives back.
pub type Result<T, E = CommandError> = std::result::Result<T, E>;

/// A command that failed, in MongoDB's code and words.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// MongoDB's error code.
    pub code: i32,
    /// What was wrong, with what, and what would be right.
    pub message: String,
    /// Further fields of the reply.
    pub details: Document,
}

impl CommandError {
    /// An error of this code and message.
    pub fn new(code: i32, message: impl Into<String>) -> CommandError {
        CommandError {
            code,
            message: message.into(),
            details: Document::new(),
        }
    }

    /// Code 2.
    pub fn bad_value(message: impl Into<String>) -> CommandError {
        CommandError::new(2, message)
    }

    /// Code 9.
    pub fn failed_to_parse(message: impl Into<String>) -> CommandError {
        CommandError::new(9, message)
    }

    /// Code 13.
    pub fn unauthorized(message: impl Into<String>) -> CommandError {
        CommandError::new(13, message)
    }

    /// Code 14.
    pub fn type_mismatch(message: impl Into<String>) -> CommandError {
        CommandError::new(14, message)
    }

    /// Code 72.
    pub fn invalid_options(message: impl Into<String>) -> CommandError {
        CommandError::new(72, message)
    }

    /// Code 73.
    pub fn invalid_namespace(message: impl Into<String>) -> CommandError {
        CommandError::new(73, message)
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
            "code": self.code,
            "codeName": code_name(self.code).as_ref(),
        };
        for (name, value) in self.details.iter() {
            reply.push(name, value.clone());
        }
        reply
    }

    /// As an element of `writeErrors`.
    pub fn to_write_error(&self, index: usize) -> Document {
        let mut error = doc! {"index": index as i32, "code": self.code};
        for (name, value) in self.details.iter() {
            error.push(name, value.clone());
        }
        error.with("errmsg", &self.message)
    }
}

impl From<engine::Error> for CommandError {
    fn from(error: engine::Error) -> CommandError {
        CommandError {
            code: error.code.0,
            message: error.message,
            details: error.details,
        }
    }
}

impl From<WireError> for CommandError {
    fn from(error: WireError) -> CommandError {
        match error {
            WireError::Invalid { code, message } => CommandError::new(code, message),
            WireError::Io(_) | WireError::Framing(_) => CommandError::new(17, error.to_string()),
        }
    }
}

impl From<AuthError> for CommandError {
    fn from(error: AuthError) -> CommandError {
        let code = match &error {
            AuthError::Failed | AuthError::Payload(_) => 18,
            AuthError::Mechanism(_) => 334,
            AuthError::UnknownRole { .. } => 31,
            AuthError::Password => 2,
            AuthError::Damaged(_) | AuthError::Random => 1,
        };
        CommandError::new(code, error.to_string())
    }
}
