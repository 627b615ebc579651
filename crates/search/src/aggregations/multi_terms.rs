//! `multi_terms`: a bucket for each combination of the values of several fields.

use super::buckets::{Bucket, Key, bucket_of, sort};
use super::composite::combinations;
use super::ordering::BucketOrder;
use super::values::Source;
use super::{Context, Finish, Named};
use mapping::error::Result;
use mapping::fields::View;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What is asked of combinations.
#[derive(Clone, Debug)]
pub(super) struct MultiTermsSpec {
    pub(super) sources: Vec<Source>,
    pub(super) size: usize,
    pub(super) least: u64,
    pub(super) orders: Vec<BucketOrder>,
    pub(super) shows_error: bool,
}

/// The buckets so far.
#[derive(Clone, Debug, Default)]
pub(super) struct MultiTerms(BTreeMap<Vec<Key>, Bucket>);

fn bytes(key: &[Key], bucket: &Bucket) -> usize {
    key.iter().map(Key::bytes).sum::<usize>() + bucket.bytes()
}

impl MultiTerms {
    /// About the bytes that they take in memory.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(key, bucket)| bytes(key, bucket)).sum()
    }

    pub(super) fn collect(
        &mut self,
        spec: &MultiTermsSpec,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        // A document without a value of one of them has no combination.
        let values = spec.sources.iter().map(|source| -> Result<Vec<Key>> {
            let mut terms: Vec<Key> = source.terms(view)?.into_iter().map(Key).collect();
            terms.sort();
            terms.dedup();
            Ok(terms)
        });
        for key in combinations(values, &named.name)? {
            let bytes_of = |key: &Vec<Key>, bucket: &Bucket| bytes(key, bucket);
            let bucket = bucket_of(&mut self.0, key, &named.inner, context.held, bytes_of)?;
            bucket.collect(&named.inner, view, context, first)?;
        }
        Ok(())
    }

    pub(super) fn finish(
        self,
        spec: &MultiTermsSpec,
        named: &Named,
        finish: &Finish<'_>,
    ) -> Result<Map<String, Value>> {
        let enough = self
            .0
            .into_iter()
            .filter(|(_, bucket)| bucket.count >= spec.least);
        let mut buckets: Vec<(Vec<Key>, Bucket)> = enough.collect();
        sort(&mut buckets, &spec.orders, &named.inner);
        let others = buckets.iter().skip(spec.size).map(|(_, bucket)| bucket.count);
        let others: u64 = others.sum();
        buckets.truncate(spec.size);
        let mut listed = Vec::with_capacity(buckets.len());
        for (key, bucket) in buckets {
            let parts: Vec<Value> = key
                .iter()
                .zip(&spec.sources)
                .map(|(key, source)| source.shown(&key.0))
                .collect();
            let texts: Vec<String> = parts
                .iter()
                .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
                .collect();
            let mut one = Map::new();
            one.insert("key".to_owned(), Value::Array(parts));
            one.insert("key_as_string".to_owned(), json!(texts.join("|")));
            bucket.put(&named.inner, finish, &mut one)?;
            if spec.shows_error {
                one.insert("doc_count_error_upper_bound".to_owned(), json!(0));
            }
            listed.push(Value::Object(one));
        }
        let mut out = Map::new();
        out.insert("doc_count_error_upper_bound".to_owned(), json!(0));
        out.insert("sum_other_doc_count".to_owned(), json!(others));
        out.insert("buckets".to_owned(), Value::Array(listed));
        Ok(out)
    }
}
