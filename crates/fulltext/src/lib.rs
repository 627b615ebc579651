//! Inverted lists and columns of documents in a folder of their own.
//!
//! An [`Index`] is told what there is to find in a document: a [`DocumentEntry`] with terms, numbers, and the number of the record that
//! it stands for. A [`Reader`] is the index as of one commit: asked a [`Lookup`], it gives the records that match, and never
//! a document; [`Columns`] are their values. A [`Mask`] leaves out what has changed since.
//!
//! What must hold: a commit is on the disk whole or not at all, together with the note of whoever made it (how far a
//! follower had come); what a lookup says of an entry is exact; only this crate names tantivy.
//!
//! Left to others: what the fields and terms of a document are (`mapping`), where documents come from and when (`indexing`).

mod best;
mod columns;
mod entry;
mod error;
mod gathered;
mod index;
mod kept;
mod lookup;
mod mask;
mod newest;
mod opened;
mod pattern;
mod reader;
mod schema;
mod statistics;
mod times;
mod tokens;
mod top;
mod waiting;

pub use best::{Probe, Probes, Scoring};
pub use columns::{Block, Columns, Value};
pub use entry::{DocumentEntry, Key, Number, TextTerms};
pub use error::{FulltextError, Result};
pub use index::{Index, WRITER_BYTES_MIN, Writer};
pub use lookup::{Answer, Lookup, Matcher, Part};
pub use mask::Mask;
pub use newest::Newest;
pub use reader::Reader;
