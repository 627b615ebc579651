//! Which operations the profiler records, by database. Nothing of it lasts beyond the process, as in MongoDB.

use crate::error::{Error, Result};
use code::Code;
use language::filter::Filter;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::Duration;
use value::random::Random;
use value::{Document, DocumentRef};

/// An operation that takes longer is slow, unless the client sets another limit.
const SLOW_MS_DEFAULT: i32 = 100;

/// Databases with settings of their own; a name alone can be set, whether or not there is such a database.
const DATABASES_MAX: usize = 10_000;

/// What the profiler records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ProfileLevel {
    /// Nothing.
    #[default]
    Off,
    /// Slow operations, or those that the filter matches.
    Slow,
    /// Everything.
    All,
}

/// How the profiler is set for one database.
#[derive(Clone, Debug)]
pub struct ProfileSettings {
    /// What is recorded.
    pub level: ProfileLevel,
    /// The filter that is used instead of slowness, in its normal form.
    pub filter: Option<Document>,
    /// Milliseconds from which on an operation is slow; of all databases.
    pub slow_ms: i32,
    /// The share of slow operations that is recorded; of all databases.
    pub sample_rate: f64,
}

/// A change of the settings; `None` leaves a setting as it is.
#[derive(Debug, Default)]
pub struct ProfileChange {
    /// What is recorded.
    pub level: Option<ProfileLevel>,
    /// The filter, or that there is none.
    pub filter: Option<Option<Document>>,
    /// Milliseconds from which on an operation is slow.
    pub slow_ms: Option<i32>,
    /// The share of slow operations that is recorded.
    pub sample_rate: Option<f64>,
}

#[derive(Debug, Default)]
struct OfDatabase {
    level: ProfileLevel,
    filter: Option<Filter>,
}

#[derive(Debug)]
struct Set {
    slow_ms: i32,
    sample_rate: f64,
    databases: HashMap<String, OfDatabase>,
}

/// The settings of all databases.
#[derive(Debug)]
pub(crate) struct Profiler {
    /// Whether any database has settings. If not, an operation only checks how long it took.
    is_on: AtomicBool,
    slow_ms: AtomicI32,
    set: Mutex<Set>,
}

impl Default for Profiler {
    fn default() -> Profiler {
        let set = Set {
            slow_ms: SLOW_MS_DEFAULT,
            sample_rate: 1.0,
            databases: HashMap::new(),
        };
        Profiler {
            is_on: AtomicBool::new(false),
            slow_ms: AtomicI32::new(SLOW_MS_DEFAULT),
            set: Mutex::new(set),
        }
    }
}

impl Profiler {
    /// What is recorded of a database.
    pub(crate) fn level(&self, database: &str) -> ProfileLevel {
        if !self.is_on.load(Ordering::Relaxed) {
            return ProfileLevel::Off;
        }
        let set = self.set.lock();
        set.databases
            .get(database)
            .map_or(ProfileLevel::Off, |of| of.level)
    }

    pub(crate) fn settings(&self, database: &str) -> ProfileSettings {
        let set = self.set.lock();
        let of = set.databases.get(database);
        ProfileSettings {
            level: of.map_or(ProfileLevel::Off, |of| of.level),
            filter: of.and_then(|of| of.filter.as_ref()).map(Filter::to_document),
            slow_ms: set.slow_ms,
            sample_rate: set.sample_rate,
        }
    }

    /// Changes the settings of a database; the filter of the change comes parsed.
    pub(crate) fn change(
        &self,
        database: &str,
        change: &ProfileChange,
        filter: Option<Filter>,
    ) -> Result<()> {
        let mut set = self.set.lock();
        if set.databases.len() >= DATABASES_MAX && !set.databases.contains_key(database) {
            let message = format!(
                "the profiler is set for {DATABASES_MAX} databases already: set it back for one ({{profile: 0, filter: 'unset'}})"
            );
            return Err(Error::new(Code::ILLEGAL_OPERATION, message));
        }
        set.slow_ms = change.slow_ms.unwrap_or(set.slow_ms);
        set.sample_rate = change.sample_rate.unwrap_or(set.sample_rate);
        let of = set.databases.entry(database.to_owned()).or_default();
        of.level = change.level.unwrap_or(of.level);
        if change.filter.is_some() {
            of.filter = filter;
        }
        set.databases
            .retain(|_, of| of.level != ProfileLevel::Off || of.filter.is_some());
        self.is_on.store(!set.databases.is_empty(), Ordering::Relaxed);
        self.slow_ms.store(set.slow_ms, Ordering::Relaxed);
        Ok(())
    }

    /// Forgets the settings of a database that is gone.
    pub(crate) fn forget(&self, database: &str) {
        let mut set = self.set.lock();
        set.databases.remove(database);
        self.is_on.store(!set.databases.is_empty(), Ordering::Relaxed);
    }

    /// Whether an operation with this duration may have to be recorded: it is slow, or its database has settings.
    pub(crate) fn may_want(&self, database: &str, elapsed: Duration) -> bool {
        let slow_ms = self.slow_ms.load(Ordering::Relaxed);
        elapsed.as_millis() as i128 >= i128::from(slow_ms)
            || (self.is_on.load(Ordering::Relaxed) && self.set.lock().databases.contains_key(database))
    }

    /// Whether an operation counts as slow: by its duration, if it is in the sample, or because the filter matches its entry.
    pub(crate) fn is_slow(&self, database: &str, elapsed: Duration, entry: DocumentRef<'_>) -> bool {
        let set = self.set.lock();
        match set.databases.get(database).and_then(|of| of.filter.as_ref()) {
            Some(filter) => filter.matches(entry).unwrap_or(false),
            None => {
                elapsed.as_millis() as i128 >= i128::from(set.slow_ms)
                    && Random::from_entropy().unit() < set.sample_rate
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_kept_for_so_many_databases_until_they_are_dropped() {
        let profiler = Profiler::default();
        let change = ProfileChange {
            level: Some(ProfileLevel::All),
            ..ProfileChange::default()
        };
        for number in 0..DATABASES_MAX {
            profiler.change(&number.to_string(), &change, None).unwrap();
        }
        assert!(profiler.change("more", &change, None).is_err());
        profiler.change("0", &change, None).unwrap();
        profiler.forget("0");
        assert_eq!(profiler.level("0"), ProfileLevel::Off);
        profiler.change("more", &change, None).unwrap();
    }
}
