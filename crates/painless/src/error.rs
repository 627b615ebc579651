//! Why a script cannot be compiled or run.

use code::Code;

/// Why a script cannot be compiled or run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScriptError {
    /// It is not of the language, or of a part of it that is not here.
    #[error("{0}")]
    Compile(String),
    /// It went wrong.
    #[error("{0}")]
    Run(String),
    /// It was told to end.
    #[error(transparent)]
    Ended(#[from] Ended),
}

/// Why a script was told to end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct Ended {
    /// What it is.
    pub code: Code,
    /// The same in words.
    pub reason: String,
}

pub(crate) type Result<T> = std::result::Result<T, ScriptError>;

pub(crate) fn compile<T>(reason: impl Into<String>) -> Result<T> {
    Err(ScriptError::Compile(reason.into()))
}

pub(crate) fn failed<T>(reason: impl Into<String>) -> Result<T> {
    Err(ScriptError::Run(reason.into()))
}
