//! The newest entries that match. Segments are sorted by time, the newest first, so that each is left as soon as it cannot give
//! any more.

use crate::error::Result;
use crate::lookup::Lookup;
use crate::mask::Mask;
use crate::reader::{Reader, each};
use crate::top::Top;
use std::cmp::Reverse;

/// A record that was found, newer ones first and of those of one time the one that was changed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Newest {
    /// Its time; the least number where it has none.
    pub time: Reverse<i64>,
    /// The number of its last change.
    pub sequence: u64,
    /// The record.
    pub number: u64,
}

impl Reader {
    /// The newest of those that match, in order.
    pub fn newest(&self, lookup: &Lookup, mask: &Mask, count: usize) -> Result<Vec<Newest>> {
        let mut best: Top<Newest> = Top::new(count);
        if count == 0 {
            return Ok(Vec::new());
        }
        let weight = self.weight(lookup)?;
        let segments = self.searcher.segment_readers();
        let mut order = Vec::with_capacity(segments.len());
        for (at, segment) in segments.iter().enumerate() {
            let open = self.opened.of(segment)?;
            order.push((Reverse(open.times.max_value()), at, open));
        }
        order.sort_unstable_by_key(|(newest, at, _)| (*newest, *at));
        for (newest, at, open) in order {
            if best.last().is_some_and(|last| newest > last.time) {
                break;
            }
            let segment = &segments[at];
            each(&*weight, at, segment, mask, &mut |entry| {
                let time = Reverse(open.times.values.get_val(entry));
                if best.last().is_some_and(|last| time > last.time) {
                    return false;
                }
                best.put(Newest {
                    time,
                    sequence: open.sequences.values.get_val(entry),
                    number: open.numbers.values.get_val(entry),
                });
                true
            })?;
        }
        Ok(best.into_sorted())
    }
}
