//! How long operations take, by collection: for `latencyStats` of `$collStats`, and for `top`.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;
use store::Namespace;
use value::{Document, Value, doc};

/// Collections whose latencies are kept; those that come later are not measured. Each takes more than a kilobyte, which no limit of
/// memory counts.
const COLLECTIONS_MAX: usize = 10_000;

/// The classes of a histogram: the n-th has operations of 2^n microseconds and more.
const CLASSES: usize = 40;

/// The latencies of all collections.
#[derive(Debug, Default)]
pub(crate) struct Latencies {
    collections: Mutex<HashMap<Namespace, CollectionLatencies>>,
}

/// The latencies of one collection's operations, by their kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct CollectionLatencies {
    reads: Histogram,
    writes: Histogram,
    commands: Histogram,
    by_event: [Usage; EVENTS.len()],
    reading: Usage,
    writing: Usage,
}

/// How often, and for how many microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    count: u64,
    micros: u64,
}

/// What `top` counts apart, with the commands; all others are `commands`.
const EVENTS: [(&str, &[&str]); 6] = [
    ("queries", &["find"]),
    ("getmore", &["getMore"]),
    ("insert", &["insert"]),
    ("update", &["update", "findAndModify", "findandmodify"]),
    ("remove", &["delete"]),
    ("commands", &[]),
];

/// Commands that only read; all others change something.
const READS: [&str; 10] = [
    "find",
    "aggregate",
    "count",
    "distinct",
    "getMore",
    "listIndexes",
    "collStats",
    "dataSize",
    "explain",
    "validate",
];

#[derive(Clone, Debug)]
struct Histogram {
    operations: u64,
    micros: u64,
    classes: [u64; CLASSES],
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            operations: 0,
            micros: 0,
            classes: [0; CLASSES],
        }
    }
}

impl Latencies {
    /// Notes that an operation on a collection has ended. One that is not known yet is only kept if it `exists`: clients could name
    /// any number of them.
    pub(crate) fn note(
        &self,
        namespace: &Namespace,
        command: &str,
        elapsed: Duration,
        exists: impl FnOnce() -> bool,
    ) {
        let mut collections = self.collections.lock();
        let has_room = collections.len() < COLLECTIONS_MAX;
        let latencies = match collections.get_mut(namespace) {
            Some(latencies) => latencies,
            None if has_room && exists() => collections.entry(namespace.clone()).or_default(),
            None => return,
        };
        let histogram = match command {
            "find" | "aggregate" | "count" | "distinct" | "getMore" => &mut latencies.reads,
            "insert" | "update" | "delete" | "findAndModify" | "findandmodify" => &mut latencies.writes,
            _ => &mut latencies.commands,
        };
        histogram.add(elapsed);
        latencies.use_by(command, elapsed);
    }

    /// Each collection's usage in the form of `top`.
    pub(crate) fn usage(&self) -> Vec<(Namespace, Document)> {
        let collections = self.collections.lock();
        let mut usage: Vec<_> = collections
            .iter()
            .map(|(namespace, latencies)| (namespace.clone(), latencies.to_usage()))
            .collect();
        usage.sort_by(|(a, _), (b, _)| a.cmp(b));
        usage
    }

    pub(crate) fn of(&self, namespace: &Namespace) -> CollectionLatencies {
        self.collections
            .lock()
            .get(namespace)
            .cloned()
            .unwrap_or_default()
    }

    /// Forgets a collection that is gone.
    pub(crate) fn forget(&self, gone: impl Fn(&Namespace) -> bool) {
        self.collections.lock().retain(|namespace, _| !gone(namespace));
    }
}

impl Histogram {
    fn add(&mut self, elapsed: Duration) {
        let micros = u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX);
        self.operations += 1;
        self.micros = self.micros.saturating_add(micros);
        let class = micros.checked_ilog2().unwrap_or(0) as usize;
        self.classes[class.min(CLASSES - 1)] += 1;
    }

    fn to_document(&self, histograms: bool) -> Document {
        let mut document = Document::new();
        if histograms {
            let classes = self.classes.iter().enumerate().filter(|(_, count)| **count > 0);
            let classes = classes.map(|(class, count)| {
                let micros = if class == 0 { 0 } else { 1i64 << class };
                Value::Document(doc! {"micros": micros, "count": *count as i64})
            });
            document.push("histogram", Value::Array(classes.collect()));
        }
        document.push("latency", self.micros as i64);
        document.push("ops", self.operations as i64);
        document
    }
}

impl CollectionLatencies {
    /// The latencies as `latencyStats` shows them, with histograms or without.
    pub(crate) fn to_document(&self, histograms: bool) -> Document {
        doc! {
            "reads": self.reads.to_document(histograms),
            "writes": self.writes.to_document(histograms),
            "commands": self.commands.to_document(histograms),
            "transactions": Histogram::default().to_document(histograms),
        }
    }

    fn use_by(&mut self, command: &str, elapsed: Duration) {
        let event = EVENTS
            .iter()
            .position(|(_, commands)| commands.contains(&command));
        if let Some(usage) = self.by_event.get_mut(event.unwrap_or(EVENTS.len() - 1)) {
            usage.add(elapsed);
        }
        let lock = match READS.contains(&command) {
            true => &mut self.reading,
            false => &mut self.writing,
        };
        lock.add(elapsed);
    }

    /// In the form of `top`: what only reads would take a read lock in MongoDB, all else a write lock.
    fn to_usage(&self) -> Document {
        let total = Usage {
            count: self.reading.count + self.writing.count,
            micros: self.reading.micros.saturating_add(self.writing.micros),
        };
        let mut usage = doc! {
            "total": total.to_document(),
            "readLock": self.reading.to_document(),
            "writeLock": self.writing.to_document(),
        };
        for ((name, _), event) in EVENTS.iter().zip(&self.by_event) {
            usage.push(*name, event.to_document());
        }
        usage
    }
}

impl Usage {
    fn add(&mut self, elapsed: Duration) {
        self.count += 1;
        self.micros = self
            .micros
            .saturating_add(u64::try_from(elapsed.as_micros()).unwrap_or(u64::MAX));
    }

    fn to_document(self) -> Document {
        doc! {"time": self.micros as i64, "count": self.count as i64}
    }
}
