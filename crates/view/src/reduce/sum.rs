//! `_sum`: numbers, arrays of numbers place by place, objects field by field.
//!
//! Reference: CouchDB documentation, "Built-in Reduce Functions"; what cannot be added becomes the value of the
//! reduction, an object with `error`, `reason` and `caused_by`, as CouchDB has it.

use serde_json::{Map, Number, Value, json};

const REASON: &str = "The _sum function requires that map values be numbers, arrays of numbers, or objects. Objects cannot be \
     mixed with other data structures. Objects can be arbitrarily nested, provided that the values for all fields are \
     themselves numbers, arrays of numbers, or objects.";

/// The sum of values, or the error in its place.
pub(super) fn sum<'a>(values: impl IntoIterator<Item = &'a Value>) -> Value {
    let mut total = Value::from(0);
    for value in values {
        match add(value, total) {
            Ok(next) => total = next,
            Err(error) => return error,
        }
    }
    total
}

/// The sum of two numbers: exact where both are integers and it fits.
pub(super) fn add_numbers(a: &Number, b: &Number) -> Number {
    let exact = match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.checked_add(b).map(Number::from),
        _ => None,
    };
    exact.unwrap_or_else(|| float(a.as_f64().unwrap_or(0.0) + b.as_f64().unwrap_or(0.0)))
}

/// A number of JSON; one too large for it is the largest.
pub(super) fn float(number: f64) -> Number {
    Number::from_f64(number.clamp(f64::MIN, f64::MAX)).unwrap_or_else(|| Number::from(0))
}

/// A value added to a sum, or the error in its place.
pub(super) fn add(value: &Value, total: Value) -> Result<Value, Value> {
    match (value, total) {
        (Value::Number(a), Value::Number(b)) => Ok(Value::Number(add_numbers(&b, a))),
        (Value::Array(values), Value::Array(totals)) => add_arrays(values, totals),
        (value @ Value::Number(_), Value::Array(totals)) => add_arrays(std::slice::from_ref(value), totals),
        (Value::Array(values), total @ Value::Number(_)) => add_arrays(values, vec![total]),
        (Value::Object(fields), total) => {
            if fields.get("error").and_then(Value::as_str) == Some("builtin_reduce_error") {
                return Err(value.clone());
            }
            match total {
                Value::Number(zero) if zero.as_f64() == Some(0.0) => Ok(value.clone()),
                Value::Object(totals) => add_objects(fields, totals).map(Value::Object),
                _ => Err(refused(value)),
            }
        }
        (value, _) => Err(refused(value)),
    }
}

fn add_arrays(values: &[Value], totals: Vec<Value>) -> Result<Value, Value> {
    let places = values.len().max(totals.len());
    let mut totals = totals.into_iter();
    let mut out = Vec::with_capacity(places);
    for place in 0..places {
        out.push(match (values.get(place), totals.next()) {
            (Some(Value::Number(a)), Some(Value::Number(b))) => Value::Number(add_numbers(&b, a)),
            (Some(value), None) => value.clone(),
            (None, Some(total)) => total,
            _ => return Err(refused(&Value::Array(values.to_vec()))),
        });
    }
    Ok(Value::Array(out))
}

/// The fields of both, sorted by name.
fn add_objects(
    fields: &Map<String, Value>,
    mut totals: Map<String, Value>,
) -> Result<Map<String, Value>, Value> {
    for (name, value) in fields {
        match totals.remove(name) {
            Some(total) => totals.insert(name.clone(), add(value, total)?),
            None => totals.insert(name.clone(), value.clone()),
        };
    }
    totals.sort_keys();
    Ok(totals)
}

fn refused(value: &Value) -> Value {
    json!({"error": "builtin_reduce_error", "reason": REASON, "caused_by": value})
}
