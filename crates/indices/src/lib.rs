//! Indices as Elasticsearch knows them, each a collection of the engine.
//!
//! What an index is besides its documents (settings, mapping, aliases) is kept with its collection ([`Index`]); documents are written
//! to it ([`write`]) and shown to searches ([`scan`]). Errors are in the form in which clients see them ([`error`]).
//!
//! What must hold: each write is one edit that follows the revision on which its conditions were checked; a search sees every write
//! that was acknowledged before it.
//!
//! Left to others: requests, answers, who may do what, and names (`elastic`); what queries mean (`search`).

pub mod auto_create;
pub mod cluster_settings;
mod counters;
pub mod documents;
pub mod error;
mod fulltext;
mod index;
pub mod index_sort;
mod insert;
mod learnt;
mod limits;
pub mod nearest;
mod present;
pub mod routing;
pub mod scan;
pub mod scripts;
pub mod settings;
pub mod shape;
pub mod streams;
pub mod used;
pub mod write;

pub use counters::{IndexCounter, IndexCounters, OpenContext};
pub use fulltext::sweep;
pub use index::{Index, Indices};
pub use present::Present;
