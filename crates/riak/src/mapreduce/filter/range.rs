//! The range of keys in which a filter's matches lie, so that a bucket is not read as a whole.

use super::operand::Operand;
use std::ops::Bound;
use value::Value;

/// A range of keys that are texts, both ends included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyRange {
    low: Vec<u8>,
    /// No end where there is none.
    high: Option<Vec<u8>>,
    is_empty: bool,
}

impl KeyRange {
    pub(super) fn all() -> KeyRange {
        KeyRange {
            low: Vec::new(),
            high: None,
            is_empty: false,
        }
    }

    pub(super) fn none() -> KeyRange {
        KeyRange {
            is_empty: true,
            ..KeyRange::all()
        }
    }

    pub(super) fn between(low: &[u8], high: &[u8]) -> KeyRange {
        KeyRange {
            low: low.to_vec(),
            high: Some(high.to_vec()),
            is_empty: low > high,
        }
    }

    /// Texts from an operand on; numbers and truth values are before all texts.
    pub(super) fn from(low: &Operand) -> KeyRange {
        match low {
            Operand::Text(low) => KeyRange {
                low: low.clone(),
                ..KeyRange::all()
            },
            _ => KeyRange::all(),
        }
    }

    /// Texts up to an operand.
    pub(super) fn up_to(high: &Operand) -> KeyRange {
        match high {
            Operand::Text(high) => KeyRange::between(b"", high),
            _ => KeyRange::none(),
        }
    }

    /// Texts with this beginning: all that follow it begin so until the last character is another one.
    pub(super) fn of_prefix(prefix: &[u8]) -> KeyRange {
        let mut end = String::from_utf8_lossy(prefix).into_owned();
        while let Some(last) = end.pop() {
            let next = (u32::from(last) + 1..=u32::from(char::MAX)).find_map(char::from_u32);
            if let Some(next) = next {
                end.push(next);
                return KeyRange::between(prefix, end.as_bytes());
            }
        }
        KeyRange {
            low: prefix.to_vec(),
            ..KeyRange::all()
        }
    }

    /// Whether a text lies in it.
    pub(crate) fn contains(&self, text: &[u8]) -> bool {
        !self.is_empty && *self.low <= *text && self.high.as_deref().is_none_or(|high| text <= high)
    }

    pub(super) fn and(self, other: KeyRange) -> KeyRange {
        let low = self.low.max(other.low);
        let high = match (self.high, other.high) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let is_empty = self.is_empty || other.is_empty || high.as_ref().is_some_and(|high| *high < low);
        KeyRange { low, high, is_empty }
    }

    pub(super) fn or(self, other: KeyRange) -> KeyRange {
        match (self.is_empty, other.is_empty) {
            (true, _) => other,
            (_, true) => self,
            _ => KeyRange {
                low: self.low.min(other.low),
                high: self.high.zip(other.high).map(|(one, other)| one.max(other)),
                is_empty: false,
            },
        }
    }

    /// The ranges of `_id`s: these texts, and all that is no text.
    pub(crate) fn ids(&self) -> Vec<(Bound<Value>, Bound<Value>)> {
        let text = |bytes: &[u8]| Value::from(String::from_utf8_lossy(bytes).into_owned());
        // Documents come after texts in the order of values.
        let after_strings = || Value::Document(value::Document::new());
        let mut ranges = vec![(Bound::Unbounded, Bound::Excluded(Value::from("")))];
        if !self.is_empty {
            let high = self.high.as_deref();
            let high = high.map_or_else(
                || Bound::Excluded(after_strings()),
                |high| Bound::Included(text(high)),
            );
            ranges.push((Bound::Included(text(&self.low)), high));
        }
        ranges.push((Bound::Included(after_strings()), Bound::Unbounded));
        ranges
    }
}
