//! Finds and pipelines: from a client's request to a cursor, and what explains and steers them.

pub(crate) mod aggregate;
pub(crate) mod at_hand;
pub(crate) mod cursors;
pub(crate) mod data_size;
pub(crate) mod explain;
pub(crate) mod find;
pub(crate) mod hashes;
pub(crate) mod listing;
pub(crate) mod plan_cache;
pub(crate) mod replacement;
pub(crate) mod stage_collections;
