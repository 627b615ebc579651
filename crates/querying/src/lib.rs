//! Elasticsearch's queries: read from JSON ([`Query`]), compiled for a mapping ([`compile`]) to a tree of tests ([`Node`]), and asked
//! of documents one by one, with scores by the statistics of the whole collection ([`Statistics`]).
//!
//! What must hold: a query means the same whether an index is asked first or each document by itself; what a client can make
//! of clauses, terms and patterns is bounded and counted; a parameter that is not understood is an error that names it.
//!
//! Left to others: which documents are asked, and what is made of those that match (`search`).

mod held;
mod matching;
mod neighbours;
mod query;
mod script;
mod slice;
mod units;
mod work;

pub use held::Held;
pub use matching::*;
pub use neighbours::Neighbours;
pub use query::*;
pub use script::{DocumentScript, look_if_wanted, script_parts};
pub use slice::{Slice, Sliced};
pub use units::{bytes_of, parse_time, time_of};
pub use work::work;
