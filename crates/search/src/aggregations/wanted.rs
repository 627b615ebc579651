//! Which values an aggregation includes and excludes.

use super::values::Key;
use crate::murmur::murmur3;
use mapping::fields::Term;
use regex::Regex;
use std::collections::BTreeSet;

/// Values by a pattern or by name.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    Pattern(Regex),
    /// As the request has them.
    Values(Vec<String>),
    /// As the field has them.
    Terms(BTreeSet<Key>),
    /// One part of all values, and how many parts there are.
    Part(u64, u64),
}

impl Wanted {
    fn has(&self, term: &Term) -> bool {
        match self {
            Wanted::Pattern(pattern) => pattern.is_match(&text(term)),
            Wanted::Values(values) => values.contains(&text(term)),
            Wanted::Terms(terms) => terms.contains(&Key(term.clone())),
            Wanted::Part(part, parts) => partition(term, *parts) == *part,
        }
    }
}

fn text(term: &Term) -> String {
    match term {
        Term::Text(text) => text.clone(),
        Term::Integer(number) | Term::Date(number) => number.to_string(),
        Term::Unsigned(number) => number.to_string(),
        Term::Boolean(flag) => flag.to_string(),
        Term::Ip(ip) => Term::ip_text(ip),
        other => other
            .as_f64()
            .map_or_else(String::new, |number| number.to_string()),
    }
}

/// Whether a value is one of those that are included, and none of those that are excluded.
pub(super) fn is_wanted(include: Option<&Wanted>, exclude: Option<&Wanted>, term: &Term) -> bool {
    include.is_none_or(|wanted| wanted.has(term)) && !exclude.is_some_and(|unwanted| unwanted.has(term))
}

/// The part of a value, as Elasticsearch makes parts: by murmur3 of a text, by mixed bits of a number.
fn partition(term: &Term, parts: u64) -> u64 {
    const SEED: u32 = 31;
    let mixed = |bits: u64| {
        let hash = (bits ^ (bits >> 32)).wrapping_mul(0x4cd6_944c_5cc2_0b6d);
        let hash = (hash ^ (hash >> 29)).wrapping_mul(0xfc12_c5b1_9d32_59e9);
        (hash ^ (hash >> 32)) as i64
    };
    let hash = match term {
        Term::Integer(number) | Term::Date(number) => mixed(*number as u64),
        // As columns have it, with the first bit turned over.
        Term::Unsigned(number) => mixed(*number ^ (1_u64 << 63)),
        Term::Boolean(flag) => mixed(u64::from(*flag)),
        Term::Float(number) => {
            // The bits in the order of the numbers.
            let bits = number.to_bits() as i64;
            mixed((bits ^ ((bits >> 63) & i64::MAX)) as u64)
        }
        Term::Ip(ip) => i64::from(murmur3(&ip.octets(), SEED) as i32),
        _ => i64::from(murmur3(text(term).as_bytes(), SEED) as i32),
    };
    hash.rem_euclid(i64::try_from(parts).unwrap_or(1).max(1)) as u64
}
