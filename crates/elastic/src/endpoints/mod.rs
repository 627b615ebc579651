//! What paths answer, a file a family.

pub(crate) mod aliases;
pub(crate) mod analyze;
pub(crate) mod bulk;
pub(crate) mod by_query;
pub(crate) mod cat;
pub(crate) mod cluster;
pub(crate) mod document;
pub(crate) mod explain;
pub(crate) mod field_caps;
pub(crate) mod index;
pub(crate) mod mapping;
pub(crate) mod mget;
pub(crate) mod nodes;
pub(crate) mod pipelines;
pub(crate) mod recovery;
pub(crate) mod resolved;
pub(crate) mod rollover;
pub(crate) mod root;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod stats;
pub(crate) mod tasks;
pub(crate) mod template;
pub(crate) mod term_vectors;
