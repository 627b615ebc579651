//! The functions of Riak's Erlang module `riak_kv_mapreduce`.

use super::item::size_of;
use super::object::{FoundObject, not_found, object_json};
use serde_json::{Map, Number, Value, json};
use std::cmp::Ordering;
use std::collections::HashSet;

const MODULE: &str = "riak_kv_mapreduce";

/// A function for each object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MapFunction {
    Identity,
    Value,
    ValueList,
}

/// A function for all that came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReduceFunction {
    Identity,
    SetUnion,
    Sum,
    PropertySum,
    Sort,
    StringToInteger,
    CountInputs,
}

impl MapFunction {
    pub(super) fn find(module: &str, function: &str) -> Option<MapFunction> {
        let found = match function {
            "map_identity" => MapFunction::Identity,
            "map_object_value" => MapFunction::Value,
            "map_object_value_list" => MapFunction::ValueList,
            _ => return None,
        };
        (module == MODULE).then_some(found)
    }

    /// What it gives for an object; the text of an error where it has none for it.
    pub(super) fn call(self, found: &FoundObject, argument: Option<&Value>) -> Result<Vec<Value>, String> {
        let Some(object) = found.object() else {
            return self.without_object(found, argument);
        };
        if self == MapFunction::Identity {
            return Ok(vec![object_json(&found.input, object)?]);
        }
        let [sibling] = object.siblings.as_slice() else {
            return Err("siblings: the object has more than one value".to_owned());
        };
        let text = sibling.content.text()?;
        match self {
            MapFunction::ValueList => match serde_json::from_str(text) {
                Ok(Value::Array(values)) => Ok(values),
                _ => Err("the value is not a list".to_owned()),
            },
            MapFunction::Identity | MapFunction::Value => Ok(vec![json!(text)]),
        }
    }

    fn without_object(self, found: &FoundObject, argument: Option<&Value>) -> Result<Vec<Value>, String> {
        let substitute = argument.and_then(|argument| argument.as_object()?.get("sub"));
        match (argument.and_then(Value::as_str), substitute) {
            (Some("filter_notfound"), _) => Ok(Vec::new()),
            (Some("include_keydata"), _) => Ok(vec![found.input.data.clone().unwrap_or(Value::Null)]),
            (_, Some(Value::Array(values))) => Ok(values.clone()),
            (_, Some(value)) => Ok(vec![value.clone()]),
            (Some("include_notfound"), _) => Ok(vec![not_found(&found.input)]),
            _ if self == MapFunction::Identity => Ok(vec![not_found(&found.input)]),
            _ => Err("notfound: the argument does not say what is done then".to_owned()),
        }
    }
}

impl ReduceFunction {
    pub(super) fn find(module: &str, function: &str) -> Option<ReduceFunction> {
        let found = match function {
            "reduce_identity" => ReduceFunction::Identity,
            "reduce_set_union" => ReduceFunction::SetUnion,
            "reduce_sum" => ReduceFunction::Sum,
            "reduce_plist_sum" => ReduceFunction::PropertySum,
            "reduce_sort" => ReduceFunction::Sort,
            "reduce_string_to_integer" => ReduceFunction::StringToInteger,
            "reduce_count_inputs" => ReduceFunction::CountInputs,
            _ => return None,
        };
        (module == MODULE).then_some(found)
    }

    /// What it gives for values, among which may be what it gave before.
    pub(super) fn call(self, values: Vec<Value>) -> Result<Vec<Value>, String> {
        match self {
            ReduceFunction::Identity => values.into_iter().map(named).collect(),
            ReduceFunction::SetUnion => {
                let mut known = HashSet::new();
                let is_new = |value: &Value| known.insert(value.to_string());
                Ok(values.into_iter().filter(is_new).collect())
            }
            ReduceFunction::Sum => {
                let mut sum = Number::from(0);
                for value in values.iter().filter(|value| !is_not_found(value)) {
                    sum = add(&sum, number(value)?);
                }
                Ok(vec![Value::Number(sum)])
            }
            ReduceFunction::PropertySum => sum_properties(&values),
            ReduceFunction::Sort => {
                let mut values = values;
                values.sort_by(compare);
                Ok(values)
            }
            ReduceFunction::StringToInteger => {
                let there = values.into_iter().filter(|value| !is_not_found(value));
                there.map(to_integer).collect()
            }
            ReduceFunction::CountInputs => {
                // A number is what it gave before, or a client's, which may be as large as numbers get.
                let count = |value: &Value| value.as_i64().unwrap_or(1);
                let counted = values.iter().map(count).fold(0, i64::saturating_add);
                Ok(vec![json!(counted)])
            }
        }
    }
}

/// `[bucket, key]` of an input.
fn named(value: Value) -> Result<Value, String> {
    match value {
        Value::Array(mut parts) if parts.len() >= 2 && parts[..2].iter().all(Value::is_string) => {
            parts.truncate(2);
            Ok(Value::Array(parts))
        }
        other => Err(format!("unhandled_entry: {other}")),
    }
}

fn is_not_found(value: &Value) -> bool {
    value
        .as_object()
        .is_some_and(|members| members.contains_key("not_found"))
}

fn number(value: &Value) -> Result<&Number, String> {
    match value {
        Value::Number(number) => Ok(number),
        other => Err(format!("badarith: {other} is no number")),
    }
}

fn add(one: &Number, other: &Number) -> Number {
    let whole = one
        .as_i64()
        .zip(other.as_i64())
        .and_then(|(one, other)| one.checked_add(other));
    let sum = || one.as_f64().unwrap_or_default() + other.as_f64().unwrap_or_default();
    whole.map_or_else(
        || Number::from_f64(sum()).unwrap_or_else(|| Number::from(0)),
        Number::from,
    )
}

/// Sums by name, of objects and of lists of objects.
fn sum_properties(values: &[Value]) -> Result<Vec<Value>, String> {
    let mut sums: Map<String, Value> = Map::new();
    let lists = values.iter().flat_map(|value| match value {
        Value::Array(values) => values.as_slice(),
        other => std::slice::from_ref(other),
    });
    for properties in lists {
        let properties = properties
            .as_object()
            .ok_or_else(|| format!("badarg: {properties} has no properties"))?;
        for (name, value) in properties {
            let sum = match sums.get(name) {
                Some(known) => add(number(known)?, number(value)?),
                None => number(value)?.clone(),
            };
            sums.insert(name.clone(), Value::Number(sum));
        }
    }
    Ok(match sums.is_empty() {
        true => Vec::new(),
        false => vec![Value::Object(sums)],
    })
}

fn to_integer(value: Value) -> Result<Value, String> {
    match &value {
        Value::String(text) => text
            .parse::<i64>()
            .map(Value::from)
            .map_err(|_| format!("badarg: {value} is no integer")),
        Value::Number(number) if number.is_i64() => Ok(value),
        other => Err(format!("badarg: {other} is no integer")),
    }
}

/// Erlang's order of terms: numbers, atoms, objects, lists, texts.
fn compare(one: &Value, other: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Number(_) => 0,
        Value::Bool(_) | Value::Null => 1,
        Value::Object(_) => 2,
        Value::Array(_) => 3,
        Value::String(_) => 4,
    };
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => one.cmp(&other),
            _ => one
                .as_f64()
                .unwrap_or_default()
                .total_cmp(&other.as_f64().unwrap_or_default()),
        },
        (Value::String(one), Value::String(other)) => one.as_bytes().cmp(other.as_bytes()),
        (Value::Array(one), Value::Array(other)) => {
            let pairs = one.iter().zip(other);
            let differs = pairs
                .map(|(one, other)| compare(one, other))
                .find(|order| order.is_ne());
            differs.unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        _ if rank(one) == rank(other) => {
            (size_of(one), one.to_string()).cmp(&(size_of(other), other.to_string()))
        }
        _ => rank(one).cmp(&rank(other)),
    }
}
