//! Queries and documents as a full-text index knows them.
//!
//! A [`Layout`] says which fields of a mapping an index holds, and under which keys ([`layout`]). A document becomes an entry by
//! the same functions by which a query is asked of it ([`entry`]); a query becomes a lookup ([`lookup`]), which finds all
//! that match and says whether it finds nothing else; its scores are made of what the index knows ([`score`]).

mod count;
mod entry;
mod layout;
mod lookup;
mod place;
mod score;

pub use layout::Layout;
pub use lookup::IndexLookup;
pub use score::Scoring;

pub(crate) use count::count_field;
pub(crate) use entry::unsigned;
pub(crate) use lookup::{Asker, wanted};

/// The key that entries have whose documents must always be asked, since not all of them could be said.
const ASKED: fulltext::Key = 0;
