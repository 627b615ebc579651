//! Why a pipeline is none, and why a document could not go through it.

use mapping::java::class_of;
use value::Value;

/// Why a definition is no pipeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PipelineError {
    /// What is wrong.
    pub reason: String,
    /// The processor that is wrong, by its type.
    pub processor: Option<String>,
    /// Its tag.
    pub tag: Option<String>,
    /// The option that is wrong.
    pub property: Option<String>,
    /// Whether it is something of Elasticsearch's that is not here.
    pub is_unsupported: bool,
}

impl PipelineError {
    pub(crate) fn new(reason: impl Into<String>) -> PipelineError {
        PipelineError {
            reason: reason.into(),
            processor: None,
            tag: None,
            property: None,
            is_unsupported: false,
        }
    }

    pub(crate) fn of(property: &str, reason: impl std::fmt::Display) -> PipelineError {
        PipelineError {
            property: Some(property.to_owned()),
            ..PipelineError::new(format!("[{property}] {reason}"))
        }
    }

    pub(crate) fn unsupported(what: impl std::fmt::Display) -> PipelineError {
        PipelineError {
            is_unsupported: true,
            ..PipelineError::new(format!("{what} is not supported"))
        }
    }
}

/// Why a document could not go through a pipeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Failure {
    /// What Elasticsearch calls such an error.
    pub kind: &'static str,
    /// What is wrong with what.
    pub reason: String,
    /// The processor that failed, by its type.
    pub processor: String,
    /// Its tag.
    pub tag: Option<String>,
}

impl Failure {
    pub(crate) fn new(reason: impl Into<String>) -> Failure {
        Failure::of("illegal_argument_exception", reason)
    }

    pub(crate) fn of(kind: &'static str, reason: impl Into<String>) -> Failure {
        Failure {
            kind,
            reason: reason.into(),
            processor: String::new(),
            tag: None,
        }
    }
}

pub(crate) type Result<T, E = Failure> = std::result::Result<T, E>;

pub(crate) fn failed<T>(reason: impl Into<String>) -> Result<T> {
    Err(Failure::new(reason))
}

/// A field does not have a value of the class that is wanted.
pub(crate) fn cannot_cast<T>(field: &str, found: &Value, wanted: &str) -> Result<T> {
    failed(format!(
        "field [{field}] of type [{}] cannot be cast to [{wanted}]",
        class_of(found)
    ))
}
