//! The engine's tables in memory: cursors, moments, sessions, operations, users,
//! roles, validators.
//!
//! What must hold: a table knows nothing of the engine that holds it, nor of other tables' contents.

pub(crate) mod attempts;
pub(crate) mod cursors;
pub(crate) mod display;
pub(crate) mod latencies;
pub(crate) mod moments;
pub(crate) mod operations;
mod passwords;
pub(crate) mod profiler;
mod records;
pub(crate) mod roles;
pub(crate) mod sessions;
pub(crate) mod users;
pub(crate) mod validators;
