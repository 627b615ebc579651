//! A part of Painless, Elasticsearch's scripting language: what updates, conditions of pipelines and scores are written in.
//!
//! A [`Script`] is compiled once from its source and run with [`Globals`]: `ctx`, `params`, and what a [`Host`] says of fields
//! (`doc['name']`). Statements are declarations, functions, assignments, `if`, `for`, `while`, `try`, `return`; values are those
//! of JSON and dates, with the usual methods of texts, lists and maps and `Math`,
//! and regular expressions. What is not known is an error that names it.
//!
//! What must hold: a script ends, within [`limits`] of steps, memory and depth, whatever it says; it sees nothing but what it
//! is handed.
//!
//! Left to others: where scripts stand in requests, and what their results mean (`search`, `ingest`, `elastic`).

mod ast;
mod counted;
mod dates;
mod decay;
mod error;
pub mod limits;
mod lists;
mod methods;
pub mod moving;
mod object;
mod parse;
mod patterns;
mod run;
mod statics;
mod token;
mod writer;

pub use error::{Ended, ScriptError};
pub use run::{Globals, Host, Script};
