//! Finding, counting, distinct values.

use crate::cursors::{Cursor, CursorReply};
use crate::{Context, Engine, Error, Result};
use query::Code;
use store::Namespace;
use value::{Document, Value};

/// A query as a client asks it, in MongoDB's forms.
#[derive(Clone, Debug, Default)]
pub struct FindRequest {
    /// The filter.
    pub filter: Document,
    /// The sort; empty where any order will do.
    pub sort: Document,
    /// The projection; empty for whole documents.
    pub projection: Document,
    /// Results to pass by.
    pub skip: u64,
    /// Results at most.
    pub limit: Option<u64>,
    /// Documents in the first batch; none for the default.
    pub batch_size: Option<u64>,
    /// Whether the cursor is closed after the first batch.
    pub single_batch: bool,
    /// The index to use: its name or key, or `{$natural: ±1}`.
    pub hint: Option<Value>,
    /// Index keys before this one are passed by.
    pub min: Document,
    /// This index key and those behind it are passed by.
    pub max: Document,
    /// Whether index keys are given in place of documents.
    pub return_key: bool,
    /// Whether each document gets its `$recordId`.
    pub show_record_id: bool,
    /// Whether the cursor stays open at the end of a capped collection.
    pub tailing: Tailing,
    /// Whether the cursor stays open however long nobody asks.
    pub no_cursor_timeout: bool,
    /// Variables for `$expr`.
    pub variables: Document,
    /// Whether reading the whole collection is refused.
    pub refuse_full_scan: bool,
}

/// What a cursor does at the end of a capped collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tailing {
    /// It closes.
    #[default]
    No,
    /// It stays open.
    Tailing,
    /// It stays open, and waits a while for documents before an empty batch is given.
    Awaiting,
}

/// What `count` is asked.
#[derive(Clone, Debug, Default)]
pub struct CountRequest {
    /// The filter.
    pub filter: Document,
    /// Matches to pass by.
    pub skip: u64,
    /// Matches at most.
    pub limit: Option<u64>,
    /// The index to use.
    pub hint: Option<Value>,
}

/// What `distinct` is asked.
#[derive(Clone, Debug, Default)]
pub struct DistinctRequest {
    /// The path whose values are wanted.
    pub field: String,
    /// The filter.
    pub filter: Document,
    /// The index to use.
    pub hint: Option<Value>,
}
