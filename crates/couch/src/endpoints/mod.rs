//! One file a family of endpoints: parse, call the engine, encode.

pub(crate) mod active_tasks;
pub(crate) mod all_docs;
pub(crate) mod bulk_docs;
pub(crate) mod bulk_get;
pub(crate) mod changes;
pub(crate) mod cluster_setup;
pub(crate) mod couchapp;
pub(crate) mod database;
pub(crate) mod document;
mod figures;
pub(crate) mod local;
pub(crate) mod mango;
pub(crate) mod node;
pub(crate) mod partition;
pub(crate) mod replicate;
pub(crate) mod reshard;
pub(crate) mod revisions;
pub(crate) mod root;
pub(crate) mod scheduler;
pub(crate) mod session;
pub(crate) mod text_search;
pub(crate) mod uuids;
pub(crate) mod view;
