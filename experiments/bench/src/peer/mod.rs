//! The peers that run in this process: SQLite, views without a server, and bare calls of the engine as the limit.

mod engine;
mod sqlite;
mod view;

pub use engine::BareEngine;
pub use sqlite::Sqlite;
pub use view::ViewStore;
