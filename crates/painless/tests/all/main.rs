//! Tests of Painless.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpora;
mod hostile;
mod language;
