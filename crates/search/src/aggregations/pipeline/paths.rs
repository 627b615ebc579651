//! The numbers that paths lead to, in the buckets of an answer.

use super::{Path, PipelineSpec};
use crate::aggregations::metric_kind::MetricKind;
use crate::aggregations::{Aggregations, Named, Spec};
use mapping::decimals::double_text;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{as_f64, scalar};
use serde_json::{Map, Value};

/// A member by its name, which may have its type in front.
fn member<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    object.get(name).or_else(|| {
        let typed = object
            .iter()
            .find(|(key, _)| key.split_once('#').is_some_and(|(_, after)| after == name));
        typed.map(|(_, value)| value)
    })
}

/// The answer of an aggregation among those beside it.
pub(super) fn answer<'v>(answers: &'v Map<String, Value>, name: &str) -> Option<&'v Value> {
    member(answers, name)
}

impl PipelineSpec {
    /// The number at a path in a bucket, what is no number where it is none; `None` where a path leads to no bucket. A bucket
    /// without documents has none but their count.
    pub(super) fn number(&self, bucket: &Value, path: &[&str], inner: &Aggregations) -> Result<Option<f64>> {
        let Value::Object(object) = bucket else {
            return Ok(None);
        };
        let first = path.first().copied().unwrap_or_default();
        let Some(found) = of_bucket(object, path, inner, first)? else {
            return Ok(None);
        };
        let is_count = *path == ["_count"];
        let is_empty = !is_count && object.get("doc_count").and_then(Value::as_u64) == Some(0);
        let is_none = is_empty || !found.is_finite();
        Ok(Some(match (is_none, self.zeros) {
            (true, true) => 0.0,
            (true, false) => f64::NAN,
            (false, _) => found,
        }))
    }

    /// The same by a path as the request has it.
    pub(super) fn number_at(&self, bucket: &Value, path: &Path, inner: &Aggregations) -> Result<Option<f64>> {
        self.number(bucket, &path.flat(), inner)
    }
}

fn wrong(what: &str) -> SearchError {
    SearchError::new(
        ErrorKind::Aggregation,
        format!(
            "buckets_path must reference either a number value or a single value numeric metric aggregation, {what}"
        ),
    )
}

fn got(class: &str, first: &str) -> SearchError {
    wrong(&format!("got: [{class}] at aggregation [{first}]"))
}

/// A path ends at the buckets themselves.
pub(super) fn no_number(first: &str) -> SearchError {
    got("Bucket", first)
}

fn several(first: &str) -> SearchError {
    wrong(&format!(
        "but [{first}] contains multiple values. Please specify which to use."
    ))
}

/// What a path leads to in a bucket, which may be the only one of its aggregation.
fn of_bucket(
    object: &Map<String, Value>,
    path: &[&str],
    inner: &Aggregations,
    first: &str,
) -> Result<Option<f64>> {
    let Some((name, rest)) = path.split_first() else {
        return Err(got("Bucket", first));
    };
    match *name {
        "_count" => return Ok(object.get("doc_count").and_then(as_f64)),
        "_key" => return key(object, first).map(Some),
        _ => {}
    }
    let named = inner.named.iter().find(|named| named.name == *name);
    match named.zip(member(object, name)) {
        Some((named, answer)) => of_answer(named, answer, rest, first),
        None => Ok(None),
    }
}

/// The key of a bucket, where it is a number.
fn key(object: &Map<String, Value>, first: &str) -> Result<f64> {
    match (object.get("key"), object.get("key_as_string")) {
        (Some(Value::Number(number)), None) => Ok(number.as_f64().unwrap_or(f64::NAN)),
        (Some(Value::Number(_)), Some(_)) => Err(got("ZonedDateTime", first)),
        _ => Err(got("String", first)),
    }
}

fn of_answer(named: &Named, answer: &Value, rest: &[&str], first: &str) -> Result<Option<f64>> {
    let number = |value: Option<&Value>| Ok(Some(value.and_then(as_f64).unwrap_or(f64::NAN)));
    match &named.spec {
        Spec::Metric(_, kind) => of_metric(kind, &named.name, answer, rest, first).map(Some),
        Spec::Pipeline(_) => match rest {
            [] if answer.get("value").is_some() => number(answer.get("value")),
            [] => Err(several(first)),
            [part, ..] => number(
                answer
                    .get(*part)
                    .or_else(|| answer.get("values")?.get(double(part))),
            ),
        },
        Spec::TopMetrics(_) => match rest {
            [] => Err(several(first)),
            [metric, ..] => number(
                answer
                    .pointer("/top/0/metrics")
                    .and_then(|metrics| metrics.get(*metric)),
            ),
        },
        spec if spec.is_single() => match (rest, answer) {
            ([], _) => Err(got(spec.class(), first)),
            (rest, Value::Object(object)) => of_bucket(object, rest, &named.inner, first),
            _ => Ok(None),
        },
        spec if spec.has_buckets() => match rest {
            [] => Err(got(spec.class(), first)),
            ["_bucket_count"] => Ok(Some(buckets_of(answer).len() as f64)),
            [key, rest @ ..] if key.len() >= 2 && key.starts_with('\'') && key.ends_with('\'') => {
                let wanted = &key[1..key.len() - 1];
                let found = buckets_of(answer).into_iter().find(|(key, _)| key == wanted);
                match found.and_then(|(_, bucket)| bucket.as_object()) {
                    Some(bucket) => of_bucket(bucket, rest, &named.inner, first),
                    None => Ok(None),
                }
            }
            _ => Err(got("Object[]", first)),
        },
        spec => Err(got(spec.class(), first)),
    }
}

/// A percentile's key in an answer.
fn double(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), double_text)
}

fn of_metric(kind: &MetricKind, name: &str, answer: &Value, rest: &[&str], first: &str) -> Result<f64> {
    let number = |value: Option<&Value>| value.and_then(as_f64).unwrap_or(f64::NAN);
    match (kind, rest) {
        (MetricKind::GeoCentroid, ["lat" | "lon"]) => {
            Ok(number(answer.pointer(&format!("/location/{}", rest[0]))))
        }
        (MetricKind::GeoCentroid, ["count"]) => Ok(number(answer.get("count"))),
        (MetricKind::GeoCentroid | MetricKind::GeoBounds { .. }, _) => Err(got("InternalGeoCentroid", first)),
        (kind, []) if kind.has_several() => Err(several(first)),
        (MetricKind::Percentiles { .. } | MetricKind::PercentileRanks { .. }, [percent, ..]) => {
            let values = answer.get("values");
            let listed = || {
                let wanted: f64 = percent.parse().ok()?;
                let mut list = values?.as_array()?.iter();
                list.find(|one| one.get("key").and_then(as_f64) == Some(wanted))?
                    .get("value")
            };
            let keyed = values.and_then(|values| values.get(double(percent)));
            match keyed.or_else(listed) {
                Some(value) => Ok(number(Some(value))),
                None => Err(SearchError::unsupported(format!(
                    "a path to [{percent}], which is none of the numbers that [{name}] gives,"
                ))),
            }
        }
        (kind, [metric, ..]) if kind.has_several() => {
            if !kind.has(metric).unwrap_or(false) {
                return Err(SearchError::illegal(format!(
                    "No enum constant org.elasticsearch.search.aggregations.metrics.InternalStats.Metrics.{metric}"
                )));
            }
            let bound = metric
                .strip_prefix("std_")
                .filter(|_| !metric.contains("deviation"));
            let bound = bound.and_then(|bound| answer.get("std_deviation_bounds")?.get(bound));
            Ok(number(bound.or_else(|| answer.get(*metric))))
        }
        (_, [] | ["value"]) => Ok(number(answer.get("value"))),
        (_, [other, ..]) => Err(SearchError::illegal(format!(
            "path not supported for [{name}]: [{other}]"
        ))),
    }
}

pub(super) fn buckets_of(answer: &Value) -> Vec<(String, &Value)> {
    let key = |bucket: &Value| {
        bucket
            .get("key_as_string")
            .or_else(|| bucket.get("key"))
            .and_then(scalar)
            .unwrap_or_default()
    };
    match answer.get("buckets") {
        Some(Value::Array(list)) => list.iter().map(|bucket| (key(bucket), bucket)).collect(),
        Some(Value::Object(named)) => named
            .iter()
            .map(|(name, bucket)| (name.clone(), bucket))
            .collect(),
        _ => Vec::new(),
    }
}
