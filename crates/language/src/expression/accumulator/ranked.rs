//! The first N by a key: `$topN $bottomN $minN $maxN $firstN $lastN` and their singular forms.

use std::collections::BTreeMap;
use value::Value;

/// Keeps the N values with the smallest keys, in the order of keys, then of arrival.
#[derive(Debug)]
pub struct Ranked {
    kept_max: usize,
    arrivals: u64,
    kept: BTreeMap<(Vec<u8>, u64), Value>,
    bytes: usize,
}

impl Ranked {
    /// Keeping so many.
    pub fn new(kept_max: usize) -> Ranked {
        Ranked {
            kept_max,
            arrivals: 0,
            kept: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// The number of values that came so far.
    pub fn arrivals(&self) -> u64 {
        self.arrivals
    }

    /// Takes one more; the value is made only if it is kept.
    pub fn add(&mut self, key: Vec<u8>, value: impl FnOnce() -> Value) {
        self.arrivals += 1;
        let key = (key, self.arrivals);
        if self.kept.len() >= self.kept_max {
            match self.kept.last_key_value() {
                Some((last, _)) if *last > key => {}
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
