//! What hits are sorted by, and reading it from JSON.

use mapping::error::{Kind, Result, SearchError};
use mapping::json::{Members, one_or_many, scalar};
use serde_json::{Map, Value};

/// The keys of one sort at most.
const KEYS_MAX: usize = 100;

/// Up or down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The least first.
    Ascending,
    /// The greatest first.
    Descending,
}

/// What hits are sorted by.
#[derive(Clone, Debug)]
pub enum SortKey {
    /// How well they match.
    Score(Order),
    /// The order of their changes.
    Position(Order),
    /// The values of a field.
    Field(FieldSort),
}

impl SortKey {
    /// The field whose values are sorted by.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            SortKey::Field(field) => Some(&field.name),
            SortKey::Score(_) | SortKey::Position(_) => None,
        }
    }
}

/// A sort by a field.
#[derive(Clone, Debug)]
pub struct FieldSort {
    /// The field.
    pub(crate) name: String,
    pub(crate) order: Order,
    /// What stands for a document without a value; `_first` and `_last` put it there.
    pub(crate) missing: Option<Value>,
    pub(crate) unmapped_type: Option<String>,
    pub(crate) mode: Option<String>,
    pub(crate) format: Option<String>,
}

/// Reads a sort: names, or names with what is said of them.
pub fn parse_sort(value: &Value) -> Result<Vec<SortKey>> {
    let mut keys = Vec::new();
    for one in one_or_many(value) {
        match one {
            Value::String(name) => match name.rsplit_once(':') {
                Some((name, order @ ("asc" | "desc"))) => keys.push(key(name, &Value::from(order))?),
                _ => keys.push(key(name, &Value::Null)?),
            },
            Value::Object(fields) => {
                for (name, value) in fields {
                    keys.push(key(name, value)?);
                }
            }
            other => {
                return Err(SearchError::parsing(format!(
                    "malformed sort format, [{other}] is no field"
                )));
            }
        }
    }
    if keys.len() > KEYS_MAX {
        return Err(SearchError::illegal(format!(
            "a sort has [{}] keys, which is more than the limit of [{KEYS_MAX}]",
            keys.len()
        )));
    }
    // By score alone is the order without a sort.
    match &keys[..] {
        [SortKey::Score(Order::Descending)] => Ok(Vec::new()),
        _ => Ok(keys),
    }
}

fn key(name: &str, value: &Value) -> Result<SortKey> {
    let default = if name == "_score" {
        Order::Descending
    } else {
        Order::Ascending
    };
    let order = |value: &Value| match scalar(value).unwrap_or_default().to_ascii_lowercase().as_str() {
        "asc" => Ok(Order::Ascending),
        "desc" => Ok(Order::Descending),
        other => Err(SearchError::illegal(format!("Unknown SortOrder [{other}]"))),
    };
    let empty = Map::new();
    let (order, options) = match value {
        Value::Null => (default, &empty),
        Value::Object(options) => (options.get("order").map_or(Ok(default), order)?, options),
        other => (order(other)?, &empty),
    };
    let mut members = Members::of_object("field_sort", options);
    members.take("order");
    if matches!(name, "_geo_distance" | "_script") {
        return Err(SearchError::unsupported(format!("the sort [{name}]")));
    }
    let key = match name {
        "_score" => SortKey::Score(order),
        "_doc" | "_shard_doc" => SortKey::Position(order),
        name => SortKey::Field(FieldSort {
            name: name.to_owned(),
            order,
            missing: members.take("missing").cloned(),
            unmapped_type: members.text("unmapped_type")?,
            mode: members.text("mode")?,
            format: members.text("format")?,
        }),
    };
    match members.take_first() {
        None => Ok(key),
        Some((option @ ("nested" | "nested_path" | "nested_filter" | "numeric_type"), _)) => {
            Err(SearchError::unsupported(format!("[{option}] of a sort")))
        }
        Some((option, _)) => Err(SearchError::new(
            Kind::Parsing,
            format!("[field_sort] unknown field [{option}]"),
        )),
    }
}
