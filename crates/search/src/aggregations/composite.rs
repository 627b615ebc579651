//! Buckets of several values at once, in the order of their keys, a page at a time.

use super::buckets::Bucket;
use super::histogram::Interval;
use super::values::Source;
use super::{Context, Named, Spec};
use mapping::error::{Result, SearchError};
use mapping::fields::{self, Term, View};
use mapping::json::scalar;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use value::ValueRef;

/// The keys that one document may be in at most.
const COMBINATIONS_MAX: usize = 10_000;

/// Each way to take one of each of these lists.
pub(super) fn combinations<T: Clone>(
    lists: impl Iterator<Item = Vec<T>>,
    aggregation: &str,
) -> Result<Vec<Vec<T>>> {
    let mut keys = vec![Vec::new()];
    for values in lists {
        if keys.len() * values.len() > COMBINATIONS_MAX {
            return Err(SearchError::illegal(format!(
                "a document is in more than {COMBINATIONS_MAX} buckets of [{aggregation}]"
            )));
        }
        let with = |key: &Vec<T>, value: &T| [key.as_slice(), std::slice::from_ref(value)].concat();
        keys = keys
            .iter()
            .flat_map(|key| values.iter().map(move |value| with(key, value)))
            .collect();
    }
    Ok(keys)
}

/// How the values of a part of a key are made.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Terms,
    Histogram(Interval),
    Tile(u32),
}

/// One part of the keys.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) kind: Kind,
    pub(super) descending: bool,
    pub(super) missing_bucket: bool,
}

/// What is asked of a composite aggregation.
#[derive(Clone, Debug)]
pub(super) struct CompositeSpec {
    pub(super) parts: Vec<Part>,
    pub(super) size: usize,
    /// The key after which to go on, a value a part.
    pub(super) after: Option<Vec<Value>>,
}

/// A value of a key, in the order of its part.
#[derive(Clone, Debug, PartialEq)]
struct At {
    term: Option<Term>,
    descending: bool,
}

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &At) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &At) -> Ordering {
        let order = match (&self.term, &other.term) {
            (Some(a), Some(b)) => a.compare(b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        if self.descending { order.reverse() } else { order }
    }
}

/// The buckets so far: the first ones of those that were seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Composite(BTreeMap<Vec<At>, Bucket>);

impl Part {
    fn terms(&self, view: &View<'_>) -> Vec<Option<Term>> {
        let found = self.source.terms(view);
        let mut terms: Vec<Term> = match &self.kind {
            Kind::Terms => found,
            Kind::Histogram(interval) => {
                let values = found.iter().filter_map(Term::as_f64);
                values
                    .filter_map(|value| interval.key(value, &self.source))
                    .collect()
            }
            Kind::Tile(zoom) => found
                .iter()
                .filter_map(|term| match term {
                    Term::Point(point) => Some(Term::Integer(encoded(point.tile(*zoom)))),
                    _ => None,
                })
                .collect(),
        };
        terms.sort_by(Term::compare);
        terms.dedup_by(|a, b| a.compare(b).is_eq());
        match terms.is_empty() && self.missing_bucket {
            true => vec![None],
            false => terms.into_iter().map(Some).collect(),
        }
    }

    /// A value of `after` as the part has it.
    fn given(&self, value: &Value, view: &View<'_>) -> Result<Option<Term>> {
        let failed = || {
            SearchError::illegal(format!(
                "[composite] invalid value {value} for [after] of [{}]",
                self.name
            ))
        };
        if value.is_null() {
            return Ok(None);
        }
        let text = scalar(value).ok_or_else(failed)?;
        let field = view.mapping.field(&self.source.field);
        let field = field.as_deref();
        let term = match (&self.kind, value) {
            (Kind::Tile(_), _) => {
                let parts: Vec<i64> = text.split('/').filter_map(|part| part.parse().ok()).collect();
                match parts[..] {
                    [zoom, x, y] => Some(Term::Integer(encoded((zoom as u32, x, y)))),
                    _ => None,
                }
            }
            (Kind::Histogram(interval), Value::String(text)) if interval.is_of_dates() => {
                Some(Term::Date(self.source.read_date(text, view)?))
            }
            (Kind::Histogram(interval), value) => {
                let number = mapping::json::as_f64(value).ok_or_else(failed)?;
                Some(if interval.is_of_dates() {
                    Term::Date(number as i64)
                } else {
                    Term::Float(number)
                })
            }
            (Kind::Terms, Value::String(text)) if field.is_some_and(|field| field.is_date()) => {
                Some(Term::Date(self.source.read_date(text, view)?))
            }
            (Kind::Terms, value) => match field {
                Some(field) => fields::term(field, ValueRef::String(&text)),
                None => match value.as_f64() {
                    Some(number) => Some(Term::Float(number)),
                    None => Some(Term::Text(text)),
                },
            },
        };
        term.map(Some).ok_or_else(failed)
    }

    fn shown(&self, term: Option<&Term>) -> Value {
        let Some(term) = term else { return Value::Null };
        match (&self.kind, term) {
            (Kind::Tile(_), Term::Integer(tile)) => json!(tile_text(*tile)),
            (_, Term::Date(ms)) if self.source.formats.is_none() => json!(ms),
            (_, term) => self.source.shown(term, None),
        }
    }
}

fn encoded((zoom, x, y): (u32, i64, i64)) -> i64 {
    (i64::from(zoom) << 58) | (x << 29) | y
}

fn tile_text(tile: i64) -> String {
    let least = (1_i64 << 29) - 1;
    format!("{}/{}/{}", tile >> 58, (tile >> 29) & least, tile & least)
}

/// The name of a tile.
pub(super) fn tile_name(zoom: u32, point: mapping::geo::Point) -> String {
    tile_text(encoded(point.tile(zoom)))
}

/// About the bytes of a bucket and its key.
fn bytes(key: &[At], bucket: &Bucket) -> usize {
    let texts = key.iter().map(|at| match &at.term {
        Some(Term::Text(text)) => text.len(),
        _ => 0,
    });
    size_of::<Vec<At>>() + size_of_val(key) + texts.sum::<usize>() + bucket.bytes()
}

impl Composite {
    /// About the bytes that it takes in memory.
    pub(super) fn bytes(&self) -> usize {
        self.0.iter().map(|(key, bucket)| bytes(key, bucket)).sum()
    }

    pub(super) fn collect(
        &mut self,
        spec: &CompositeSpec,
        named: &Named,
        view: &View<'_>,
        context: &Context<'_>,
        first: usize,
    ) -> Result<()> {
        let values = spec.parts.iter().map(|part| {
            let at = |term: Option<Term>| At {
                term,
                descending: part.descending,
            };
            part.terms(view).into_iter().map(at).collect()
        });
        let keys: Vec<Vec<At>> = combinations(values, &named.name)?;
        let after = match &spec.after {
            None => None,
            Some(values) => {
                let at = |(part, value): (&Part, &Value)| {
                    Ok(At {
                        term: part.given(value, view)?,
                        descending: part.descending,
                    })
                };
                Some(
                    spec.parts
                        .iter()
                        .zip(values)
                        .map(at)
                        .collect::<Result<Vec<At>>>()?,
                )
            }
        };
        for key in keys {
            if after.as_ref().is_some_and(|after| key <= *after) {
                continue;
            }
            let is_new = !self.0.contains_key(&key);
            // What comes after a whole page never comes onto it.
            let is_beyond =
                self.0.len() >= spec.size && self.0.last_key_value().is_some_and(|(last, _)| key > *last);
            if is_new && is_beyond {
                continue;
            }
            let bucket = match self.0.entry(key) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(free) => {
                    let bucket = Bucket::new(&named.inner);
                    context.held.add(bytes(free.key(), &bucket))?;
                    free.insert(bucket)
                }
            };
            bucket.count += context.weight;
            bucket.inner.collect(&named.inner, view, context, first)?;
            if self.0.len() > spec.size
                && let Some((key, bucket)) = self.0.pop_last()
            {
                context.held.give_back(bytes(&key, &bucket));
            }
        }
        Ok(())
    }

    pub(super) fn finish(
        self,
        spec: &CompositeSpec,
        named: &Named,
        context: &super::Finish<'_>,
    ) -> Result<Map<String, Value>> {
        let shown = |key: &[At]| {
            let parts = spec.parts.iter().zip(key);
            Value::Object(
                parts
                    .map(|(part, at)| (part.name.clone(), part.shown(at.term.as_ref())))
                    .collect(),
            )
        };
        let mut out = Map::new();
        if let Some((last, _)) = self.0.last_key_value() {
            out.insert("after_key".to_owned(), shown(last));
        }
        let mut buckets = Vec::with_capacity(self.0.len());
        for (key, bucket) in self.0 {
            let mut one = Map::new();
            one.insert("key".to_owned(), shown(&key));
            bucket.put(&named.inner, context, &mut one)?;
            buckets.push(Value::Object(one));
        }
        out.insert("buckets".to_owned(), Value::Array(buckets));
        Ok(out)
    }
}

/// Refuses a composite aggregation below one that makes several buckets.
pub(super) fn check_parent(parent: &Named, name: &str) -> Result<()> {
    match parent.spec {
        Spec::Nested(_) | Spec::Filter(_) | Spec::ReverseNested(_) => Ok(()),
        _ => Err(SearchError::illegal(format!(
            "[composite] aggregation cannot be used with a parent aggregation of type: [{}] (at [{name}])",
            parent.name
        ))),
    }
}
