//! What happened to databases as a whole: made, changed, dropped.
//!
//! Nothing notes it down. Whoever wants to know has a look taken at all databases, and what is not as it was then is given a number.
//! So a database that changed several times between two looks has changed once, and after a start all databases count as changed.

use crate::limits::DATABASES_DROPPED_KEPT_MAX;
use access::error::Result;
use access::names;
use engine::{Engine, Sequence};
use parking_lot::Mutex;
use std::collections::{BTreeMap, HashSet};
use std::time::{SystemTime, UNIX_EPOCH};

/// What happened to a database last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Happened {
    /// It was made.
    Created,
    /// Something in it changed.
    Updated,
    /// It was dropped.
    Deleted,
}

impl Happened {
    /// The word that clients are told.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Happened::Created => "created",
            Happened::Updated => "updated",
            Happened::Deleted => "deleted",
        }
    }
}

/// What was seen of the databases, and when: numbers rise, across starts too.
#[derive(Debug)]
pub(crate) struct DatabaseEvents(Mutex<Seen>);

#[derive(Debug)]
struct Seen {
    last: u64,
    has_looked: bool,
    databases: BTreeMap<String, Event>,
}

#[derive(Clone, Debug)]
struct Event {
    sequence: u64,
    happened: Happened,
    uuid: [u8; 16],
    head: Sequence,
}

impl DatabaseEvents {
    /// Nothing was seen yet.
    pub(crate) fn new() -> DatabaseEvents {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        DatabaseEvents(Mutex::new(Seen {
            last: u64::try_from(now.as_micros()).unwrap_or(0),
            has_looked: false,
            databases: BTreeMap::new(),
        }))
    }

    /// Looks at all databases; the number of what happened last.
    pub(crate) fn look(&self, engine: &Engine) -> Result<u64> {
        let mut seen = self.0.lock();
        let mut present = HashSet::new();
        for name in names::all(engine) {
            let Some(collection) = engine.revisioned(&names::namespace(&name))? else {
                continue;
            };
            seen.note(&name, collection.uuid(), collection.head());
            present.insert(name);
        }
        seen.note_dropped(&present);
        seen.has_looked = true;
        Ok(seen.last)
    }

    /// What happened after a number, in order, and the numbers of it.
    pub(crate) fn after(&self, since: u64) -> Vec<(u64, String, Happened)> {
        let seen = self.0.lock();
        let events = seen.databases.iter();
        let mut after: Vec<_> = events
            .filter(|(_, event)| event.sequence > since)
            .map(|(name, event)| (event.sequence, name.clone(), event.happened))
            .collect();
        after.sort_unstable_by_key(|(sequence, ..)| *sequence);
        after
    }
}

impl Seen {
    fn note(&mut self, name: &str, uuid: [u8; 16], head: Sequence) {
        let happened = match self.databases.get(name) {
            Some(known) if known.happened == Happened::Deleted || known.uuid != uuid => Happened::Created,
            Some(known) if known.head == head => return,
            Some(_) => Happened::Updated,
            None if self.has_looked => Happened::Created,
            None => Happened::Updated,
        };
        self.last += 1;
        let event = Event {
            sequence: self.last,
            happened,
            uuid,
            head,
        };
        self.databases.insert(name.to_owned(), event);
    }

    fn note_dropped(&mut self, present: &HashSet<String>) {
        for (name, event) in &mut self.databases {
            if event.happened != Happened::Deleted && !present.contains(name) {
                self.last += 1;
                event.sequence = self.last;
                event.happened = Happened::Deleted;
            }
        }
        let dropped = self.databases.len() - present.len().min(self.databases.len());
        if dropped > DATABASES_DROPPED_KEPT_MAX {
            self.databases
                .retain(|_, event| event.happened != Happened::Deleted);
        }
    }
}
