//! Large values, written once.
//!
//! A value that goes through log, write buffers and merges is written three times or more. A value of
//! [`LARGE_VALUE_BYTES_MIN`] or more is instead appended to a file of the folder `values` ([`files`]) and flushed there; then
//! a [`Pointer`] takes its place in the commit. So a commit that survives a crash never names bytes that did not.
//!
//! It may be written long before the commit ([`ahead`]). It is then on its way to the disk while others still arrive
//! ([`writeback`]), and one flush of the file ([`file`]) serves all commits that wait for values in it.
//!
//! The place of a value that was replaced, deleted, or never committed has an entry among the *free* extents. The entry is made
//! before the value is written, removed by the commit that names the value, and made again by the commit that
//! drops it. A thread gives such places back to the disk ([`reclaim`]) once no snapshot can read them.
//!
//! What must hold: an extent of a file is named by one pointer, or it is free, or its commit is under way.

mod ahead;
mod commit;
mod file;
mod files;
mod pace;
mod pack;
mod pointer;
mod reclaim;
mod shards;
mod writeback;

pub(crate) use ahead::PlacedValue;
pub(super) use commit::Places;
pub(super) use files::{FOLDER, ValueFiles};
pub(super) use pointer::Pointer;
pub(super) use reclaim::Reclaimer;
pub(super) use shards::LargeShards;
use writeback::Writeback;

use crate::Error;
use crate::gate::Gate;
use crate::poison::Poison;
use crate::rocks::durable::Durable;
use rocksdb::DB;
use std::path::Path;
use std::sync::Arc;

/// Values below this size stay with their keys, where small ones share a flush.
pub(crate) const LARGE_VALUE_BYTES_MIN: usize = 64 << 10;

/// The large values of a database.
#[derive(Debug)]
pub(super) struct LargeValues {
    pub(super) files: Arc<ValueFiles>,
    pub(super) shards: LargeShards,
    pub(super) reclaimer: Reclaimer,
    pub(super) writeback: Writeback,
}

impl LargeValues {
    /// Opens the files beside a database, and frees what the last process left.
    pub(super) fn open(
        db: &Arc<DB>,
        folder: &Path,
        durable: &Arc<Durable>,
        poison: Poison,
        gate: &Gate,
    ) -> Result<LargeValues, Error> {
        let files = Arc::new(ValueFiles::open(folder)?);
        Ok(LargeValues {
            shards: LargeShards::load(db)?,
            reclaimer: Reclaimer::start(db, files.clone(), durable.clone(), gate.clone())?,
            writeback: Writeback::start(poison)?,
            files,
        })
    }

    /// Whether a value is kept in the files: because it is large, or because it could be taken for a pointer.
    pub(super) fn takes(value: &[u8]) -> bool {
        value.len() >= LARGE_VALUE_BYTES_MIN || Pointer::is_like(value)
    }
}
