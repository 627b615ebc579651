//! Planning and executing: how queries and writes run on a collection.
//!
//! - [`plan`]: which indexes can answer a filter and a sort, and which of them is best; the one planner for every
//!   protocol.
//! - [`execute`]: plans running page by page on a snapshot; finding and changing documents.
//! - [`write`](mod@write): executing inserts, updates and deletes.
//! - [`explain`]: plans and what they examined, in MongoDB's shape.
//! - [`spill`]: temporary files for what does not fit into memory.
//!
//! Left to others: what filters, updates and expressions mean (`language`), stages (`pipeline`), names of databases and
//! collections, sessions, users (`engine`), wire forms (`mongo`, …).

mod error;
pub mod execute;
pub mod explain;
pub mod plan;
pub mod spill;
pub mod write;

pub use code::Code;
pub use error::{QueryError, Result};
