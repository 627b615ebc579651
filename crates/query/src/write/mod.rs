//! Writes on a collection: statements of insert, update, delete and findAndModify, run through the store's commit.

mod validator;

pub use validator::{ValidationAction, ValidationLevel, Validator};
