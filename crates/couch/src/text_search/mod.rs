//! Full-text indexes of design documents: what their index functions say of documents, and searches over it.
//!
//! An index is a view whose rows hold what `index` was told ([`index`]), so it is never behind a write that was acknowledged. A search
//! shows all of its rows to a run of Elasticsearch's queries ([`found`]), whose fields are those that index functions named ([`said`]) and
//! whose analyzers have CouchDB's names ([`analyzers`]).

mod analyzers;
mod found;
mod index;
mod said;

pub(crate) use analyzers::{older_terms, terms};
pub(crate) use found::{Asked, FieldRanges, Found, HITS_MAX, SortBy};
pub(crate) use index::{Form, TextIndex, views_of};
pub(crate) use said::stored;
