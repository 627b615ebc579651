//! Collections, views and indexes: making, changing, listing and dropping them, and the rules for their names and options.

pub(crate) mod capped;
pub(crate) mod collations;
pub(crate) mod collections;
mod described;
pub(crate) mod filter;
pub(crate) mod id_index;
pub(crate) mod index_kinds;
pub(crate) mod index_spec;
pub(crate) mod indexes;
pub(crate) mod modify_index;
pub(crate) mod names;
pub(crate) mod own;
pub(crate) mod partial_filter;
pub(crate) mod storage_engine;
mod text_index;
pub(crate) mod views;
