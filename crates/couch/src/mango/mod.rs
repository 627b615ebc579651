//! Queries by selector on a database: their indexes in design documents, and what they find.
//!
//! What a query means and which index answers it is the language's (`mango`). Here indexes are kept in design documents, as CouchDB
//! keeps them ([`design`]); each stands for an index of the store in CouchDB's order, which is made when it is first needed, so that a
//! design document that came by replication serves too. [`rows`] reads; [`text_rows`] reads what a text index finds, which is a full-text
//! index of its design document.
//!
//! What must hold: whatever index is chosen, the same documents are found; the selector is matched against each.

pub(crate) mod bookmark;
mod candidate;
pub(crate) mod design;
pub(crate) mod rows;
pub(crate) mod text_rows;

use access::error::CouchError;
use http::StatusCode;
use std::borrow::Cow;

/// An error of status 400 (`src/mango/src/mango_error.erl`).
pub(crate) fn wrong(word: &'static str, reason: impl Into<Cow<'static, str>>) -> CouchError {
    CouchError::new(StatusCode::BAD_REQUEST, word, reason)
}
