//! What is wrong with a selector, a query or an index, in CouchDB's words (`src/mango/src/mango_error.erl`).

use std::borrow::Cow;
use value::{Value, json};

/// Why a text is no selector (`src/mango/src/mango_error.erl`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// An operator with an argument that it cannot take.
    #[error("Bad argument for operator {operator}: {argument}")]
    BadArgument {
        /// The operator.
        operator: String,
        /// Its argument as JSON.
        argument: String,
    },
    /// An operator that does not exist.
    #[error("Invalid operator: {0}")]
    InvalidOperator(String),
    /// An operator of MongoDB's that CouchDB does not have.
    #[error("Unsupported operator: {0}")]
    NotSupported(String),
    /// A condition on no field.
    #[error("One or more conditions is missing a field name.")]
    MissingFieldName,
    /// A field with an empty part.
    #[error("Invalid field name: {0}")]
    InvalidFieldName(String),
    /// A search in texts below a field.
    #[error("Invalid field normalization on selector: {0}")]
    BadField(String),
    /// Conditions nested deeper than the limit.
    #[error("the selector is nested deeper than {0} levels")]
    TooDeep(usize),
}

impl SelectorError {
    pub(super) fn bad_argument(operator: &str, argument: &Value) -> SelectorError {
        SelectorError::BadArgument {
            operator: operator.to_owned(),
            argument: shown(argument),
        }
    }

    pub(super) fn bad_field(name: &str) -> SelectorError {
        SelectorError::BadField(name.to_owned())
    }

    /// CouchDB's short word for it.
    pub fn word(&self) -> &'static str {
        match self {
            SelectorError::BadArgument { .. } => "bad_arg",
            SelectorError::InvalidOperator(_) => "invalid_operator",
            SelectorError::NotSupported(_) => "not_supported",
            SelectorError::MissingFieldName | SelectorError::TooDeep(_) => "invalid_selector",
            SelectorError::InvalidFieldName(_) => "invalid_field_name",
            SelectorError::BadField(_) => "bad_field",
        }
    }
}

/// Why a query or an index is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Its selector is wrong.
    #[error(transparent)]
    Selector(#[from] SelectorError),
    /// Something else is.
    #[error("{reason}")]
    Refused {
        /// CouchDB's short word for it.
        word: &'static str,
        /// What is wrong, in CouchDB's words.
        reason: Cow<'static, str>,
    },
}

/// The result of reading a query or of choosing its index.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this short word and reason.
    pub fn refused(word: &'static str, reason: impl Into<Cow<'static, str>>) -> Error {
        Error::Refused {
            word,
            reason: reason.into(),
        }
    }

    /// Something that is no bookmark; `shown` is JSON.
    pub fn invalid_bookmark(shown: &str) -> Error {
        Error::refused("invalid_bookmark", format!("Invalid bookmark value: {shown}"))
    }
}

/// A value as JSON, for messages.
pub fn shown(value: &Value) -> String {
    let mut text = String::new();
    json::write(value.as_ref(), json::Mode::Relaxed, &mut text);
    text
}
