//! The catalog: which collections there are, with their options and indexes.

mod namespace;
mod options;
mod store;

pub use namespace::Namespace;
pub use options::{CappedOptions, CollectionOptions, StoreOptions};
pub use store::Store;
