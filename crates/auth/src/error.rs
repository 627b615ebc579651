//! What can be wrong with users, passwords and logins.

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
    /// A role that is not a built-in role of that database.
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
