//! The first N by a key: `$topN $bottomN $minN $maxN $firstN $lastN` and their singular forms.

use std::collections::BTreeMap;
use value::Value;

/// The order of values with the same key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ties {
    /// In the order in which they came.
    FirstFirst,
    /// In the reverse order, but once N are kept, a later value does not displace an earlier one.
    LastFirst,
    /// In the reverse order; later values displace earlier ones.
    LastStay,
}

/// Keeps the N values with the smallest keys, in the order of keys.
#[derive(Debug)]
pub struct Ranked {
    kept_max: usize,
    ties: Ties,
    arrivals: u64,
    /// By key and place among equal keys.
    kept: BTreeMap<(Vec<u8>, u64), Value>,
    bytes: usize,
}

impl Ranked {
    /// Keeping this many.
    pub fn new(kept_max: usize, ties: Ties) -> Ranked {
        Ranked {
            kept_max,
            ties,
            arrivals: 0,
            kept: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// Adds a value, which is made only if it is kept.
    pub fn add(&mut self, key: Vec<u8>, value: impl FnOnce() -> Value) {
        self.arrivals += 1;
        let place = match self.ties {
            Ties::FirstFirst => self.arrivals,
            Ties::LastFirst | Ties::LastStay => u64::MAX - self.arrivals,
        };
        let key = (key, place);
        if self.kept.len() >= self.kept_max {
            match self.kept.last_key_value() {
                Some(((last, _), _)) if *last > key.0 => {}
                Some(((last, _), _)) if *last == key.0 && self.ties == Ties::LastStay => {}
                _ => return,
            }
            if let Some(((key, _), value)) = self.kept.pop_last() {
                self.bytes -= key.len() + crate::expression::size_bytes(value.as_ref());
            }
        }
        let value = value();
        self.bytes += key.0.len() + crate::expression::size_bytes(value.as_ref());
        self.kept.insert(key, value);
    }

    /// The values in order.
    pub fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.kept).into_values().collect()
    }

    /// The bytes of what is kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}
