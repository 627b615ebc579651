//! Removing what has expired: documents of TTL indexes, executed statements, tombstones.

use crate::{Store, StoreError};

/// What one sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Documents past their time.
    pub documents: u64,
    /// Sessions whose executed statements were forgotten.
    pub sessions: u64,
    /// Tombstones past their time.
    pub tombstones: u64,
}

/// Removes everything that has expired at `now_ms` (milliseconds since 1970).
pub async fn run_once(_store: &Store, _now_ms: i64) -> Result<Swept, StoreError> {
    todo!("store")
}
