//! Which values an aggregation includes and excludes.

use super::values::Source;
use crate::murmur::murmur3;
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
