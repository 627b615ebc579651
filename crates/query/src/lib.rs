//! The query language and how queries run.
//!
//! One filter language, one expression language, one planner for every protocol:
//!
//! - [`filter`]: MongoDB's query language; parsed once, then matched against raw documents.
//! - [`selector`]: CouchDB's query language, its order of values, and which of its indexes bounds a query.
//! - [`expression`]: the aggregation expression language.
//! - [`projection`], [`update`]: what of a document is shown, and how it is changed.
//! - [`write`](mod@write): executing inserts, updates and deletes.
//! - [`plan`]: which indexes can answer a filter and a sort, and which of them is best.
//! - [`execute`]: plans running page by page on a snapshot; finding and changing documents.
//! - [`explain`]: plans and what they examined, in MongoDB's shape.
//! - [`pipeline`]: aggregation stages over pages of documents.
//! - [`spill`]: temporary files for what does not fit into memory.
//!
//! Errors carry MongoDB's code and message ([`QueryError`]): the language is MongoDB's, and so are its errors.
//!
//! Left to others: names of databases and collections, sessions, users (`engine`), wire forms (`mongo`, …).

pub mod code;
mod error;
pub mod execute;
pub mod explain;
pub mod expression;
pub mod filter;
pub mod pipeline;
pub mod plan;
pub mod projection;
pub mod selector;
pub mod spill;
pub mod update;
pub mod write;

pub use code::Code;
pub use error::{QueryError, Result};
