//! Mango: queries by selector, and their indexes.
//!
//! Indexes are kept in design documents, as CouchDB keeps them ([`index`], [`design`]); each stands for an index of the store in
//! CouchDB's order, which is made when it is first needed, so that a design document that came by replication serves too. A query
//! ([`options`]) is answered by the index that CouchDB would choose ([`choice`]), because clients see which it is: in `_explain`
//! ([`explain`]), in warnings, in the order of what is found. [`rows`] reads.
//!
//! What must hold: whatever index is chosen, the same documents are found; the selector is matched against each.

pub(crate) mod bookmark;
pub(crate) mod candidates;
pub(crate) mod choice;
pub(crate) mod design;
pub(crate) mod explain;
pub(crate) mod fields;
pub(crate) mod index;
pub(crate) mod options;
pub(crate) mod rows;
pub(crate) mod sort;
pub(crate) mod warning;

use crate::error::CouchError;
use http::StatusCode;
use mango::SelectorError;
use std::borrow::Cow;

/// An error of status 400 (`src/mango/src/mango_error.erl`).
pub(crate) fn wrong(word: &'static str, reason: impl Into<Cow<'static, str>>) -> CouchError {
    CouchError::new(StatusCode::BAD_REQUEST, word, reason)
}

/// A kind of index that there is not.
pub(crate) fn unavailable(kind: &'static str) -> CouchError {
    CouchError::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "required index service unavailable",
        kind,
    )
}

impl From<SelectorError> for CouchError {
    fn from(error: SelectorError) -> CouchError {
        match error {
            SelectorError::TextSearch => unavailable("text"),
            error => wrong(error.word(), error.to_string()),
        }
    }
}

/// A value as JSON, for messages.
pub(crate) fn shown(value: &value::Value) -> String {
    let mut text = String::new();
    crate::json::write(value.as_ref(), &mut text);
    text
}
