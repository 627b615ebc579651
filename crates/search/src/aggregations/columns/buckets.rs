//! The buckets of a histogram, of whose values one stands for all.

use crate::aggregations::histogram::{Interval, Width};
use crate::aggregations::values::Source;
use jiff::tz::TimeZone;
use std::collections::HashMap;

/// Buckets that are remembered until they are collected.
const BUCKETS_MAX: usize = 100_000;

/// The buckets of a histogram: for each the value that was met first.
#[derive(Debug)]
pub(super) struct Buckets {
    source: Source,
    interval: Interval,
    first: HashMap<u64, u64>,
    /// The bucket that was met last: where it begins, where it ends, its first value.
    last: Option<(f64, f64, u64)>,
}

impl Buckets {
    /// `None` where a bucket's values are not all alike.
    pub(super) fn new(source: &Source, interval: &Interval) -> Option<Buckets> {
        // Within what is cut off hard, a bucket's values do not all count.
        (interval.hard.low.is_none() && interval.hard.high.is_none()).then(|| Buckets {
            source: source.clone(),
            interval: interval.clone(),
            first: HashMap::new(),
            last: None,
        })
    }

    /// The bits of the first value that was met in the bucket of this one.
    pub(super) fn first(&mut self, bits: u64, value: f64) -> u64 {
        if let Some((from, to, first)) = self.last
            && (from..to).contains(&value)
        {
            return first;
        }
        let Some(from) = self.interval.floor(value, &self.source) else {
            return bits;
        };
        let first = *self.first.entry(from.to_bits()).or_insert(bits);
        // Where clocks are changed, buckets are not as wide as usual. Numbers are rounded on both sides alike.
        let is_even = matches!(self.interval.width, Width::Fixed(_)) && self.source.zone == TimeZone::UTC;
        let end = self.interval.next(from, &self.source).filter(|_| is_even);
        self.last = end.map(|to| (from, to, first));
        first
    }

    /// Whether there is no room for more.
    pub(super) fn are_full(&self) -> bool {
        self.first.len() > BUCKETS_MAX
    }

    /// Forgets what was met.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.last = None;
    }
}
