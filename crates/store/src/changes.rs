//! The change log: each live document once, at its last change, and each deletion.

use crate::{Record, Revision};
use value::Value;

/// One entry of the change log.
#[derive(Clone, Debug)]
pub struct Change {
    /// Its number.
    pub sequence: u64,
    /// What changed.
    pub kind: ChangeKind,
}

/// What one change was.
#[derive(Clone, Debug)]
pub enum ChangeKind {
    /// A document was inserted or changed, and is now this one.
    Put(Record),
    /// A document was deleted.
    Deleted {
        /// Its `_id`.
        id: Value,
        /// The revision of its deletion.
        revision: Revision,
    },
}
