//! Which values an aggregation includes and excludes.

use super::values::Key;
use mapping::fields::Term;
use mapping::murmur::{bits, mixed, murmur3};
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
    let hash = match (bits(term), term) {
        (Some(bits), _) => mixed(bits),
        (None, Term::Ip(ip)) => i64::from(murmur3(&ip.octets(), SEED) as i32),
        (None, term) => i64::from(murmur3(text(term).as_bytes(), SEED) as i32),
    };
    hash.rem_euclid(i64::try_from(parts).unwrap_or(1).max(1)) as u64
}
