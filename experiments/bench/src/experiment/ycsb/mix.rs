//! The workloads: which operations on which keys.

use super::zipfian::Zipfian;
use super::{FIELD_BYTES, FIELDS, SCAN_MAX};
use crate::workload::scramble;
use std::sync::atomic::{AtomicU64, Ordering};

/// YCSB's core workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mix {
    /// As many updates as reads: a store of sessions.
    A,
    /// 5 % updates: tags of photos.
    B,
    /// Reads alone: profiles of users.
    C,
    /// Reads and updates of what was read.
    F,
    /// 5 % inserts, and reads of what is new.
    D,
    /// 5 % inserts, and short scans.
    E,
}

impl Mix {
    /// In the order in which they run: as YCSB advises, those that insert come last.
    pub(super) const ALL: [Mix; 6] = [Mix::A, Mix::B, Mix::C, Mix::F, Mix::D, Mix::E];

    pub(super) fn words(self) -> &'static str {
        match self {
            Mix::A => "half updates",
            Mix::B => "5 % updates",
            Mix::C => "reads",
            Mix::D => "latest, 5 % inserts",
            Mix::E => "scans, 5 % inserts",
            Mix::F => "half read-modify-write",
        }
    }

    /// Percent of the operations that only read.
    fn reads_percent(self) -> u64 {
        match self {
            Mix::A | Mix::F => 50,
            Mix::B | Mix::D | Mix::E => 95,
            Mix::C => 100,
        }
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub(super) enum Operation {
    Read(String),
    Update(String, u64, String),
    ReadModifyWrite(String, u64, String),
    Insert(u64),
    Scan(String, u64),
}

/// Chooses one client's operations.
#[derive(Clone, Debug)]
pub(super) struct Picker {
    mix: Mix,
    zipfian: Zipfian,
    records: u64,
    random: u64,
}

impl Picker {
    /// Of a client of this number, for as many records as there are now.
    pub(super) fn new(mix: Mix, records: u64, client: u64) -> Picker {
        Picker {
            mix,
            zipfian: Zipfian::new(records),
            records,
            random: scramble(client << 32 | mix as u64),
        }
    }

    /// The next operation; `records` counts those that were inserted.
    pub(super) fn next(&mut self, records: &AtomicU64) -> Operation {
        let is_read = self.random() % 100 < self.mix.reads_percent();
        if is_read {
            return match self.mix {
                Mix::E => Operation::Scan(self.key(), 1 + self.random() % SCAN_MAX),
                Mix::D => {
                    let newest = records.load(Ordering::Relaxed) - 1;
                    Operation::Read(key(newest.saturating_sub(self.rank())))
                }
                _ => Operation::Read(self.key()),
            };
        }
        match self.mix {
            Mix::D | Mix::E => Operation::Insert(records.fetch_add(1, Ordering::Relaxed)),
            Mix::F => Operation::ReadModifyWrite(self.key(), self.random() % FIELDS, field(self.random)),
            _ => Operation::Update(self.key(), self.random() % FIELDS, field(self.random)),
        }
    }

    /// A key; the frequent ones lie anywhere among the others.
    fn key(&mut self) -> String {
        key(scramble(self.rank()) % self.records)
    }

    /// A number by Zipf's law.
    fn rank(&mut self) -> u64 {
        // The upper bits, between 0 and 1.
        let even = (self.random() >> 11) as f64 / (1u64 << 53) as f64;
        self.zipfian.at(even)
    }

    fn random(&mut self) -> u64 {
        self.random = scramble(self.random);
        self.random
    }
}

/// The key of a record.
pub(super) fn key(number: u64) -> String {
    format!("user{:020}", scramble(number))
}

/// The text of a field.
pub(super) fn field(seed: u64) -> String {
    // From `#` to `Z`: nothing that JSON would escape.
    let letter = |at| char::from(b'#' + (scramble(seed ^ at) % 56) as u8);
    (0..FIELD_BYTES as u64).map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_is_updates_of_keys_that_are_there() {
        let records = AtomicU64::new(1000);
        let mut picker = Picker::new(Mix::A, 1000, 1);
        let keys: std::collections::HashSet<String> = (0..1000).map(key).collect();
        let mut updates = 0;
        for _ in 0..10_000 {
            let asked = match picker.next(&records) {
                Operation::Read(key) => key,
                Operation::Update(key, ..) => {
                    updates += 1;
                    key
                }
                other => panic!("{other:?}"),
            };
            assert!(keys.contains(&asked));
        }
        assert!((4_800..5_200).contains(&updates), "{updates}");
    }
}
