//! A bucket for each value.

use super::buckets::{Bucket, BucketOrder, Key, sort};
use super::values::Source;
use super::wanted::{Wanted, is_wanted, may_be_wanted};
use super::{Aggregations, Finish};
use mapping::Mapping;
use mapping::error::{Kind, Result, SearchError};
use mapping::fields::{Term, View};
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
    /// The documents that a bucket may have where only rare terms are wanted.
    pub(super) most: Option<u64>,
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
        is_wanted(self.include.as_ref(), self.exclude.as_ref(), term, source, view)
    }
}

pub(super) fn finish(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &TermsSpec,
    inner: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    if let Some(most) = spec.most {
        return finish_rare(by_key, source, most, inner, finish, out);
    }
    let kind = match by_key.keys().next() {
        None | Some(Key(Term::Text(_) | Term::Ip(_))) => "sterms",
        Some(Key(Term::Float(_))) => "dterms",
        Some(_) => "lterms",
    };
    let mut by_key = by_key;
    if spec.least == 0 {
        add_empty(&mut by_key, source, spec, inner, finish)?;
    }
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

/// The buckets of few documents, the rarest first.
fn finish_rare(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    most: u64,
    inner: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    let kind = match by_key.keys().next() {
        None => "umrareterms",
        Some(Key(Term::Text(_) | Term::Ip(_))) => "srareterms",
        Some(_) => "lrareterms",
    };
    let rare = by_key.into_iter().filter(|(_, bucket)| bucket.count <= most);
    let mut buckets: Vec<(Key, Bucket)> = rare.collect();
    buckets.sort_by_key(|(_, bucket)| bucket.count);
    let mut listed = Vec::with_capacity(buckets.len());
    for (key, bucket) in buckets {
        let mut one = Map::new();
        source.put_key(&key.0, &mut one);
        bucket.put(inner, finish, &mut one)?;
        listed.push(Value::Object(one));
    }
    out.insert("buckets".to_owned(), Value::Array(listed));
    Ok(kind)
}

/// Adds a bucket for each value that no document has that was found.
fn add_empty(
    by_key: &mut BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &TermsSpec,
    inner: &Aggregations,
    finish: &Finish<'_>,
) -> Result<()> {
    let Some(counts) = finish.background.of(source, None) else {
        return Ok(());
    };
    for key in counts
        .keys()
        .filter(|key| may_be_wanted(spec.include.as_ref(), spec.exclude.as_ref(), &key.0))
    {
        if !by_key.contains_key(key) {
            let bucket = Bucket::new(inner);
            finish.held.add(key.bytes() + bucket.bytes())?;
            by_key.insert(key.clone(), bucket);
        }
    }
    Ok(())
}
