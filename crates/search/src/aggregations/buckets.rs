//! Buckets of documents, each with aggregations of its own.

use super::composite;
use super::counts::Counts;
use super::ordering::{BucketOrder, By, compare_numbers};
use super::path::Step;
use super::significant::SignificantSpec;
pub(super) use super::values::Key;
use super::values::{Source, number_of};
use super::{Aggregations, Collected, Context, Finish, Named, Spec, histogram, terms};
use mapping::error::Result;
use mapping::fields::{Term, View};
use querying::work;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// About the bytes of a bucket as it is shown, what is within it aside.
const SHOWN_BYTES: usize = 400;

/// A bucket.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    pub(super) count: u64,
    pub(super) inner: Collected,
}

impl Bucket {
    pub(super) fn new(inner: &Aggregations) -> Bucket {
        Bucket {
            count: 0,
            inner: Collected::new(inner),
        }
    }

    /// About the bytes that it takes in memory, its key aside.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Bucket>() + self.inner.bytes()
    }

    /// The bucket's count and what its aggregations gave.
    pub(super) fn put(
        self,
        inner: &Aggregations,
        finish: &Finish<'_>,
        out: &mut Map<String, Value>,
    ) -> Result<()> {
        finish.bucket(SHOWN_BYTES)?;
        out.insert("doc_count".to_owned(), json!(self.count));
        out.extend(self.inner.finish(inner, finish)?);
        Ok(())
    }
}

/// The buckets of one aggregation: by their keys, or by their places in the request.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    pub(super) by_key: BTreeMap<Key, Bucket>,
    pub(super) fixed: Vec<Bucket>,
    /// The document that came last, where each counts once.
    last: Option<(usize, u64)>,
    /// All documents that were shown, where that is told.
    seen: u64,
}

impl Buckets {
    pub(super) fn new(named: &Named) -> Buckets {
        let count = named.spec.fixed_buckets();
        Buckets {
            by_key: BTreeMap::new(),
            last: None,
            seen: 0,
            fixed: (0..count).map(|_| Bucket::new(&named.inner)).collect(),
        }
    }

    /// About the bytes that they take in memory.
    pub(super) fn bytes(&self) -> usize {
        let by_key = self
            .by_key
            .iter()
            .map(|(key, bucket)| key.bytes() + bucket.bytes());
        by_key.chain(self.fixed.iter().map(Bucket::bytes)).sum()
    }

    pub(super) fn collect(
        &mut self,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        let matches = |at: usize| {
            context
                .filters
                .get(at)
                .is_some_and(|node| node.score(view, context.statistics).is_some())
        };
        match &named.spec {
            Spec::Filter(_) if matches(first) => self.add_fixed(0, named, view, context, first + 1),
            Spec::Missing(source) if source.is_missing(view) => {
                self.add_fixed(0, named, view, context, first)
            }
            Spec::Filters { queries, other, .. } => {
                let behind = first + queries.len();
                let mut is_in_any = false;
                for at in 0..queries.len() {
                    if matches(first + at) {
                        is_in_any = true;
                        self.add_fixed(at, named, view, context, behind)?;
                    }
                }
                match other.is_some() && !is_in_any {
                    true => self.add_fixed(queries.len(), named, view, context, behind),
                    false => Ok(()),
                }
            }
            Spec::Nested(path) => {
                for inner in view.nested(path) {
                    self.add_fixed(0, named, &inner, context, first)?;
                }
                Ok(())
            }
            Spec::ReverseNested(path) => {
                let document = Some((view.index_at, view.sequence));
                if path.is_none() && self.last == document {
                    return Ok(());
                }
                self.last = document;
                self.add_fixed(0, named, &view.whole(), context, first)
            }
            Spec::Adjacency { queries, .. } => {
                let behind = first + queries.len();
                let found: Vec<usize> = (0..queries.len()).filter(|at| matches(first + at)).collect();
                for (place, a) in found.iter().enumerate() {
                    for b in &found[place..] {
                        // The rows of a triangle, one after another.
                        let at = a * queries.len() - a * a.saturating_sub(1) / 2 + (b - a);
                        self.add_fixed(at, named, view, context, behind)?;
                    }
                }
                Ok(())
            }
            Spec::Grid {
                source,
                is_tile,
                precision,
                bounds,
                ..
            } => {
                let points = source.terms(view).into_iter().filter_map(|term| match term {
                    Term::Point(point) => Some(point),
                    _ => None,
                });
                let points = points.filter(|point| bounds.is_none_or(|area| area.has(*point)));
                let cells = points.map(|point| match is_tile {
                    true => Term::Integer(composite::encoded(point.tile(*precision))),
                    false => Term::Text(point.geohash(*precision as usize)),
                });
                let keys = cells.map(Key).collect();
                self.add_keys(keys, named, view, context, first)
            }
            Spec::Range(source, range) => {
                let terms = source.terms(view);
                work(range.len())?;
                for at in 0..range.len() {
                    if terms.iter().any(|term| range.has(at, term)) {
                        self.add_fixed(at, named, view, context, first)?;
                    }
                }
                Ok(())
            }
            Spec::Terms(source, spec) => {
                let keys = source.terms(view).into_iter().filter(|term| spec.includes(term));
                self.add_keys(keys.map(Key).collect(), named, view, context, first)
            }
            Spec::Significant(source, spec) => {
                self.seen += context.weight;
                let terms = source.terms(view).into_iter();
                let keys = terms.filter(|term| spec.includes(term)).map(Key);
                self.add_keys(keys.collect(), named, view, context, first)
            }
            Spec::Values(source) => {
                let keys = source.terms(view).into_iter().map(Key).collect();
                self.add_keys(keys, named, view, context, first)
            }
            Spec::Histogram(source, interval) => {
                let mut keys = Vec::new();
                for term in source.terms(view) {
                    match &term {
                        Term::Interval(values) => keys.extend(interval.keys_of(values, source)?),
                        other => {
                            keys.extend(other.as_f64().and_then(|value| interval.key(value, source)));
                        }
                    }
                }
                self.add_keys(keys.into_iter().map(Key).collect(), named, view, context, first)
            }
            _ => Ok(()),
        }
    }

    fn add_fixed(
        &mut self,
        at: usize,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        let Some(bucket) = self.fixed.get_mut(at) else {
            return Ok(());
        };
        work(1)?;
        bucket.count += context.weight;
        bucket.inner.collect(&named.inner, view, context, first)
    }

    /// A document counts once in each bucket.
    fn add_keys(
        &mut self,
        mut keys: Vec<Key>,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        keys.sort();
        keys.dedup();
        for key in keys {
            let bucket = match self.by_key.entry(key) {
                std::collections::btree_map::Entry::Occupied(there) => there.into_mut(),
                std::collections::btree_map::Entry::Vacant(free) => {
                    let bucket = Bucket::new(&named.inner);
                    context.held.add(free.key().bytes() + bucket.bytes())?;
                    free.insert(bucket)
                }
            };
            bucket.count += context.weight;
            bucket.inner.collect(&named.inner, view, context, first)?;
        }
        Ok(())
    }

    /// The number by which the buckets around are ordered.
    pub(super) fn number(&self, named: &Named, rest: &[Step]) -> f64 {
        match self.fixed.first() {
            Some(bucket) if rest.is_empty() => bucket.count as f64,
            Some(bucket) => bucket.inner.number(&named.inner, rest),
            None => f64::NAN,
        }
    }

    /// The type's name, and the answer.
    pub(super) fn finish(
        self,
        named: &Named,
        finish: &Finish<'_>,
    ) -> Result<(&'static str, Map<String, Value>)> {
        let inner = &named.inner;
        let mut out = Map::new();
        let kind = match &named.spec {
            Spec::Filter(_) | Spec::Missing(_) | Spec::Nested(_) | Spec::ReverseNested(_) => {
                for bucket in self.fixed {
                    bucket.put(inner, finish, &mut out)?;
                }
                match named.spec {
                    Spec::Filter(_) => "filter",
                    Spec::Missing(_) => "missing",
                    Spec::Nested(_) => "nested",
                    _ => "reverse_nested",
                }
            }
            Spec::Adjacency { queries, separator } => {
                let names = (0..queries.len()).flat_map(|a| (a..queries.len()).map(move |b| (a, b)));
                let mut buckets = Vec::new();
                for ((a, b), bucket) in names.zip(self.fixed) {
                    let name = match a == b {
                        true => queries[a].0.clone(),
                        false => format!("{}{separator}{}", queries[a].0, queries[b].0),
                    };
                    if bucket.count > 0 {
                        let mut one = Map::from_iter([("key".to_owned(), json!(name))]);
                        bucket.put(inner, finish, &mut one)?;
                        buckets.push((name, Value::Object(one)));
                    }
                }
                buckets.sort_by(|(a, _), (b, _)| a.cmp(b));
                out.insert("buckets".to_owned(), listed(buckets, false));
                "adjacency_matrix"
            }
            Spec::Grid { is_tile, size, .. } => {
                let mut buckets: Vec<(Key, Bucket)> = self.by_key.into_iter().collect();
                // Of those with as many documents, the last cell comes first, as Elasticsearch has it.
                buckets.sort_by(|(a_key, a), (b_key, b)| {
                    let cells = composite::compare_cells(&b_key.0, &a_key.0);
                    b.count.cmp(&a.count).then(cells)
                });
                buckets.truncate(*size);
                let mut shown = Vec::with_capacity(buckets.len());
                for (Key(key), bucket) in buckets {
                    let cell = composite::cell_text(key);
                    let mut one = Map::from_iter([("key".to_owned(), json!(cell))]);
                    bucket.put(inner, finish, &mut one)?;
                    shown.push(Value::Object(one));
                }
                out.insert("buckets".to_owned(), Value::Array(shown));
                if *is_tile { "geotile_grid" } else { "geohash_grid" }
            }
            Spec::Filters {
                queries,
                keyed,
                other,
            } => {
                let names = queries.iter().map(|(name, _)| name.clone()).chain(other.clone());
                let mut buckets = Vec::new();
                for (name, bucket) in names.zip(self.fixed) {
                    let mut one = Map::new();
                    bucket.put(inner, finish, &mut one)?;
                    buckets.push((name, Value::Object(one)));
                }
                out.insert("buckets".to_owned(), listed(buckets, *keyed));
                "filters"
            }
            Spec::Range(source, range) => {
                let mut buckets = Vec::with_capacity(range.len());
                for ((key, mut one), bucket) in range.heads(&source.shown).into_iter().zip(self.fixed) {
                    bucket.put(inner, finish, &mut one)?;
                    buckets.push((key, Value::Object(one)));
                }
                out.insert("buckets".to_owned(), listed(buckets, range.keyed));
                range.name()
            }
            Spec::Terms(source, spec) => terms::finish(self.by_key, source, spec, inner, finish, &mut out)?,
            Spec::Histogram(source, interval) => {
                out.insert(
                    "buckets".to_owned(),
                    histogram::finish(self.by_key, source, interval, inner, finish)?,
                );
                if let Some(chosen) = interval.chosen() {
                    out.insert("interval".to_owned(), json!(chosen));
                }
                interval.name()
            }
            Spec::Significant(source, spec) => {
                put_significant(self.by_key, self.seen, source, spec, (inner, finish), &mut out)?
            }
            Spec::Metric(..)
            | Spec::Global
            | Spec::Auto(..)
            | Spec::Composite(_)
            | Spec::MultiTerms(_)
            | Spec::TopHits(_)
            | Spec::TopMetrics(_)
            | Spec::Values(_)
            | Spec::Sample(_)
            | Spec::Pipeline(_) => "metric",
        };
        Ok((kind, out))
    }
}

/// The buckets of terms that what was found has more often than other documents.
fn put_significant(
    mut by_key: BTreeMap<Key, Bucket>,
    seen: u64,
    source: &Source,
    spec: &SignificantSpec,
    (inner, finish): (&Aggregations, &Finish<'_>),
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    let kind = if source.prefix() == 's' {
        "sigsterms"
    } else {
        "siglterms"
    };
    let nothing = Counts::default();
    let background = finish.background.of(source, spec.background.as_deref());
    let background = background.unwrap_or(&nothing);
    let found = by_key.iter().map(|(key, bucket)| (key, bucket.count));
    let mut listed = Vec::new();
    for chosen in spec.chosen(found, seen, background) {
        let Some(bucket) = by_key.remove(&chosen.key) else {
            continue;
        };
        let mut one = Map::new();
        source.put_key(&chosen.key.0, &mut one);
        bucket.put(inner, finish, &mut one)?;
        one.insert("score".to_owned(), number_of(chosen.score));
        one.insert("bg_count".to_owned(), json!(chosen.all));
        listed.push(Value::Object(one));
    }
    out.insert("doc_count".to_owned(), json!(seen));
    out.insert("bg_count".to_owned(), json!(background.total));
    out.insert("buckets".to_owned(), Value::Array(listed));
    Ok(kind)
}

/// Buckets as a list, or by their names.
pub(super) fn listed(buckets: Vec<(String, Value)>, keyed: bool) -> Value {
    match keyed {
        true => Value::Object(buckets.into_iter().collect()),
        false => Value::Array(buckets.into_iter().map(|(_, bucket)| bucket).collect()),
    }
}

/// Puts buckets in order; those that are alike, by their keys.
pub(super) fn sort<K: Ord>(buckets: &mut [(K, Bucket)], orders: &[BucketOrder], inner: &Aggregations) {
    buckets.sort_by(|(a_key, a), (b_key, b)| {
        let mut order = Ordering::Equal;
        for one in orders {
            order = order.then_with(|| {
                let compared = match &one.by {
                    By::Count => a.count.cmp(&b.count),
                    By::Key => a_key.cmp(b_key),
                    By::Number(_, steps) => {
                        let number = |bucket: &Bucket| bucket.inner.number(inner, steps);
                        return compare_numbers(number(a), number(b), one.ascending);
                    }
                };
                if one.ascending {
                    compared
                } else {
                    compared.reverse()
                }
            });
        }
        order.then_with(|| a_key.cmp(b_key))
    });
}
