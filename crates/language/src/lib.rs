//! MongoDB's query language, as pure functions over values.
//!
//! - [`filter`]: conditions on documents; parsed once, then matched against raw documents.
//! - [`expression`]: the aggregation expression language, and the accumulators of `$group`.
//! - [`projection`]: the parts of a document that are returned.
//! - [`regex`]: regular expressions with MongoDB's options.
//! - [`fields`]: options read strictly, with MongoDB's errors.
//! - [`sort_path`]: what the elements of an array are sorted by.
//! - [`script`]: functions in JavaScript over BSON values.
//! - [`interruption`]: ending operations that take too long.
//!
//! What must hold: nothing here reads a collection or a file, and no value depends on a clock (unless a script asks for
//! it); an evaluation is handed the time and the variables that it needs. Code that loops over values counts its
//! steps, so that it can be ended. Errors carry MongoDB's code and message ([`Error`]), since the language is MongoDB's.
//!
//! Left to others: how a document is changed (`update`), which index helps, reading and writing (`query`), stages (`pipeline`),
//! CouchDB's language (`mango`).

mod collation;
mod error;
pub mod expression;
pub mod fields;
pub mod filter;
pub mod interruption;
pub mod metrics;
pub mod path_depth;
pub mod projection;
pub mod regex;
pub mod script;
pub mod sort_path;

pub use code::Code;
pub use error::{Error, Result};
pub use fields::Fields;
pub use interruption::Interruption;
