//! Writes on a collection: statements of insert, update, delete and findAndModify, run through the store's commit.

mod insert;
mod validator;

pub use insert::{InsertOptions, Inserted, WriteError, insert};
pub use validator::{ValidationAction, ValidationLevel, Validator};
