//! What is answered of the buckets of an aggregation once all documents were shown.

use super::buckets::{Bucket, Buckets, Key, listed};
use super::composite;
use super::counts::Counts;
use super::significant::SignificantSpec;
use super::values::{Source, number_of};
use super::varied::VariedSpec;
use super::{Aggregations, Finish, Named, Spec, histogram, terms};
use mapping::error::Result;
use querying::Query;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What is within each bucket, and how it is answered.
type Within<'a, 'f> = (&'a Aggregations, &'a Finish<'f>);

impl Buckets {
    /// The type's name, and the answer.
    pub(super) fn finish(
        self,
        named: &Named,
        finish: &Finish<'_>,
    ) -> Result<(&'static str, Map<String, Value>)> {
        let inner = &named.inner;
        let mut out = Map::new();
        let kind = match &named.spec {
            Spec::Filter(_) => put_single(self.fixed, "filter", (inner, finish), &mut out)?,
            Spec::Missing(_) => put_single(self.fixed, "missing", (inner, finish), &mut out)?,
            Spec::Nested(_) => put_single(self.fixed, "nested", (inner, finish), &mut out)?,
            Spec::ReverseNested(_) => put_single(self.fixed, "reverse_nested", (inner, finish), &mut out)?,
            Spec::Adjacency { queries, separator } => {
                let buckets = adjacency(self.fixed, queries, separator, (inner, finish))?;
                out.insert("buckets".to_owned(), buckets);
                "adjacency_matrix"
            }
            Spec::Grid { is_tile, size, .. } => {
                out.insert("buckets".to_owned(), grid(self.by_key, *size, (inner, finish))?);
                if *is_tile { "geotile_grid" } else { "geohash_grid" }
            }
            Spec::Filters {
                queries,
                keyed,
                other,
            } => {
                let names = queries.iter().map(|(name, _)| name.clone()).chain(other.clone());
                let heads = names.map(|name| (name, Map::new()));
                let buckets = headed(heads, self.fixed, (inner, finish))?;
                out.insert("buckets".to_owned(), listed(buckets, *keyed));
                "filters"
            }
            Spec::Range(source, range) => {
                let heads = range.heads(&source.shown).into_iter();
                let buckets = headed(heads, self.fixed, (inner, finish))?;
                out.insert("buckets".to_owned(), listed(buckets, range.keyed));
                range.name()
            }
            Spec::Terms(source, spec) => terms::finish(self.by_key, source, spec, inner, finish, &mut out)?,
            Spec::Histogram(source, interval) => {
                let buckets = histogram::finish(self.by_key, source, interval, inner, finish)?;
                out.insert("buckets".to_owned(), buckets);
                if let Some(chosen) = interval.chosen() {
                    out.insert("interval".to_owned(), json!(chosen));
                }
                interval.name()
            }
            Spec::Varied(source, spec) => put_varied(self.by_key, source, spec, (inner, finish), &mut out)?,
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
            | Spec::Objects
            | Spec::Sample(_)
            | Spec::Pipeline(_) => "metric",
        };
        Ok((kind, out))
    }
}

/// The one bucket of an aggregation that has no other.
fn put_single(
    buckets: Vec<Bucket>,
    kind: &'static str,
    (inner, finish): Within<'_, '_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    for bucket in buckets {
        bucket.put(inner, finish, out)?;
    }
    Ok(kind)
}

/// Buckets by their names, each with what is said of it besides its documents.
fn headed(
    heads: impl Iterator<Item = (String, Map<String, Value>)>,
    buckets: Vec<Bucket>,
    (inner, finish): Within<'_, '_>,
) -> Result<Vec<(String, Value)>> {
    let mut shown = Vec::with_capacity(buckets.len());
    for ((name, mut one), bucket) in heads.zip(buckets) {
        bucket.put(inner, finish, &mut one)?;
        shown.push((name, Value::Object(one)));
    }
    Ok(shown)
}

/// The buckets of each two queries that have documents in common, and of each query itself, by their names.
fn adjacency(
    buckets: Vec<Bucket>,
    queries: &[(String, Query)],
    separator: &str,
    (inner, finish): Within<'_, '_>,
) -> Result<Value> {
    let pairs = (0..queries.len()).flat_map(|a| (a..queries.len()).map(move |b| (a, b)));
    let mut shown = Vec::new();
    for ((a, b), bucket) in pairs.zip(buckets) {
        let name = match a == b {
            true => queries[a].0.clone(),
            false => format!("{}{separator}{}", queries[a].0, queries[b].0),
        };
        if bucket.count > 0 {
            let mut one = Map::from_iter([("key".to_owned(), json!(name))]);
            bucket.put(inner, finish, &mut one)?;
            shown.push((name, Value::Object(one)));
        }
    }
    shown.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(listed(shown, false))
}

/// The cells with the most documents.
fn grid(by_key: BTreeMap<Key, Bucket>, size: usize, (inner, finish): Within<'_, '_>) -> Result<Value> {
    let mut buckets: Vec<(Key, Bucket)> = by_key.into_iter().collect();
    // Of those with as many documents, the last cell comes first, as Elasticsearch has it.
    buckets.sort_by(|(a_key, a), (b_key, b)| {
        let cells = composite::compare_cells(&b_key.0, &a_key.0);
        b.count.cmp(&a.count).then(cells)
    });
    buckets.truncate(size);
    let mut shown = Vec::with_capacity(buckets.len());
    for (Key(key), bucket) in buckets {
        let cell = composite::cell_text(key);
        let mut one = Map::from_iter([("key".to_owned(), json!(cell))]);
        bucket.put(inner, finish, &mut one)?;
        shown.push(Value::Object(one));
    }
    Ok(Value::Array(shown))
}

/// The buckets of values that lie together; where it is not known yet which do, that.
fn put_varied(
    by_key: BTreeMap<Key, Bucket>,
    source: &Source,
    spec: &VariedSpec,
    (inner, finish): Within<'_, '_>,
    out: &mut Map<String, Value>,
) -> Result<&'static str> {
    let values = by_key.iter();
    let values = values.filter_map(|(key, bucket)| Some((key.0.as_f64()?, bucket.count)));
    let kind = "variable_width_histogram";
    if let Some(told) = spec.told(values)? {
        out.insert("clusters".to_owned(), told);
        return Ok(kind);
    }
    let mut shown = Vec::with_capacity(by_key.len());
    for (Key(key), bucket) in by_key {
        let centroid = key.as_f64().unwrap_or(f64::NAN);
        let Some((min, max)) = spec.ends(centroid) else {
            continue;
        };
        let mut one = Map::new();
        for (name, number) in [("min", min), ("key", centroid), ("max", max)] {
            one.insert(name.to_owned(), number_of(number));
            let text = source.shown.text(number);
            one.extend(text.map(|text| (format!("{name}_as_string"), text.into())));
        }
        bucket.put(inner, finish, &mut one)?;
        shown.push(Value::Object(one));
    }
    out.insert("buckets".to_owned(), Value::Array(shown));
    Ok(kind)
}

/// The buckets of terms that what was found has more often than other documents.
fn put_significant(
    mut by_key: BTreeMap<Key, Bucket>,
    seen: u64,
    source: &Source,
    spec: &SignificantSpec,
    (inner, finish): Within<'_, '_>,
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
    for chosen in spec.chosen(found, seen, background)? {
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
