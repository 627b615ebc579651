//! What clients are shown of documents that were found, as Elasticsearch shows it.
//!
//! Parts of documents ([`SourceFilter`]), the values of their fields ([`fetched`]), what scripts make of them ([`ScriptField`]), their
//! terms ([`TermVectors`]); what can be done with fields ([`FieldCaps`]), and parts of answers ([`filter_path`]).
//!
//! What must hold: what a request says and nothing here understands is an error; nothing is changed.
//!
//! Left to others: which documents are found (`search`), and how an answer is made (`elastic`).

mod field_caps;
mod fields;
pub mod filter_path;
mod index_filter;
mod scripts;
mod source;
mod term_vectors;

pub use field_caps::FieldCaps;
pub use fields::{ValuesOf, WantedField, check_source, count, fetched, fetched_stored, stored_of};
pub use index_filter::IndexFilter;
pub use scripts::{ScriptField, put_scripted};
pub use source::SourceFilter;
pub use term_vectors::{TermCounts, TermFilter, TermVectors};
