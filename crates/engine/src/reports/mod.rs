//! Reports on the server, its databases and its collections.

pub(crate) mod describe;
pub(crate) mod field_names;
pub(crate) mod stats;
