//! Which values an aggregation includes and excludes.

use super::values::Source;
use mapping::fields::{Term, View};
use regex::Regex;

/// Values by a pattern or by name.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    Pattern(Regex),
    Values(Vec<String>),
    /// One of so many parts of all values.
    Part(u64, u64),
}

impl Wanted {
    fn has(&self, text: &str, term: &Term, source: &Source, view: &View<'_>) -> bool {
        match self {
            Wanted::Pattern(pattern) => pattern.is_match(text),
            Wanted::Values(values) => values.iter().any(|value| {
                value == text
                    || match term {
                        Term::Date(ms) => source.read_date(value, view).is_ok_and(|read| read == *ms),
                        Term::Float(number) => value.parse() == Ok(*number),
                        Term::Ip(ip) => mapping::fields::ip(value) == Some(*ip),
                        _ => false,
                    }
            }),
            Wanted::Part(part, parts) => partition(term, text, *parts) == *part,
        }
    }
}

/// Whether a value is one of those that are included, and none of those that are excluded.
pub(super) fn is_wanted(
    include: Option<&Wanted>,
    exclude: Option<&Wanted>,
    term: &Term,
    source: &Source,
    view: &View<'_>,
) -> bool {
    if include.is_none() && exclude.is_none() {
        return true;
    }
    let text = match term {
        Term::Text(text) => text.clone(),
        Term::Integer(number) | Term::Date(number) => number.to_string(),
        Term::Float(number) => number.to_string(),
        Term::Boolean(flag) => flag.to_string(),
        Term::Ip(ip) => Term::ip_text(ip),
        Term::Point(_) | Term::Interval(_) => return false,
    };
    include.is_none_or(|wanted| wanted.has(&text, term, source, view))
        && !exclude.is_some_and(|unwanted| unwanted.has(&text, term, source, view))
}

/// The part of a value, as Elasticsearch makes parts: by murmur3 of a text, by mixed bits of a number.
fn partition(term: &Term, text: &str, parts: u64) -> u64 {
    const SEED: u32 = 31;
    let hash = match term {
        Term::Integer(number) | Term::Date(number) => {
            let mut hash = *number as u64;
            hash = (hash ^ (hash >> 32)).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
            hash = (hash ^ (hash >> 29)).wrapping_mul(0xfc12_c5b1_9d32_59e9);
            (hash ^ (hash >> 32)) as i64
        }
        _ => i64::from(murmur3(text.as_bytes(), SEED) as i32),
    };
    hash.rem_euclid(i64::try_from(parts).unwrap_or(1).max(1)) as u64
}

fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    let mix = |word: u32| {
        word.wrapping_mul(0xcc9e_2d51)
            .rotate_left(15)
            .wrapping_mul(0x1b87_3593)
    };
    let mut hash = seed;
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        hash ^= mix(u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        hash = hash.rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let rest = words.remainder();
    if !rest.is_empty() {
        let tail = rest
            .iter()
            .rev()
            .fold(0_u32, |tail, byte| tail << 8 | u32::from(*byte));
        hash ^= mix(tail);
    }
    hash ^= bytes.len() as u32;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

/// The same of a value that is in no document at hand.
pub(super) fn may_be_wanted(include: Option<&Wanted>, exclude: Option<&Wanted>, term: &Term) -> bool {
    let text = match term {
        Term::Text(text) => text.clone(),
        Term::Integer(number) | Term::Date(number) => number.to_string(),
        other => other
            .as_f64()
            .map_or_else(String::new, |number| number.to_string()),
    };
    let has = |wanted: &Wanted| match wanted {
        Wanted::Pattern(pattern) => pattern.is_match(&text),
        Wanted::Values(values) => values.contains(&text),
        Wanted::Part(part, parts) => partition(term, &text, *parts) == *part,
    };
    include.is_none_or(has) && !exclude.is_some_and(has)
}
