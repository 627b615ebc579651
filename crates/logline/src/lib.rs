//! Lines of logs as documents.
//!
//! A [`Parser`] makes a document of one line, by a [`Format`]: syslog (RFC 3164, RFC 5424, and what files of it look like), the
//! access logs of Apache and nginx, logfmt, JSON, or a pattern of one's own. A [`Joiner`] puts lines together first, where
//! a message has many (stack traces). Fields that all formats may have are called the same everywhere: `time`, `level`, `host`,
//! `program`, `pid`, `message`.
//!
//! What must hold: a parser never panics, whatever the line holds, and loses nothing of it silently: a line without the form
//! is an error that says so.
//!
//! Left to others: where lines come from, what becomes of those that have no form.

pub mod dates;
pub mod infer;

mod access;
mod gathered;
mod joiner;
mod logfmt;
mod object;
mod parser;
mod pattern;
mod stamp;
mod syslog;

pub use joiner::{Joined, Joiner, Rule};
pub use parser::{Format, Mismatch, Parser};
pub use stamp::{Stamp, StampError};
