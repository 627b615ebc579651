//! Both protocols over sockets, on a store in memory.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

mod answers;
mod clocks;
mod confirms;
mod corpora;
mod datatypes;
mod explosion;
mod filters;
mod key_ranges;
mod links;
mod mapreduce;
mod mapreduce_failures;
mod objects;
mod operations;
mod pipelined;
mod requests;
mod server;
mod siblings;
mod sizes;
mod wire;
