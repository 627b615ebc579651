//! `string_stats`: the lengths of strings, and the distribution of their characters.

use super::values::number_of;
use mapping::fields::Term;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// The memory that a character takes in the map.
const CHARACTER_BYTES: usize = 32;

/// The figures of the strings seen so far; lengths are in UTF-16 units, as in Java.
#[derive(Clone, Debug, Default)]
pub(super) struct Letters {
    texts: u64,
    length: u64,
    /// The lengths of the shortest string that is not empty, and of the longest.
    ends: Option<(u64, u64)>,
    /// How often each character occurs.
    counts: BTreeMap<u16, u64>,
}

impl Letters {
    pub(super) fn bytes(&self) -> usize {
        self.counts.len() * CHARACTER_BYTES
    }

    /// Adds a string, counted `times` times.
    pub(super) fn add(&mut self, term: &Term, times: u64) {
        let Term::Text(text) = term else { return };
        self.texts += times;
        let mut length = 0;
        for unit in text.encode_utf16() {
            length += 1;
            *self.counts.entry(unit).or_default() += times;
        }
        if length > 0 {
            self.length += length * times;
            let (low, high) = self.ends.unwrap_or((length, length));
            self.ends = Some((low.min(length), high.max(length)));
        }
    }

    /// One of its figures by its name; NaN if there is none.
    pub(super) fn number(&self, name: &str) -> f64 {
        let number = match name {
            "count" => Some(self.texts as f64),
            "min_length" => self.ends.map(|(low, _)| low as f64),
            "max_length" => self.ends.map(|(_, high)| high as f64),
            "avg_length" => Some(self.length as f64 / self.texts as f64),
            "entropy" => Some(self.entropy()),
            _ => None,
        };
        number.unwrap_or(f64::NAN)
    }

    /// Shannon's entropy of the characters, in bits.
    fn entropy(&self) -> f64 {
        let bits = self.counts.values().map(|count| {
            let share = *count as f64 / self.length as f64;
            share * share.log2()
        });
        // Without characters it is 0, and not -0.
        0.0 - bits.sum::<f64>()
    }

    pub(super) fn finish(&self, shows_distribution: bool) -> Map<String, Value> {
        let mut out = Map::from_iter([("count".to_owned(), json!(self.texts))]);
        let is_there = self.texts > 0;
        let whole = |length: Option<u64>| {
            if is_there {
                json!(length.unwrap_or(0))
            } else {
                Value::Null
            }
        };
        let avg = is_there.then(|| number_of(self.number("avg_length")));
        out.insert("min_length".to_owned(), whole(self.ends.map(|(low, _)| low)));
        out.insert("max_length".to_owned(), whole(self.ends.map(|(_, high)| high)));
        out.insert("avg_length".to_owned(), avg.unwrap_or_default());
        out.insert("entropy".to_owned(), number_of(self.entropy()));
        if shows_distribution {
            let mut counts: Vec<(u16, u64)> =
                self.counts.iter().map(|(unit, count)| (*unit, *count)).collect();
            counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
            let share = |(unit, count): (u16, u64)| {
                let share = number_of(count as f64 / self.length as f64);
                (String::from_utf16_lossy(&[unit]), share)
            };
            let shares: Map<String, Value> = counts.into_iter().map(share).collect();
            let shares = if is_there { shares.into() } else { Value::Null };
            out.insert("distribution".to_owned(), shares);
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_lengths_and_characters() {
        let mut letters = Letters::default();
        letters.add(&Term::Text("aab".to_owned()), 1);
        letters.add(&Term::Text("a".to_owned()), 1);
        assert_eq!(
            Value::Object(letters.finish(true)),
            json!({"count": 2, "min_length": 1, "max_length": 3, "avg_length": 2.0, "entropy": letters.number("entropy"),
                "distribution": {"a": 0.75, "b": 0.25}})
        );
        assert!((letters.number("entropy") - 0.811_278).abs() < 1e-6);
        assert_eq!(
            Value::Object(Letters::default().finish(true)),
            json!({"count": 0, "min_length": null, "max_length": null, "avg_length": null, "entropy": 0.0, "distribution": null})
        );
    }
}
