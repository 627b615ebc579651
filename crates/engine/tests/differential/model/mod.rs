//! A model of MongoDB's query language, in the simplest way: it works on trees, and shares nothing with the engine but the
//! type of values.

pub mod keys;
pub mod matching;
pub mod order;
pub mod path;
pub mod update;

use value::{Document, Value};

/// The `_id` of a document of these tests.
pub fn id(document: &Document) -> i32 {
    match document.get("_id") {
        Some(Value::Int32(id)) => *id,
        other => panic!("a document without an integer _id: {other:?}"),
    }
}
