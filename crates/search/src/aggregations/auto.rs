//! The width of date buckets that keeps their number within what a request asks for.

use super::values::Source;
use mapping::dates::{add_unit, floor_unit};

/// A unit of the calendar, and how many of it a bucket may have.
struct Unit {
    name: &'static str,
    /// As intervals are written.
    letter: char,
    /// About how long it is.
    ms: i64,
    numbers: &'static [i64],
}

const UNITS: [Unit; 6] = [
    unit("second", 's', 1000, &[1, 5, 10, 30]),
    unit("minute", 'm', 60_000, &[1, 5, 10, 30]),
    unit("hour", 'h', 3_600_000, &[1, 3, 12]),
    unit("day", 'd', 86_400_000, &[1, 7]),
    unit("month", 'M', 30 * 86_400_000, &[1, 3]),
    unit("year", 'y', 365 * 86_400_000, &[1, 5, 10, 20, 50, 100]),
];

const fn unit(name: &'static str, letter: char, ms: i64, numbers: &'static [i64]) -> Unit {
    Unit {
        name,
        letter,
        ms,
        numbers,
    }
}

/// What is asked of such a histogram.
#[derive(Clone, Debug)]
pub(super) struct AutoSpec {
    /// How many buckets there are at most.
    pub(super) buckets: usize,
    /// The place of the least unit that a bucket may have.
    pub(super) least: usize,
}

/// The place of a unit among those that a bucket may have.
pub(super) fn unit_of(name: &str) -> Option<usize> {
    UNITS.iter().position(|unit| unit.name == name)
}

impl AutoSpec {
    /// The starts of the buckets, and their width as text. If no width gives few enough, the widest is chosen.
    pub(super) fn chosen(&self, source: &Source, (low, high): (i64, i64)) -> Option<(Vec<i64>, String)> {
        let widths = UNITS[self.least..]
            .iter()
            .flat_map(|unit| unit.numbers.iter().map(move |number| (unit, *number)));
        let mut widest = None;
        for (unit, number) in widths {
            // Twice as many surely are too many: they need not be counted.
            let about = high.saturating_sub(low) / (unit.ms * number);
            let is_last = unit.letter == 'y' && unit.numbers.last() == Some(&number);
            if about > 2 * self.buckets as i64 && !is_last {
                continue;
            }
            let starts = starts((low, high), unit.letter, number, source)?;
            let is_enough = starts.len() <= self.buckets;
            widest = Some((starts, format!("{number}{}", unit.letter)));
            if is_enough {
                break;
            }
        }
        widest
    }
}

/// The starts of buckets of `number` units each: the first bucket holds `low`, the last one `high`.
fn starts((low, high): (i64, i64), unit: char, number: i64, source: &Source) -> Option<Vec<i64>> {
    let mut starts = vec![floor_unit(low, unit, &source.zone)?];
    loop {
        let last = *starts.last()?;
        let next = floor_unit(add_unit(last, unit, number, &source.zone)?, unit, &source.zone)?;
        if next > high || next <= last {
            return Some(starts);
        }
        starts.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number of buckets, and their width, if values lie within the first `seconds` of 1970.
    fn chosen(buckets: usize, seconds: i64) -> (usize, String) {
        let spec = AutoSpec { buckets, least: 0 };
        let source = Source::of_field("at".to_owned());
        let (starts, text) = spec.chosen(&source, (0, seconds * 1000)).unwrap();
        (starts.len(), text)
    }

    #[test]
    fn buckets_are_as_narrow_as_their_number_allows() {
        let day = 86_400;
        for (buckets, seconds, wanted) in [
            (10, 0, (1, "1s")),
            (10, 9, (10, "1s")),
            (10, 10, (3, "5s")),
            (2, 8 * day, (2, "7d")),
            (24, day - 1, (24, "1h")),
            (24, day, (9, "3h")),
            (12, 364 * day, (12, "1M")),
            (12, 365 * day, (5, "3M")),
            (1, 40 * 365 * day, (1, "50y")),
            (1, 250 * 365 * day, (3, "100y")),
        ] {
            let (count, text) = chosen(buckets, seconds);
            assert_eq!((count, text.as_str()), wanted, "{buckets} buckets of {seconds} s");
        }
    }
}
