//! The numbers that `buckets_path` names, in the answers of other aggregations.

use mapping::error::{Result, SearchError};
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

/// The aggregation that a path begins with, and the path within its buckets; a point does as `>` where the name has none.
pub(super) fn begun<'v, 'p>(answers: &'v Map<String, Value>, path: &'p str) -> Result<(&'v Value, &'p str)> {
    let (first, rest) = path.split_once('>').unwrap_or((path, "_count"));
    let whole = member(answers, first).map(|of| (of, rest));
    let found = whole.or_else(|| {
        let (first, rest) = path.split_once('.')?;
        member(answers, first).map(|of| (of, rest))
    });
    found.ok_or_else(|| SearchError::illegal(format!("No aggregation [{first}] found for path [{path}]")))
}

/// The number at a path in a bucket; `None` where it has none.
pub(super) fn number(bucket: &Value, path: &str) -> Result<Option<f64>> {
    let wrong = |what: &str| {
        SearchError::illegal(format!(
            "buckets_path must reference either a number value or a single value numeric metric aggregation, {what}"
        ))
    };
    let Some(object) = bucket.as_object() else {
        return Ok(None);
    };
    match path {
        "_count" => return Ok(object.get("doc_count").and_then(as_f64)),
        "_key" => return Ok(object.get("key").and_then(as_f64)),
        _ => {}
    }
    let (first, rest) = path
        .split_once('>')
        .map_or((path, None), |(first, rest)| (first, Some(rest)));
    if let Some(rest) = rest {
        let within = member(object, first).ok_or_else(|| no_path(first))?;
        return match within.get("buckets") {
            Some(_) if rest == "_bucket_count" => Ok(Some(buckets_of(within).len() as f64)),
            Some(_) => Err(wrong(&format!("got: [Object[]] at aggregation [{first}]"))),
            None => number(within, rest),
        };
    }
    let (name, metric) = match (member(object, first), first.rsplit_once('.')) {
        (Some(_), _) | (None, None) => (first, None),
        (None, Some((name, metric))) => (name, Some(metric)),
    };
    let found = member(object, name).ok_or_else(|| no_path(name))?;
    if let Some(metric) = metric {
        if metric == "_bucket_count" {
            return Ok(Some(buckets_of(found).len() as f64));
        }
        let of_percent = || {
            found
                .get("values")
                .and_then(|values| values.get(metric).or_else(|| values.get(format!("{metric}.0"))))
        };
        let of_top = || found.pointer("/top/0/metrics")?.get(metric);
        return Ok(found
            .get(metric)
            .or_else(of_percent)
            .or_else(of_top)
            .and_then(as_f64));
    }
    if let Some(listed) = found.get("buckets") {
        let is_text = listed
            .get(0)
            .and_then(|bucket| bucket.get("key"))
            .is_some_and(Value::is_string);
        let class = if is_text { "StringTerms" } else { "LongTerms" };
        return Err(wrong(&format!("got: [{class}] at aggregation [{name}]")));
    }
    if found.get("values").is_some() || (found.get("value").is_none() && found.get("doc_count").is_none()) {
        return Err(wrong(&format!(
            "but [{name}] contains multiple values. Please specify which to use."
        )));
    }
    Ok(found
        .get("value")
        .or_else(|| found.get("doc_count"))
        .and_then(Value::as_f64))
}

fn no_path(name: &str) -> SearchError {
    SearchError::illegal(format!("No aggregation found for path [{name}]"))
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
