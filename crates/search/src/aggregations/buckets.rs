//! Buckets of documents, each with aggregations of its own.

use super::composite::{self, Area};
use super::copies::Runs;
use super::ordering::{BucketOrder, By, compare_numbers};
use super::path::Step;
pub(super) use super::values::Key;
use super::{Aggregations, Collected, Context, Finish, Named, Spec};
use mapping::error::Result;
use mapping::fields::{Term, View};
use querying::{Held, work};
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use value::DocumentRef;

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

    /// Takes a document; the queries of the aggregations within it begin with the one of number `first`.
    pub(super) fn collect(
        &mut self,
        inner: &Aggregations,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        self.count += context.weight;
        self.inner.collect(inner, view, context, first)
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

/// The bucket of a key; one that is not there is made, and counted with the `bytes` that it takes with its key.
pub(super) fn bucket_of<'b, K: Ord>(
    buckets: &'b mut BTreeMap<K, Bucket>,
    key: K,
    inner: &Aggregations,
    held: &Held,
    bytes: impl FnOnce(&K, &Bucket) -> usize,
) -> Result<&'b mut Bucket> {
    match buckets.entry(key) {
        Entry::Occupied(there) => Ok(there.into_mut()),
        Entry::Vacant(free) => {
            let bucket = Bucket::new(inner);
            held.add(bytes(free.key(), &bucket))?;
            Ok(free.insert(bucket))
        }
    }
}

/// The buckets of one aggregation: by their keys, or by their places in the request.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    pub(super) by_key: BTreeMap<Key, Bucket>,
    pub(super) fixed: Vec<Bucket>,
    /// The document that came last, and which one of its objects, where each counts once.
    last: Option<(usize, u64, usize)>,
    /// All documents that were shown, where buckets have keys.
    pub(super) seen: u64,
    /// What texts had in common so far, where that is left out.
    runs: Runs,
}

impl Buckets {
    pub(super) fn new(named: &Named) -> Buckets {
        let count = named.spec.fixed_buckets();
        Buckets {
            by_key: BTreeMap::new(),
            last: None,
            seen: 0,
            runs: Runs::default(),
            fixed: (0..count).map(|_| Bucket::new(&named.inner)).collect(),
        }
    }

    /// About the bytes that they take in memory.
    pub(super) fn bytes(&self) -> usize {
        let by_key = self
            .by_key
            .iter()
            .map(|(key, bucket)| key.bytes() + bucket.bytes());
        let buckets = by_key.chain(self.fixed.iter().map(Bucket::bytes));
        self.runs.bytes() + buckets.sum::<usize>()
    }

    pub(super) fn collect(
        &mut self,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        if let Spec::Significant(source, spec) = &named.spec {
            let before = self.runs.bytes();
            let terms = spec.terms(source, view, &mut self.runs)?;
            context.held.add(self.runs.bytes() - before)?;
            self.seen += context.weight;
            let keys = terms.into_iter().map(Key).collect();
            return self.add_keys(keys, named, view, context, first);
        }
        if let Some(keys) = keys(&named.spec, view)? {
            self.seen += context.weight;
            return self.add_keys(keys, named, view, context, first);
        }
        if matches!(named.spec, Spec::Objects) {
            let found = view.objects();
            self.seen += context.weight * found as u64;
            return work(found);
        }
        self.collect_placed(named, view, context, first)
    }

    /// The same where buckets are known by their places.
    fn collect_placed(
        &mut self,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        let matches = |at: usize| {
            let query = context.filters.get(at);
            query.is_some_and(|node| node.score(view, context.statistics).is_some())
        };
        let matching = |count: usize| (0..count).filter(|at| matches(first + at)).collect::<Vec<_>>();
        match &named.spec {
            Spec::Filter(_) if matches(first) => self.add_fixed(0, named, view, context, first + 1),
            Spec::Missing(source) => match source.is_missing(view)? {
                true => self.add_fixed(0, named, view, context, first),
                false => Ok(()),
            },
            Spec::Filters { queries, other, .. } => {
                let mut found = matching(queries.len());
                if other.is_some() && found.is_empty() {
                    found.push(queries.len());
                }
                let behind = first + queries.len();
                let mut found = found.into_iter();
                found.try_for_each(|at| self.add_fixed(at, named, view, context, behind))
            }
            Spec::Nested(path) => {
                for inner in view.nested(path) {
                    self.add_fixed(0, named, &inner, context, first)?;
                }
                Ok(())
            }
            Spec::ReverseNested(path) => {
                let around = match path {
                    None => Some(view.whole()),
                    Some(path) => around(view, path)?,
                };
                let Some(around) = around else {
                    return Ok(());
                };
                let object = Some((view.index_at, view.sequence, around.offset));
                if self.last == object {
                    return Ok(());
                }
                self.last = object;
                self.add_fixed(0, named, &around, context, first)
            }
            Spec::Adjacency { queries, .. } => {
                let behind = first + queries.len();
                let found = matching(queries.len());
                let mut pairs = pairs(&found, queries.len());
                pairs.try_for_each(|at| self.add_fixed(at, named, view, context, behind))
            }
            Spec::Range(source, range) => {
                let terms = source.terms(view)?;
                work(range.len())?;
                for at in 0..range.len() {
                    if terms.iter().any(|term| range.has(at, term)) {
                        self.add_fixed(at, named, view, context, first)?;
                    }
                }
                Ok(())
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
        bucket.collect(&named.inner, view, context, first)
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
            let bytes = |key: &Key, bucket: &Bucket| key.bytes() + bucket.bytes();
            let bucket = bucket_of(&mut self.by_key, key, &named.inner, context.held, bytes)?;
            bucket.collect(&named.inner, view, context, first)?;
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
}

/// The nested object at a path in which another one is.
fn around<'d>(view: &View<'d>, path: &'d str) -> Result<Option<View<'d>>> {
    let Some(scope) = view.scope else {
        return Ok(None);
    };
    if scope == path {
        return Ok(Some(*view));
    }
    for outer in view.whole().nested(path) {
        let within = outer.nested(scope);
        work(1 + within.len())?;
        if within.iter().any(|inner| is_same(inner.document, view.document)) {
            return Ok(Some(outer));
        }
    }
    Ok(None)
}

/// Whether two objects are one, and not only alike.
fn is_same(one: DocumentRef<'_>, other: DocumentRef<'_>) -> bool {
    match (one, other) {
        (DocumentRef::Raw(one), DocumentRef::Raw(other)) => std::ptr::eq(one.as_bytes(), other.as_bytes()),
        (DocumentRef::Tree(one), DocumentRef::Tree(other)) => std::ptr::eq(one, other),
        _ => false,
    }
}

/// The places of the buckets of each two of the queries that match, and of each with itself: they lie as the rows of a triangle
/// do, one after another.
fn pairs(found: &[usize], count: usize) -> impl Iterator<Item = usize> {
    let of_row = move |(place, a): (usize, &usize)| {
        let start = a * count - a * a.saturating_sub(1) / 2 - a;
        found[place..].iter().map(move |b| start + b)
    };
    found.iter().enumerate().flat_map(of_row)
}

/// The keys of the buckets that a document is in; `None` if buckets are known by their places.
fn keys(spec: &Spec, view: &View<'_>) -> Result<Option<Vec<Key>>> {
    let terms = match spec {
        Spec::Grid {
            source,
            is_tile,
            precision,
            bounds,
            ..
        } => cells(source.terms(view)?, *is_tile, *precision, bounds.as_ref()),
        Spec::Terms(source, spec) => {
            let terms = source.terms(view)?.into_iter();
            terms.filter(|term| spec.includes(term)).collect()
        }
        Spec::Values(source) => source.terms(view)?,
        Spec::Varied(source, spec) => spec.keys(source.terms(view)?),
        Spec::Histogram(source, interval) => interval.keys_in(&source.terms(view)?, source)?,
        _ => return Ok(None),
    };
    Ok(Some(terms.into_iter().map(Key).collect()))
}

/// The cells in which points are.
fn cells(terms: Vec<Term>, is_tile: bool, precision: u32, bounds: Option<&Area>) -> Vec<Term> {
    let points = terms.into_iter().filter_map(|term| match term {
        Term::Point(point) => Some(point),
        _ => None,
    });
    let points = points.filter(|point| bounds.is_none_or(|area| area.has(*point)));
    let cells = points.map(|point| match is_tile {
        true => Term::Integer(composite::encoded(point.tile(precision))),
        false => Term::Text(point.geohash(precision as usize)),
    });
    cells.collect()
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
