//! The peers that run in this process: SQLite, and bare calls of the engine as the limit.

mod engine;
mod sqlite;

pub use engine::BareEngine;
pub use sqlite::Sqlite;
