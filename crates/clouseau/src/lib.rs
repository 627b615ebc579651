//! CouchDB's full-text indexes, as its services Clouseau and Nouveau search them, and Mango's text indexes.
//!
//! An index is a view whose rows hold what `index` was told of each document ([`Definition`]), so it is never behind a write that was
//! acknowledged. A search ([`TextSearch`]) shows all of its rows to a run of Elasticsearch's queries, whose fields are those that index
//! functions named and whose analyzers have CouchDB's names ([`Analyzers`]).
//!
//! What must hold: what Clouseau does and this does not is refused, not left out.
//!
//! Left to others: design documents and their databases, arguments and answers (`couch`), selectors as queries (`mango`).

mod analyzers;
mod definition;
mod distance;
mod error;
mod found;
mod groups;
mod highlights;
mod run;
mod said;
mod sort;

pub use analyzers::{Analyzers, older_terms, terms};
pub use definition::{Definition, Form, TextIndex, views_of};
pub use distance::Distance;
pub use error::{Error, Result};
pub use found::{FieldRanges, FoundHit, HITS_MAX, SearchOutcome, TextSearch};
pub use groups::{Group, Grouping, Groups};
pub use highlights::Highlights;
pub use said::stored;
pub use sort::SortBy;
