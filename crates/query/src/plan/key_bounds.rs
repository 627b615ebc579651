//! Bounds as byte ranges of index keys, and the jump from a key outside them to the next that may lie within.

use super::interval::{Cut, Intervals};
use store::after_prefix;
use value::key::{self, Direction};

/// The keys of a compound index that a scan wants: for each field, ranges of its encoded part.
#[derive(Clone, Debug)]
pub struct KeyBounds {
    fields: Vec<FieldBounds>,
}

#[derive(Clone, Debug)]
struct FieldBounds {
    direction: Direction,
    /// Ascending by bytes, disjoint.
    ranges: Vec<ByteRange>,
    /// Whether every value is wanted; if so, the part is not even read.
    all: bool,
}

/// From `start`, included, to `end`, excluded, or to the end of all keys.
#[derive(Clone, Debug)]
struct ByteRange {
    start: Vec<u8>,
    end: Option<Vec<u8>>,
    /// Whether `start` is the encoding of a value in the range, and not just a successor of one.
    starts_with_value: bool,
    /// Whether the range has one value.
    point: bool,
}

/// How a key relates to the bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is within the bounds.
    Inside,
    /// It is outside, and so are all keys up to this one, where the scan continues (backward: the excluded end of what
    /// remains).
    Seek(Vec<u8>),
    /// It is outside, and so are all keys that follow.
    Done,
}

impl KeyBounds {
    /// The bounds of each field with the field's direction in the index.
    pub fn new<'a>(fields: impl IntoIterator<Item = (&'a Intervals, Direction)>) -> KeyBounds {
        let fields = fields
            .into_iter()
            .map(|(set, direction)| FieldBounds::new(set, direction))
            .collect();
        KeyBounds { fields }
    }

    /// The least range `[start, end)` that holds all wanted keys; `None` if no key is wanted. Without an `end` it extends
    /// to the end of the index.
    pub fn range(&self) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
        if self.fields.iter().any(|field| field.ranges.is_empty()) {
            return None;
        }
        let mut start = Vec::new();
        for field in self.fields.iter().take_while(|field| !field.all) {
            let first = field.ranges.first()?;
            start.extend_from_slice(&first.start);
            // A start just after a value is not a whole part, so no next field can follow it.
            if !first.starts_with_value {
                break;
            }
        }
        let mut end = Vec::new();
        for field in &self.fields {
            let last = field.ranges.last()?;
            // After a part with a single value the next field narrows the end further; any other part is the last.
            match (&last.end, last.point) {
                (_, true) => end.extend_from_slice(&last.start),
                (Some(bytes), false) => {
                    end.extend_from_slice(bytes);
                    return Some((start, Some(end)));
                }
                (None, false) => break,
            }
        }
        Some((start, after_prefix(end)))
    }

    /// Whether every key of [`KeyBounds::range`] is wanted, so that no key has to be checked. This is so with single values, then
    /// one range, then fields without bounds.
    pub fn is_contiguous(&self) -> bool {
        let points = self
            .fields
            .iter()
            .take_while(|field| matches!(field.ranges.as_slice(), [one] if one.point));
        let rest = &self.fields[points.count()..];
        let Some((first, rest)) = rest.split_first() else {
            return true;
        };
        first.ranges.len() <= 1 && rest.iter().all(|field| field.all)
    }

    /// Checks a key, reading forward.
    pub fn check_forward(&self, key: &[u8]) -> Verdict {
        let mut at = 0;
        for field in &self.fields {
            let Some((part, next)) = field.part(key, at) else {
                return Verdict::Inside;
            };
            if !field.all {
                match field.place(part) {
                    Place::Inside => {}
                    Place::Before(range) => return seek([&key[..at], &field.ranges[range].start].concat()),
                    Place::Behind => return after_prefix(key[..at].to_vec()).map_or(Verdict::Done, seek),
                }
            }
            at = next;
        }
        Verdict::Inside
    }

    /// Checks a key, reading backward. A [`Verdict::Seek`] is then the excluded end of the keys that may lie within.
    pub fn check_backward(&self, key: &[u8]) -> Verdict {
        let mut at = 0;
        for field in &self.fields {
            let Some((part, next)) = field.part(key, at) else {
                return Verdict::Inside;
            };
            if !field.all {
                let lower = match field.place(part) {
                    Place::Inside => {
                        at = next;
                        continue;
                    }
                    Place::Before(range) => range.checked_sub(1),
                    Place::Behind => field.ranges.len().checked_sub(1),
                };
                let Some(lower) = lower else {
                    // No key with this prefix is wanted below this key.
                    return if at == 0 {
                        Verdict::Done
                    } else {
                        seek(key[..at].to_vec())
                    };
                };
                let end = match &field.ranges[lower].end {
                    Some(end) => [&key[..at], end].concat(),
                    // This cannot happen: no part lies after a range without an end.
                    None => return Verdict::Inside,
                };
                return seek(end);
            }
            at = next;
        }
        Verdict::Inside
    }
}

fn seek(to: Vec<u8>) -> Verdict {
    Verdict::Seek(to)
}

enum Place {
    Inside,
    /// Outside, just before this range.
    Before(usize),
    /// Outside, after the last range.
    Behind,
}

impl FieldBounds {
    fn new(set: &Intervals, direction: Direction) -> FieldBounds {
        let mut ranges: Vec<ByteRange> = set
            .as_slice()
            .iter()
            .filter_map(|interval| {
                let (from, to) = match direction {
                    Direction::Ascending => (&interval.low, &interval.high),
                    Direction::Descending => (&interval.high, &interval.low),
                };
                let starts_behind = match direction {
                    Direction::Ascending => from.after,
                    Direction::Descending => !from.after,
                };
                Some(ByteRange {
                    start: encode_cut(from, direction)?,
                    end: encode_cut(to, direction),
                    starts_with_value: !starts_behind,
                    point: interval.is_point(),
                })
            })
            .collect();
        if direction == Direction::Descending {
            ranges.reverse();
        }
        FieldBounds {
            direction,
            ranges,
            all: set.is_all(),
        }
    }

    /// The bytes of this field at `at`, and the begin of the next field; `None` if the key has no more fields.
    fn part<'k>(&self, key: &'k [u8], at: usize) -> Option<(&'k [u8], usize)> {
        let length = key::skip(key.get(at..)?, self.direction)?;
        Some((&key[at..at + length], at + length))
    }

    fn place(&self, part: &[u8]) -> Place {
        // The first range that ends after the part is the only one that can hold it.
        let candidate = self
            .ranges
            .partition_point(|range| range.end.as_deref().is_some_and(|end| end <= part));
        match self.ranges.get(candidate) {
            Some(range) if range.start.as_slice() <= part => Place::Inside,
            Some(_) => Place::Before(candidate),
            None => Place::Behind,
        }
    }
}

/// The first possible key after the cut, in the order of bytes; `None` if there is none.
fn encode_cut(cut: &Cut, direction: Direction) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    key::encode(cut.value.as_ref(), direction, &mut bytes);
    let is_after = match direction {
        Direction::Ascending => cut.after,
        Direction::Descending => !cut.after,
    };
    match is_after {
        true => after_prefix(bytes),
        false => Some(bytes),
    }
}
