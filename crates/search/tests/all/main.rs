//! Tests of searches, as programs write them.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod corpora;
mod knn;
mod limits;
mod lucene;
mod simple;
mod units;
