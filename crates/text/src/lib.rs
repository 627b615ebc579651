//! MongoDB's text search: what a text index holds of a document, and what `$text` finds.
//!
//! [`TextFields`] says which strings of a document are indexed, with what weights and in which [`Language`]. A string is
//! cut into terms (`terms`): words without stop words, cut down to their stems, without case and marks. A [`Search`] is
//! the argument of `$text`; with the fields of an index it becomes a [`Condition`], which tells for a document whether
//! it matches and how well.
//!
//! What must hold: a document that matches a condition has at least one of [`Condition::terms`] among
//! [`TextFields::terms`], so an index of these finds all that match.
//!
//! Left to others: where `$text` may stand (`language`), entries of indexes (`store`), plans (`query`). Elasticsearch's
//! analysis is another one (`mapping`).

mod condition;
mod delimiters;
mod error;
mod fields;
mod fold;
mod languages;
mod parse;
mod score;
mod search;
mod terms;
mod weighed;

pub use condition::Condition;
pub use error::TextError;
pub use fields::TextFields;
pub use languages::Language;
pub use search::Search;
pub use weighed::{all_weights, of_weighed, weighed};
