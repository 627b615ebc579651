//! Holding up the merges that the engine begins by itself.

use super::error::engine_error;
use crate::Error;
use parking_lot::Mutex;
use rocksdb::{DB, Options};
use std::sync::Arc;

/// The engine's name of the number of tables that were written and not merged into others yet.
const UNMERGED_TABLES: &str = "rocksdb.num-files-at-level0";

/// With this many unmerged tables, merges go on although there is little room: with a few more, the engine holds writers up.
const UNMERGED_TABLES_MAX: u64 = 20;

/// Why no merge may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// No file may change.
    Rest,
    /// A merge would take the room that the log needs, and then fail.
    NoRoom,
}

/// Holds merges up for as long as there is a reason to.
pub(super) struct Merges {
    db: Arc<DB>,
    holds: Mutex<Vec<Hold>>,
}

/// Merges that are held up so that no file changes. They go on when this is dropped, unless it is kept: whoever wanted the files to rest
/// may be gone by then.
#[derive(Debug)]
pub(crate) struct Resting(Option<Arc<Merges>>);

impl Resting {
    /// Holds merges up until [`Merges::go_on`].
    pub(crate) fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Resting {
    fn drop(&mut self) {
        if let Some(merges) = self.0.take()
            && let Err(error) = merges.go_on(Hold::Rest)
        {
            tracing::warn!(%error, "tables are not merged any more");
        }
    }
}

impl Merges {
    /// Lets no merge begin, so that no file changes.
    pub(super) fn rest(self: &Arc<Self>) -> Result<Resting, Error> {
        self.hold(Hold::Rest)?;
        Ok(Resting(Some(self.clone())))
    }

    /// Settings of a database that is opened with this hold: no merge begins before it ends.
    pub(super) fn prepare(settings: &mut Options, hold: Option<Hold>) {
        settings.set_disable_auto_compactions(hold.is_some());
    }

    /// The merges of a database that was opened with this hold.
    pub(super) fn new(db: &Arc<DB>, hold: Option<Hold>) -> Merges {
        Merges {
            db: db.clone(),
            holds: Mutex::new(Vec::from_iter(hold)),
        }
    }

    /// The number of tables that were not merged into others yet.
    pub(super) fn unmerged_tables(&self) -> Result<u64, rocksdb::Error> {
        Ok(self.db.property_int_value(UNMERGED_TABLES)?.unwrap_or(0))
    }

    /// Whether merges can wait without holding up writers soon.
    pub(super) fn can_wait(&self) -> bool {
        self.unmerged_tables()
            .is_ok_and(|tables| tables < UNMERGED_TABLES_MAX)
    }

    /// Keeps merges from beginning until [`Merges::go_on`] is called for the same reason. Those that run come to their end.
    pub(super) fn hold(&self, hold: Hold) -> Result<(), Error> {
        let mut holds = self.holds.lock();
        if !holds.contains(&hold) {
            if holds.is_empty() {
                self.set(false)?;
            }
            holds.push(hold);
        }
        Ok(())
    }

    /// Ends a hold, if it was made.
    pub(super) fn go_on(&self, hold: Hold) -> Result<(), Error> {
        let mut holds = self.holds.lock();
        if holds.as_slice() == [hold] {
            self.set(true)?;
        }
        holds.retain(|held| *held != hold);
        Ok(())
    }

    fn set(&self, run: bool) -> Result<(), Error> {
        let disabled = if run { "false" } else { "true" };
        let set = self.db.set_options(&[("disable_auto_compactions", disabled)]);
        set.map_err(engine_error("setting whether tables are merged"))
    }
}

impl std::fmt::Debug for Merges {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Merges")
            .field("holds", &self.holds)
            .finish_non_exhaustive()
    }
}
