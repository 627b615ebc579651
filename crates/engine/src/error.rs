//! The errors of the engine.

use code::Code;
use query::QueryError;
use store::StoreError;
use value::{Document, Value};

/// The result of an engine operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal or a failure, with MongoDB's code and message, which each protocol turns into its own.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// MongoDB's error code.
    pub code: Code,
    /// What was wrong, with what, and what would be right.
    pub message: String,
    /// Further fields of the reply (`keyPattern`, `keyValue`, `errInfo`).
    pub details: Document,
}

impl Error {
    /// An error of this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
            details: Document::new(),
        }
    }

    /// The same error with one more field in its reply.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<Value>) -> Error {
        self.details.push(name, value);
        self
    }
}

impl From<auth::AuthError> for Error {
    fn from(error: auth::AuthError) -> Error {
        Error::new(error.code(), error.to_string())
    }
}

impl From<language::Error> for Error {
    fn from(error: language::Error) -> Error {
        Error::new(error.code, error.message)
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Error {
        match error {
            QueryError::Language(error) => error.into(),
            QueryError::Store(error) => error.into(),
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Error {
        let answer = Error::new(error.code(), error.to_string());
        match error {
            StoreError::DuplicateKey {
                pattern,
                key,
                collation,
                ..
            } => {
                let answer = answer.with_detail("keyPattern", pattern);
                match collation {
                    None => answer.with_detail("keyValue", key),
                    Some(collation) => collated_key(answer, key).with_detail("collation", *collation),
                }
            }
            _ => answer,
        }
    }
}

/// Adds the key of an index with a collation: the keys of its strings, in hexadecimal digits, and which they are.
fn collated_key(answer: Error, key: Document) -> Error {
    let mut in_digits = Vec::with_capacity(key.len());
    let mut shown = Document::new();
    for (name, value) in key {
        let digits = match &value {
            Value::String(text) => store::digits_of_key(text).map(Value::from),
            _ => None,
        };
        in_digits.push(digits.is_some());
        shown.push(name, digits.unwrap_or(value));
    }
    let answer = answer.with_detail("keyValue", shown);
    match in_digits.contains(&true) {
        true => answer.with_detail(
            "hexEncoded",
            in_digits.into_iter().map(Value::Bool).collect::<Value>(),
        ),
        false => answer,
    }
}

impl From<memory::Full> for Error {
    fn from(full: memory::Full) -> Error {
        Error::new(Code::EXCEEDED_MEMORY_LIMIT, full.to_string())
    }
}

impl From<kv::Error> for Error {
    fn from(error: kv::Error) -> Error {
        Error::from(StoreError::from(error))
    }
}
