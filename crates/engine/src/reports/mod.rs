//! What the server, its databases and its collections tell about themselves.

pub(crate) mod describe;
pub(crate) mod field_names;
pub(crate) mod stats;
