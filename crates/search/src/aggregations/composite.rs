//! Buckets of several values at once, in the order of their keys, a page at a time.

use super::buckets::{Bucket, bucket_of};
use super::histogram::Interval;
use super::takes::Takes;
use super::values::Source;
use super::{Context, Named, Spec};
use mapping::decimals::java_number;
use mapping::error::{Result, SearchError};
use mapping::fields::{Term, View};
use mapping::geo::Point;
use mapping::java::class_of_json;
use mapping::json::scalar;
use mapping::value_format::ValueType;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// The keys that one document may be in at most.
const COMBINATIONS_MAX: usize = 10_000;

/// Each way to take one of each of these lists.
pub(super) fn combinations<T: Clone>(
    lists: impl Iterator<Item = Result<Vec<T>>>,
    aggregation: &str,
) -> Result<Vec<Vec<T>>> {
    let mut keys = vec![Vec::new()];
    for values in lists {
        let values = values?;
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
pub(super) enum PartKind {
    Terms,
    Histogram(Box<Interval>),
    /// Tiles of a zoom, within an area.
    Tile(u32, Option<Area>),
}

impl PartKind {
    /// Which values are taken, and the aggregation that takes them.
    pub(super) fn taken(&self) -> (Takes, &'static str) {
        match self {
            PartKind::Terms => (Takes::Terms, "terms"),
            PartKind::Histogram(interval) if interval.is_of_dates() => (Takes::Dates, interval.name()),
            PartKind::Histogram(interval) => (Takes::Numbers, interval.name()),
            PartKind::Tile(..) => (Takes::Points, "geotile_grid"),
        }
    }
}

/// A box of the earth: its northern, western, southern and eastern side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Area(pub(super) [f64; 4]);

impl Area {
    /// Whether a point is in it; it may go through the date line.
    pub(super) fn has(self, Point { lat, lon }: Point) -> bool {
        let [top, left, bottom, right] = self.0;
        let is_between = match left <= right {
            true => (left..=right).contains(&lon),
            false => lon >= left || lon <= right,
        };
        is_between && (bottom..=top).contains(&lat)
    }
}

/// One part of the keys.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) source: Source,
    pub(super) kind: PartKind,
    pub(super) descending: bool,
    pub(super) missing_bucket: bool,
}

/// What is asked of a composite aggregation.
#[derive(Clone, Debug)]
pub(super) struct CompositeSpec {
    pub(super) parts: Vec<Part>,
    pub(super) size: usize,
    /// The key after which to go on.
    pub(super) after: Option<Map<String, Value>>,
    /// The same as the parts have it.
    after_key: Option<Vec<At>>,
}

impl CompositeSpec {
    pub(super) fn new(parts: Vec<Part>, size: usize, after: Option<Map<String, Value>>) -> CompositeSpec {
        CompositeSpec {
            parts,
            size,
            after,
            after_key: None,
        }
    }

    /// Reads the key after which to go on, whose parts are known.
    pub(super) fn resolve_after(&mut self, now_ms: i64) -> Result<()> {
        let Some(given) = &self.after else {
            return Ok(());
        };
        if given.len() != self.parts.len() {
            return Err(SearchError::illegal(format!(
                "[after] has {} value(s) but [sources] has {}",
                given.len(),
                self.parts.len()
            )));
        }
        let at = |part: &Part| {
            let missing = || SearchError::illegal(format!("Missing value for [after.{}]", part.name));
            Ok(At {
                term: part.given(given.get(&part.name).ok_or_else(missing)?, now_ms)?,
                descending: part.descending,
            })
        };
        self.after_key = Some(self.parts.iter().map(at).collect::<Result<_>>()?);
        Ok(())
    }
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
    fn terms(&self, view: &View<'_>) -> Result<Vec<Option<Term>>> {
        let found = self.source.terms(view)?;
        let mut terms: Vec<Term> = match &self.kind {
            PartKind::Terms => found,
            PartKind::Histogram(interval) => {
                let values = found.iter().filter_map(Term::as_f64);
                values
                    .filter_map(|value| interval.key(value, &self.source))
                    .collect()
            }
            PartKind::Tile(zoom, area) => found
                .iter()
                .filter_map(|term| match term {
                    Term::Point(point) if area.is_none_or(|area| area.has(*point)) => {
                        Some(Term::Integer(encoded(point.tile(*zoom))))
                    }
                    _ => None,
                })
                .collect(),
        };
        terms.sort_by(Term::compare);
        // Each value of a document counts, also where two of them are within one interval.
        if let PartKind::Terms = self.kind {
            terms.dedup_by(|a, b| a.compare(b).is_eq());
        }
        Ok(match terms.is_empty() && self.missing_bucket {
            true => vec![None],
            false => terms.into_iter().map(Some).collect(),
        })
    }

    /// A value of `after` as the part has it.
    fn given(&self, value: &Value, now_ms: i64) -> Result<Option<Term>> {
        let incomparable = |class: &str| {
            let reason = format!(
                "Invalid value for [after.{}], expected comparable, got [{class}]",
                self.name
            );
            Err(SearchError::illegal(reason))
        };
        let text = match value {
            Value::Null if self.missing_bucket => return Ok(None),
            Value::Null => return incomparable("null"),
            Value::Array(_) => return incomparable("ArrayList"),
            Value::Object(_) => return incomparable("HashMap"),
            scalar_value => scalar(scalar_value).unwrap_or_default(),
        };
        let number = |value: &Value| value.as_f64().map_or_else(|| java_number(&text), Ok);
        Ok(Some(match (&self.kind, self.source.values) {
            (PartKind::Tile(..), _) => match value.as_i64() {
                Some(tile) => Term::Integer(tile),
                None => Term::Integer(tile_of(&text)?),
            },
            (PartKind::Histogram(interval), _) if !interval.is_of_dates() => Term::Float(number(value)?),
            (PartKind::Histogram(_), _) if self.source.format.is_some() => {
                Term::Date(self.source.read_date(&text, now_ms)?)
            }
            (PartKind::Histogram(_), _) | (PartKind::Terms, Some(ValueType::Date)) => {
                Term::Date(number(value)? as i64)
            }
            (PartKind::Terms, Some(kind @ (ValueType::Number | ValueType::Boolean))) => {
                self.source.read(kind, value, now_ms)?
            }
            (PartKind::Terms, kind) => match value {
                Value::String(_) => self.source.read(kind.unwrap_or(ValueType::Text), value, now_ms)?,
                other => {
                    let class = class_of_json(other).trim_start_matches("java.lang.");
                    return Err(SearchError::illegal(format!(
                        "invalid value, expected string, got {class}"
                    )));
                }
            },
        }))
    }

    fn shown(&self, term: Option<&Term>) -> Value {
        let Some(term) = term else { return Value::Null };
        match (&self.kind, term) {
            (PartKind::Tile(..), Term::Integer(tile)) => json!(tile_text(*tile)),
            (_, Term::Date(ms)) if self.source.format.is_none() => json!(ms),
            (_, term) => self.source.shown(term),
        }
    }
}

/// A tile by its name.
fn tile_of(text: &str) -> Result<i64> {
    let parts: Vec<i64> = text.split('/').filter_map(|part| part.parse().ok()).collect();
    match parts[..] {
        [zoom, x, y] if text.matches('/').count() == 2 => Ok(encoded((zoom as u32 & 31, x, y))),
        _ => Err(SearchError::illegal(format!(
            "Invalid geotile_grid hash string of {text}. Must be three integers in a form \"zoom/x/y\"."
        ))),
    }
}

/// The name of a cell of a grid.
pub(super) fn cell_text(cell: Term) -> String {
    match cell {
        Term::Integer(tile) => tile_text(tile),
        Term::Text(hash) => hash,
        _ => String::new(),
    }
}

/// The order of cells: Elasticsearch compares those of twelve characters as numbers with a sign.
pub(super) fn compare_cells(a: &Term, b: &Term) -> Ordering {
    const LONGEST: usize = 12;
    let is_positive = |term: &Term| match term {
        Term::Text(hash) => hash.len() < LONGEST || hash.as_str() < "h",
        _ => true,
    };
    is_positive(a).cmp(&is_positive(b)).then_with(|| a.compare(b))
}

pub(super) fn encoded((zoom, x, y): (u32, i64, i64)) -> i64 {
    (i64::from(zoom) << 58) | (x << 29) | y
}

fn tile_text(tile: i64) -> String {
    let least = (1_i64 << 29) - 1;
    format!("{}/{}/{}", tile >> 58, (tile >> 29) & least, tile & least)
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
        let values = spec.parts.iter().map(|part| -> Result<Vec<At>> {
            let at = |term: Option<Term>| At {
                term,
                descending: part.descending,
            };
            Ok(part.terms(view)?.into_iter().map(at).collect())
        });
        let keys: Vec<Vec<At>> = combinations(values, &named.name)?;
        for key in keys {
            if spec.after_key.as_ref().is_some_and(|after| key <= *after) {
                continue;
            }
            let is_new = !self.0.contains_key(&key);
            // What comes after a whole page never comes onto it.
            let is_beyond =
                self.0.len() >= spec.size && self.0.last_key_value().is_some_and(|(last, _)| key > *last);
            if is_new && is_beyond {
                continue;
            }
            let bytes_of = |key: &Vec<At>, bucket: &Bucket| bytes(key, bucket);
            let bucket = bucket_of(&mut self.0, key, &named.inner, context.held, bytes_of)?;
            bucket.collect(&named.inner, view, context, first)?;
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
pub(super) fn check_parent(parent: &Named) -> Result<()> {
    let factory = match &parent.spec {
        Spec::Nested(_) | Spec::Filter(_) | Spec::ReverseNested(_) => return Ok(()),
        Spec::Terms(..) => "TermsAggregatorFactory",
        Spec::Histogram(_, interval) if !interval.is_of_dates() => "HistogramAggregatorFactory",
        Spec::Histogram(..) => "DateHistogramAggregationFactory",
        Spec::Range(..) => "RangeAggregatorFactory",
        Spec::Filters { .. } => "FiltersAggregatorFactory",
        Spec::Missing(_) => "MissingAggregatorFactory",
        Spec::Global => "GlobalAggregatorFactory",
        _ => parent.name.as_str(),
    };
    Err(SearchError::illegal(format!(
        "[composite] aggregation cannot be used with a parent aggregation of type: [{factory}]"
    )))
}
