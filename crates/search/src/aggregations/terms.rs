//! A bucket for each value.

use super::Aggregations;
use super::buckets::{Bucket, BucketOrder, Key, sort};
use super::values::Source;
use crate::error::Result;
use crate::fields::Term;
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
}

/// Values by a pattern or by name.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    Pattern(Regex),
    Values(Vec<String>),
}

impl Wanted {
    fn has(&self, text: &str) -> bool {
        match self {
            Wanted::Pattern(pattern) => pattern.is_match(text),
            Wanted::Values(values) => values.iter().any(|value| value == text),
        }
    }
}

impl TermsSpec {
    pub(super) fn includes(&self, term: &Term) -> bool {
        if self.include.is_none() && self.exclude.is_none() {
            return true;
        }
        let text = match term {
            Term::Text(text) => text.clone(),
            Term::Integer(number) | Term::Date(number) => number.to_string(),
            Term::Float(number) => number.to_string(),
            Term::Boolean(flag) => flag.to_string(),
            Term::Ip(ip) => Term::ip_text(ip),
        };
        self.include.as_ref().is_none_or(|wanted| wanted.has(&text))
            && !self.exclude.as_ref().is_some_and(|unwanted| unwanted.has(&text))
    }
}

pub(super) fn finish(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &TermsSpec,
    inner: &Aggregations,
    typed: bool,
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
        bucket.put(inner, typed, &mut one)?;
        listed.push(Value::Object(one));
    }
    out.insert("doc_count_error_upper_bound".to_owned(), json!(0));
    out.insert("sum_other_doc_count".to_owned(), json!(others));
    out.insert("buckets".to_owned(), Value::Array(listed));
    Ok(kind)
}
