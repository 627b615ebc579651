//! Lines of each format, and the documents that they become.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod formats;
mod hostile;
mod joining;
mod samples;
mod times;
