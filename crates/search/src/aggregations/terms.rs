//! A bucket for each value.

use super::buckets::{Bucket, BucketOrder, Key, sort};
use super::values::Source;
use super::{Aggregations, Finish};
use mapping::Mapping;
use mapping::error::{Kind, Result, SearchError};
use mapping::fields::{Term, View};
use regex::Regex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What is asked of terms.
#[derive(Clone, Debug)]
pub(super) struct TermsSpec {
    pub(super) size: usize,
    pub(super) least: u64,
    pub(super) orders: Vec<BucketOrder>,
    pub(super) include: Option<Wanted>,
    pub(super) exclude: Option<Wanted>,
    /// Whether the client says that terms are to be counted by themselves, not by a column.
    pub(super) is_mapped: bool,
}

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

impl TermsSpec {
    /// Refuses patterns of what is no text.
    pub(super) fn check(&self, source: &Source, mapping: &Mapping) -> Result<()> {
        let is_text = mapping
            .field(&source.field)
            .is_none_or(|field| field.is_textual());
        let is_pattern = |wanted: &Option<Wanted>| matches!(wanted, Some(Wanted::Pattern(_)));
        match !is_text && (is_pattern(&self.include) || is_pattern(&self.exclude)) {
            false => Ok(()),
            true => Err(SearchError::new(
                Kind::Aggregation,
                format!(
                    "Aggregation [{}] cannot support regular expression style include/exclude settings as they can only be applied to string \
                 fields. Use an array of values for include/exclude clauses",
                    source.field
                ),
            )),
        }
    }

    pub(super) fn includes(&self, term: &Term, source: &Source, view: &View<'_>) -> bool {
        if self.include.is_none() && self.exclude.is_none() {
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
        self.include
            .as_ref()
            .is_none_or(|wanted| wanted.has(&text, term, source, view))
            && !self
                .exclude
                .as_ref()
                .is_some_and(|unwanted| unwanted.has(&text, term, source, view))
    }
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

pub(super) fn finish(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &TermsSpec,
    inner: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    let kind = match by_key.keys().next() {
        None => "umterms",
        Some(Key(Term::Text(_) | Term::Ip(_))) => "sterms",
        Some(Key(Term::Float(_))) => "dterms",
        Some(_) => "lterms",
    };
    let mut buckets: Vec<(Key, Bucket)> = by_key
        .into_iter()
        .filter(|(_, bucket)| bucket.count >= spec.least)
        .collect();
    sort(&mut buckets, &spec.orders, inner);
    let others: u64 = buckets
        .iter()
        .skip(spec.size)
        .map(|(_, bucket)| bucket.count)
        .sum();
    buckets.truncate(spec.size);
    let mut listed = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        let mut one = Map::new();
        source.put_key(&key.0, &mut one);
        bucket.put(inner, finish, &mut one)?;
        listed.push(Value::Object(one));
    }
    out.insert("doc_count_error_upper_bound".to_owned(), json!(0));
    out.insert("sum_other_doc_count".to_owned(), json!(others));
    out.insert("buckets".to_owned(), Value::Array(listed));
    Ok(kind)
}
