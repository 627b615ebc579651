//! What can be wrong with users, roles, passwords and logins.

use code::Code;

/// Why a login or a definition of a user was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// The user or the password is wrong. Which of them is not said, so that nobody learns which users exist.
    #[error("Authentication failed.")]
    Failed,
    /// A SASL payload that is not what RFC 5802 asks for.
    #[error("Invalid SCRAM payload: {0}")]
    Payload(&'static str),
    /// The mechanism is not one of ours.
    #[error("Unsupported mechanism '{0}': SCRAM-SHA-256 and SCRAM-SHA-1 are")]
    Mechanism(String),
    /// A privilege that is not of the form that is asked for.
    #[error("{0}")]
    Privilege(String),
    /// A role that cannot be what it would be.
    #[error("{0}")]
    RoleModification(String),
    /// A role that does not exist.
    #[error("Could not find role: {role}@{database}")]
    UnknownRole {
        /// The role's name.
        role: String,
        /// The database that it was asked of.
        database: String,
    },
    /// A password that SASLprep (RFC 4013) forbids.
    #[error("The password holds characters that SASLprep forbids")]
    Password,
    /// A stored user that cannot be read.
    #[error("The stored user is damaged: {0}")]
    Damaged(&'static str),
    /// The operating system gave no random bytes.
    #[error("No random bytes from the operating system")]
    Random,
}

impl AuthError {
    /// MongoDB's code.
    pub fn code(&self) -> Code {
        match self {
            AuthError::Failed | AuthError::Payload(_) => Code::AUTHENTICATION_FAILED,
            AuthError::Mechanism(_) => Code::MECHANISM_UNAVAILABLE,
            AuthError::Privilege(_) => Code::FAILED_TO_PARSE,
            AuthError::RoleModification(_) => Code::INVALID_ROLE_MODIFICATION,
            AuthError::UnknownRole { .. } => Code::ROLE_NOT_FOUND,
            AuthError::Password => Code::BAD_VALUE,
            AuthError::Damaged(_) | AuthError::Random => Code::INTERNAL_ERROR,
        }
    }
}
