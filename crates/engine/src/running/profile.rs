//! The profiler, which records a database's operations in its collection `system.profile`.

use crate::catalog::collections::CreateRequest;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::tables::profiler::{ProfileChange, ProfileLevel, ProfileSettings};
use code::Code;
use kv::Durability;
use language::filter::{Filter, FilterScope};
use query::write;
use std::time::Duration;
use store::{CappedOptions, Namespace};
use value::{Document, DocumentBuf};

/// The collection of a database that holds what was recorded.
const COLLECTION: &str = "system.profile";
/// Its size, as in MongoDB: the newest entries stay.
const SIZE_BYTES: u64 = 1 << 20;

impl Engine {
    /// What the profiler records of a database.
    pub fn profile_level(&self, database: &str) -> ProfileLevel {
        self.profiler().level(database)
    }

    /// How the profiler is set for a database.
    pub fn profile_settings(&self, database: &str) -> ProfileSettings {
        self.profiler().settings(database)
    }

    /// Sets the profiler for a database.
    pub async fn set_profiling(&self, database: &str, change: ProfileChange) -> Result<()> {
        let filter = match change.filter.as_ref().and_then(Option::as_ref) {
            Some(filter) => Some(Filter::parse(filter, &FilterScope::default())?),
            None => None,
        };
        if change.level.is_some_and(|level| level != ProfileLevel::Off) {
            self.create_profile(database).await?;
        }
        self.profiler().change(database, &change, filter)
    }

    /// Whether an operation that took so long may have to be logged or recorded: its entry decides.
    pub fn may_profile(&self, database: &str, elapsed: Duration) -> bool {
        self.profiler().may_want(database, elapsed)
    }

    /// Logs an operation that is slow, and records it if the level of its database asks for that. While writes are locked
    /// nothing is recorded.
    pub async fn record_profile(&self, database: &str, elapsed: Duration, entry: &Document) -> Result<()> {
        let level = self.profile_level(database);
        let is_slow = self.profiler().is_slow(database, elapsed, entry.into());
        if is_slow {
            let millis = elapsed.as_millis() as u64;
            let shown = value::shell::document(entry.into());
            tracing::info!(millis, operation = shown, "slow operation");
        }
        let is_wanted = match level {
            ProfileLevel::Off => false,
            ProfileLevel::Slow => is_slow,
            ProfileLevel::All => true,
        };
        if !is_wanted || self.are_writes_locked() {
            return Ok(());
        }
        self.create_profile(database).await?;
        let Some(collection) = self.store().collection(&profile_of(database)) else {
            return Ok(());
        };
        let insert = write::WriteOptions {
            durability: Durability::Soon,
            ..write::WriteOptions::default()
        };
        write::insert(&collection, vec![DocumentBuf::from(entry)], &insert).await?;
        Ok(())
    }

    /// Fails if the profiler is writing this collection, which then cannot be dropped.
    pub(crate) fn check_not_profiled(&self, namespace: &Namespace) -> Result<()> {
        if namespace.collection == COLLECTION && self.profile_level(&namespace.database) != ProfileLevel::Off
        {
            return Err(Error::new(
                Code::ILLEGAL_OPERATION,
                "turn off profiling before dropping system.profile collection",
            ));
        }
        Ok(())
    }

    async fn create_profile(&self, database: &str) -> Result<()> {
        let namespace = profile_of(database);
        if self.store().collection(&namespace).is_some() {
            return Ok(());
        }
        let capped = Some(CappedOptions {
            size_bytes: SIZE_BYTES,
            documents_max: None,
        });
        let request = CreateRequest {
            capped,
            ..CreateRequest::default()
        };
        match self.create_collection(&namespace, request).await {
            // Another operation was recorded at the same time.
            Err(error) if error.code == Code::NAMESPACE_EXISTS => Ok(()),
            created => created,
        }
    }
}

/// Whether a collection is the one that the profiler writes, which has no index in MongoDB.
pub(crate) fn is_profile(namespace: &Namespace) -> bool {
    namespace.collection == COLLECTION
}

fn profile_of(database: &str) -> Namespace {
    Namespace::new(database, COLLECTION)
}
