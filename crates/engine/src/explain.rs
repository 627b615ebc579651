//! Explaining a command.

/// How much is told.
pub use query::explain::Verbosity;
