//! Pipelines carried out: beside the aggregations whose buckets they take, and within the buckets of the one around them.

use super::paths::{answer, buckets_of, no_number};
use super::{Path, PipelineKind, PipelineSpec};
use crate::aggregations::metric_kind::MetricKind;
use crate::aggregations::metrics::Metric;
use crate::aggregations::values::number_of;
use crate::aggregations::{Aggregations, Finish, Named, Spec};
use mapping::decimals::double_text;
use mapping::error::{Result, SearchError};
use mapping::rows::Summary;
use mapping::value_format::ValueFormat;
use querying::work;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// The pipelines among aggregations, each after those whose numbers it takes.
fn in_order(aggregations: &Aggregations) -> impl Iterator<Item = &Named> {
    let places = aggregations.pipelines.iter();
    places.filter_map(|at| aggregations.named.get(*at))
}

/// Adds what the pipelines beside other aggregations make of their buckets.
pub(in crate::aggregations) fn siblings(
    aggregations: &Aggregations,
    finish: &Finish<'_>,
    out: &mut Map<String, Value>,
) -> Result<()> {
    for named in in_order(aggregations) {
        let Spec::Pipeline(spec) = &named.spec else {
            continue;
        };
        if spec.is_parent() {
            continue;
        }
        let path = spec.path()?.flat();
        let Some((first, rest)) = path.split_first() else {
            continue;
        };
        let of = aggregations.named.iter().find(|named| named.name == *first);
        let mut values: Vec<(String, f64)> = Vec::new();
        if let Some((of, buckets)) = of.zip(answer(out, first)) {
            for (key, bucket) in buckets_of(buckets) {
                let value = match rest {
                    [] => Err(no_number(first)),
                    rest => spec.number(bucket, rest, &of.inner),
                };
                values.extend(value?.filter(|value| !value.is_nan()).map(|value| (key, value)));
            }
        }
        let mut made = over(spec, &values);
        made.extend(named.meta.clone().map(|meta| ("meta".to_owned(), meta)));
        out.insert(finish.name(spec.typed_name(), &named.name), Value::Object(made));
    }
    Ok(())
}

fn over(spec: &PipelineSpec, values: &[(String, f64)]) -> Map<String, Value> {
    let mut summary = Summary::default();
    values.iter().for_each(|(_, value)| summary.add_plainly(*value));
    let of_stats = |kind: MetricKind| {
        let shown = spec.format.clone().map_or(ValueFormat::Raw, ValueFormat::Decimal);
        Metric::of_summary(&kind, summary).stats(&shown)
    };
    match &spec.kind {
        PipelineKind::Avg => spec.value(summary.avg().unwrap_or(f64::NAN)),
        PipelineKind::Sum => spec.value(summary.sum.value()),
        PipelineKind::Max => best(spec, values, summary.max),
        PipelineKind::Min => best(spec, values, summary.min),
        PipelineKind::Percentiles { percents, keyed } => percentiles(spec, values, percents, *keyed),
        PipelineKind::ExtendedStats(sigma) => of_stats(MetricKind::ExtendedStats { sigma: *sigma }),
        _ => of_stats(MetricKind::Stats),
    }
}

/// The greatest or least value, and the buckets that have it.
fn best(spec: &PipelineSpec, values: &[(String, f64)], best: f64) -> Map<String, Value> {
    let mut out = spec.value(best);
    let keys = values
        .iter()
        .filter(|(_, value)| *value == best)
        .map(|(key, _)| key);
    out.insert("keys".to_owned(), json!(keys.collect::<Vec<_>>()));
    out
}

fn percentiles(
    spec: &PipelineSpec,
    values: &[(String, f64)],
    percents: &[f64],
    keyed: bool,
) -> Map<String, Value> {
    let mut sorted: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().saturating_sub(1);
    let (mut by_name, mut list) = (Map::new(), Vec::new());
    for percent in percents {
        let place = (percent / 100.0 * last as f64 + 0.5).floor() as usize;
        let value = sorted.get(place.min(last)).copied().unwrap_or(f64::NAN);
        let name = double_text(*percent);
        let text = spec.format.as_ref().filter(|_| value.is_finite());
        if keyed {
            by_name.extend(text.map(|text| (format!("{name}_as_string"), text.write(value).into())));
            by_name.insert(name, number_of(value));
        } else {
            list.push(json!({"key": percent, "value": number_of(value)}));
        }
    }
    let values = if keyed {
        Value::Object(by_name)
    } else {
        Value::Array(list)
    };
    Map::from_iter([("values".to_owned(), values)])
}

/// Carries out the pipelines within the buckets of an answer.
pub(in crate::aggregations) fn parents(
    parent: &Named,
    finish: &Finish<'_>,
    answer: &mut Map<String, Value>,
) -> Result<()> {
    let inner = &parent.inner;
    for named in in_order(inner) {
        let Spec::Pipeline(spec) = &named.spec else {
            continue;
        };
        if !spec.is_parent() {
            continue;
        }
        let within = Within {
            spec,
            name: finish.name(spec.typed_name(), &named.name),
            meta: named.meta.as_ref(),
            inner,
            parent,
            finish,
        };
        match answer.get_mut("buckets") {
            Some(Value::Array(list)) => {
                let taken = std::mem::take(list);
                let unnamed = taken.into_iter().map(|bucket| (String::new(), bucket)).collect();
                *list = within
                    .buckets(unnamed)?
                    .into_iter()
                    .map(|(_, bucket)| bucket)
                    .collect();
            }
            Some(Value::Object(keyed)) => {
                let taken = std::mem::take(keyed).into_iter().collect();
                *keyed = within.buckets(taken)?.into_iter().collect();
            }
            _ => {}
        }
    }
    Ok(())
}

/// A pipeline among the aggregations of each bucket.
struct Within<'p> {
    spec: &'p PipelineSpec,
    name: String,
    meta: Option<&'p Value>,
    inner: &'p Aggregations,
    /// The aggregation whose buckets these are.
    parent: &'p Named,
    finish: &'p Finish<'p>,
}

/// The memory that a predicted bucket takes in an answer.
const PREDICTED_BYTES: usize = 512;

/// A bucket, with its name where it has one.
type Bucket = (String, Value);

impl Within<'_> {
    fn buckets(&self, mut buckets: Vec<Bucket>) -> Result<Vec<Bucket>> {
        match &self.spec.kind {
            PipelineKind::Script(_) | PipelineKind::Selector(_) => return self.scripted(buckets),
            PipelineKind::Sort { by, from, size } => return self.sorted(buckets, by, *from, *size),
            _ => {}
        }
        let path = self.spec.path()?;
        let number = |(_, bucket): &Bucket| self.spec.number_at(bucket, path, self.inner);
        let values: Vec<Option<f64>> = buckets.iter().map(number).collect::<Result<_>>()?;
        match &self.spec.kind {
            PipelineKind::Derivative(unit) => self.derive(&mut buckets, &values, *unit),
            PipelineKind::CumulativeSum => {
                let mut sum = 0.0;
                for (bucket, value) in buckets.iter_mut().zip(&values) {
                    sum += value.filter(|value| value.is_finite()).unwrap_or(0.0);
                    self.put(bucket, sum);
                }
            }
            PipelineKind::Normalize(normalization) => {
                for (bucket, value) in buckets.iter_mut().zip(normalization.values(&values)) {
                    self.put(bucket, value);
                }
            }
            PipelineKind::SerialDiff(lag) => {
                let number = |at: usize| values[at].filter(|value| !value.is_nan());
                for (at, bucket) in buckets.iter_mut().enumerate() {
                    let before = at.checked_sub(*lag).and_then(number);
                    if let Some((before, value)) = before.zip(number(at)) {
                        self.put(bucket, value - before);
                    }
                }
            }
            PipelineKind::Moving(window) => {
                // Buckets without a number are skipped.
                let all: Vec<f64> = numbers(&values).flatten().collect();
                let there = buckets
                    .iter_mut()
                    .zip(numbers(&values))
                    .filter(|(_, value)| value.is_some());
                for (at, (bucket, _)) in there.enumerate() {
                    self.put(bucket, window.value(at, &all)?);
                }
            }
            PipelineKind::MovingAverage(average) => {
                let all: Vec<Option<f64>> = numbers(&values).collect();
                let found = average.values(&all, self.finish.buckets_max)?;
                for (bucket, mean) in buckets.iter_mut().zip(found.means) {
                    if let Some(mean) = mean {
                        self.put(bucket, mean);
                    }
                }
                self.predict(&mut buckets, found.predicted)?;
            }
            _ => {}
        }
        Ok(buckets)
    }

    /// Adds the predictions to the buckets after this one, and new buckets where there are no more.
    fn predict(&self, buckets: &mut Vec<Bucket>, (last, predicted): (usize, Vec<f64>)) -> Result<()> {
        let (Spec::Histogram(source, interval), Some((_, bucket))) = (&self.parent.spec, buckets.get(last))
        else {
            return Ok(());
        };
        let mut key = bucket.get("key").and_then(Value::as_f64);
        for (at, number) in predicted.into_iter().enumerate() {
            work(1)?;
            key = key.and_then(|key| interval.next(key, source));
            if buckets.get(last + 1 + at).is_none() {
                let Some(key) = key else { break };
                let mut empty = Map::new();
                source.put_key(&interval.term(key), &mut empty);
                empty.insert("doc_count".to_owned(), json!(0));
                self.finish.bucket(PREDICTED_BYTES)?;
                let name = interval.bucket_name(&interval.term(key), &empty);
                buckets.push((name, Value::Object(empty)));
            }
            if let Some(bucket) = buckets.get_mut(last + 1 + at) {
                self.put(bucket, number);
            }
        }
        Ok(())
    }

    fn put(&self, (_, bucket): &mut Bucket, value: f64) {
        self.put_all(bucket, self.spec.value(value));
    }

    fn put_all(&self, bucket: &mut Value, mut answer: Map<String, Value>) {
        answer.extend(self.meta.cloned().map(|meta| ("meta".to_owned(), meta)));
        bucket[&self.name] = Value::Object(answer);
    }

    /// The difference of each bucket and the one before, and what it is for a unit of time.
    fn derive(&self, buckets: &mut [Bucket], values: &[Option<f64>], unit: Option<f64>) {
        let mut last: Option<(f64, Option<f64>)> = None;
        for ((_, bucket), value) in buckets.iter_mut().zip(values) {
            let key = bucket.get("key").and_then(Value::as_f64);
            if let (Some((before, key_before)), Some(value)) = (last, value) {
                let difference = value - before;
                let mut answer = self.spec.value(difference);
                if let (Some(unit), Some(key), Some(before)) = (unit, key, key_before) {
                    let normalized = difference / ((key - before) / unit);
                    answer.insert("normalized_value".to_owned(), number_of(normalized));
                    let text = self.spec.format.as_ref().map(|format| format.write(normalized));
                    answer.extend(text.map(|text| ("normalized_value_as_string".to_owned(), text.into())));
                }
                self.put_all(bucket, answer);
            }
            last = value.map(|value| (value, key));
        }
    }

    /// Adds what a script makes of the numbers of each bucket, or keeps the buckets of which it says so.
    fn scripted(&self, buckets: Vec<Bucket>) -> Result<Vec<Bucket>> {
        let mut kept = Vec::with_capacity(buckets.len());
        for mut bucket in buckets {
            work(1)?;
            let mut given = Vec::with_capacity(self.spec.paths.len());
            for (variable, path) in &self.spec.paths {
                given.push((
                    variable.as_str(),
                    self.spec.number_at(&bucket.1, path, self.inner)?,
                ));
            }
            match &self.spec.kind {
                PipelineKind::Selector(script) if !script.is_true_of(&given)? => continue,
                PipelineKind::Script(script) => {
                    let is_gap = |(_, value): &(&str, Option<f64>)| value.is_none_or(f64::is_nan);
                    if (self.spec.zeros || !given.iter().any(is_gap))
                        && let Some(value) = script.number_of(&given)?
                    {
                        self.put(&mut bucket, value);
                    }
                }
                _ => {}
            }
            kept.push(bucket);
        }
        Ok(kept)
    }

    fn sorted(
        &self,
        buckets: Vec<Bucket>,
        by: &[(Path, bool)],
        from: usize,
        size: Option<usize>,
    ) -> Result<Vec<Bucket>> {
        let mut keyed = Vec::with_capacity(buckets.len());
        for bucket in buckets {
            let key = |(path, _): &(Path, bool)| self.key(&bucket.1, path);
            let keys: Vec<Key> = by.iter().map(key).collect::<Result<_>>()?;
            // Where gaps are skipped, what has no number at all is left out.
            let is_out = !keys.is_empty() && keys.iter().all(Key::is_none);
            if !is_out {
                keyed.push((keys, bucket));
            }
        }
        keyed.sort_by(|(a, _), (b, _)| compare_keys(a, b, by));
        let page = keyed.into_iter().skip(from).take(size.unwrap_or(usize::MAX));
        Ok(page.map(|(_, bucket)| bucket).collect())
    }

    /// What a bucket is sorted by: a number, or its own key.
    fn key(&self, bucket: &Value, path: &Path) -> Result<Key> {
        if path.whole == "_key" {
            return Ok(match bucket.get("key") {
                Some(Value::Number(number)) => Key::Number(number.as_f64().unwrap_or(f64::NAN)),
                Some(Value::String(text)) => Key::Text(text.clone()),
                _ => Key::Number(f64::NAN),
            });
        }
        match self.spec.number_at(bucket, path, self.inner)? {
            Some(number) => Ok(Key::Number(number)),
            None => Err(SearchError::illegal(format!(
                "a bucket has no bucket for the path [{}] of a bucket_sort",
                path.whole
            ))),
        }
    }
}

/// The numbers among values.
fn numbers(values: &[Option<f64>]) -> impl Iterator<Item = Option<f64>> {
    values.iter().map(|value| value.filter(|value| !value.is_nan()))
}

#[derive(Debug)]
enum Key {
    Number(f64),
    Text(String),
}

impl Key {
    fn is_none(&self) -> bool {
        matches!(self, Key::Number(number) if number.is_nan())
    }
}

/// Which of two buckets comes first; those without a number come last.
fn compare_keys(a: &[Key], b: &[Key], by: &[(Path, bool)]) -> Ordering {
    let mut order = Ordering::Equal;
    for ((a, b), (_, ascending)) in a.iter().zip(b).zip(by) {
        let compared = match (a, b) {
            _ if a.is_none() || b.is_none() => {
                order = order.then(a.is_none().cmp(&b.is_none()));
                continue;
            }
            (Key::Number(a), Key::Number(b)) => a.total_cmp(b),
            (Key::Text(a), Key::Text(b)) => a.cmp(b),
            (Key::Number(_), Key::Text(_)) => Ordering::Less,
            (Key::Text(_), Key::Number(_)) => Ordering::Greater,
        };
        order = order.then(if *ascending { compared } else { compared.reverse() });
    }
    order
}
