//! How the fields of a collection are read: mappings as Elasticsearch has them.
//!
//! A [`Mapping`] says which fields there are and of which types ([`mapping`]), [`analysis`] how text becomes terms, a
//! [`fields::View`] gives the values of a document's fields as [`fields::Term`]s, read where they lie. What all that reads
//! JSON of clients shares is here too: members taken one by one ([`json`]), errors in Elasticsearch's words ([`error`]), dates
//! ([`dates`]).
//!
//! Left to others: queries, sorts and aggregations over these values (`search`).

pub mod analysis;
pub mod asked;
mod check;
pub mod columns;
pub mod completion;
pub mod dates;
pub mod decimals;
pub mod error;
pub mod fields;
pub mod flattened;
pub mod geo;
pub mod intervals;
pub mod java;
pub mod json;
mod mapping;
pub mod meant;
pub mod murmur;
pub mod names;
pub mod rows;
pub mod shard_counts;
pub mod shards;
pub mod short;
mod term;
mod unsigned;
pub mod value_format;
mod value_kind;
mod vector_fields;
pub mod vectors;

pub use mapping::{Field, FieldKind, Mapping, Meta, OBJECTS_DEPTH_MAX, Placed, Rules};
pub use value_kind::ValueKind;
