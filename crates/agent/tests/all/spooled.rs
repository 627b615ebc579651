//! Helpers that the tests of the spool share.

use agent::spool::{Batch, Positions, Record, Spool};
use std::path::{Path, PathBuf};

pub const BYTES_MAX: u64 = 64 << 20;

/// A batch of records with one letter each, and the position that it reaches.
pub fn batch(letters: &str, position: u64) -> Batch {
    Batch {
        target: "logs.app".to_owned(),
        positions: Positions::from([("file".to_owned(), Some(position.to_string()))]),
        records: letters.bytes().map(|letter| vec![letter].into()).collect(),
    }
}

pub fn open(folder: &Path) -> Spool {
    Spool::open(folder, BYTES_MAX).unwrap().0
}

pub fn flush(spool: &mut Spool) {
    if let Some((file, place)) = spool.to_flush() {
        file.sync_data().unwrap();
        spool.flushed(place);
    }
}

/// Takes all that waits.
pub fn drain(spool: &mut Spool) -> Vec<Record> {
    let mut records = Vec::new();
    while let Some(outgoing) = spool.outgoing(3, 1 << 20).unwrap() {
        records.extend(outgoing.records);
        spool.acknowledge(outgoing.end);
    }
    records
}

pub fn letters(records: &[Record]) -> String {
    records.iter().map(|record| record.document[0] as char).collect()
}

/// The segments of a folder, the oldest first.
pub fn segments(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries
        .filter(|path| path.extension().is_some_and(|ending| ending == "segment"))
        .collect();
    paths.sort();
    paths
}
