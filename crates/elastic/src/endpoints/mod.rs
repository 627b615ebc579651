//! What paths answer, a file a family.

pub(crate) mod aliases;
pub(crate) mod analyze;
pub(crate) mod bulk;
pub(crate) mod cat;
pub(crate) mod cluster;
pub(crate) mod document;
pub(crate) mod index;
pub(crate) mod mapping;
pub(crate) mod mget;
pub(crate) mod root;
pub(crate) mod search;
pub(crate) mod settings;
pub(crate) mod template;
