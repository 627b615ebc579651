//! What can be wrong with users, roles, passwords and logins.

use code::Code;
use value::ValueRef;

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
    /// A privilege whose parts do not go together, or with actions that there are not.
    #[error("{0}")]
    Privilege(String),
    /// A part of a privilege that is missing.
    #[error("BSON field '{0}' is missing but a required field")]
    PrivilegeMissing(&'static str),
    /// A part of a privilege that is of a wrong type.
    #[error("BSON field '{name}' is the wrong type '{found}', expected type '{wanted}'")]
    PrivilegeType {
        /// The part.
        name: &'static str,
        /// The type that it is of.
        found: &'static str,
        /// The type that it should be of.
        wanted: &'static str,
    },
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
    /// The error that a part of a privilege is of a wrong type.
    pub(crate) fn privilege_type(name: &'static str, value: ValueRef<'_>, wanted: &'static str) -> AuthError {
        AuthError::PrivilegeType {
            name,
            found: value.type_of().alias(),
            wanted,
        }
    }

    /// MongoDB's code.
    pub fn code(&self) -> Code {
        match self {
            AuthError::Failed | AuthError::Payload(_) => Code::AUTHENTICATION_FAILED,
            AuthError::Mechanism(_) => Code::MECHANISM_UNAVAILABLE,
            AuthError::Privilege(_) => Code::BAD_VALUE,
            AuthError::PrivilegeMissing(_) => Code::MISSING_FIELD,
            AuthError::PrivilegeType { .. } => Code::TYPE_MISMATCH,
            AuthError::RoleModification(_) => Code::INVALID_ROLE_MODIFICATION,
            AuthError::UnknownRole { .. } => Code::ROLE_NOT_FOUND,
            AuthError::Password => Code::BAD_VALUE,
            AuthError::Damaged(_) | AuthError::Random => Code::INTERNAL_ERROR,
        }
    }
}
