//! What hits are sorted by, and reading it from JSON.

mod places;
mod scripts;

pub(crate) use places::DistanceSort;
pub(crate) use scripts::ScriptSort;

use mapping::Mapping;
use mapping::dates::DateFormats;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::fields::View;
use mapping::json::{Members, scalar};
use querying::{Clauses, Node, Statistics, compile};
use querying::{Query, parse_query};
use serde_json::{Map, Value};
use std::sync::Arc;

/// The keys of one sort at most.
const KEYS_MAX: usize = 100;
/// Nested objects within nested objects at most.
const NESTED_MAX: usize = 20;

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
    Field(Box<FieldSort>),
    /// How far they are.
    Distance(Box<DistanceSort>),
    /// What a script makes of them.
    Script(Box<ScriptSort>),
}

impl SortKey {
    /// The field whose values are sorted by.
    pub(crate) fn field(&self) -> Option<&str> {
        match self {
            SortKey::Field(field) => Some(&field.name),
            _ => None,
        }
    }

    /// The same, with what is asked of the documents of one index read for it.
    pub(crate) fn compiled(&self, mapping: &Mapping, now_ms: i64, clauses: &Clauses) -> Result<SortKey> {
        let mut own = self.clone();
        let nested = match &mut own {
            SortKey::Field(field) => field.nested.as_mut(),
            SortKey::Distance(distance) => distance.nested.as_mut(),
            _ => None,
        };
        if let Some(nested) = nested {
            nested.compile(mapping, now_ms, clauses)?;
        }
        Ok(own)
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
    pub(crate) mode: Option<Mode>,
    pub(crate) format: Option<String>,
    /// The same, where dates can be written so.
    pub(crate) formats: Option<DateFormats>,
    /// As which numbers values are compared.
    pub(crate) numeric_type: Option<NumericType>,
    pub(crate) nested: Option<NestedSort>,
}

impl FieldSort {
    /// Whether the values of a field of this type are compared as numbers without a sign.
    pub(crate) fn is_unsigned(&self, type_name: &str) -> bool {
        type_name == "unsigned_long" && matches!(self.numeric_type, None | Some(NumericType::Long))
    }
}

/// Which of several values counts, or what is made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Min,
    Max,
    Sum,
    Avg,
    Median,
}

impl Mode {
    pub(crate) fn parse(text: &str) -> Result<Mode> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "min" => Mode::Min,
            "max" => Mode::Max,
            "sum" => Mode::Sum,
            "avg" => Mode::Avg,
            "median" => Mode::Median,
            _ => return Err(SearchError::illegal(format!("Unknown SortMode [{text}]"))),
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Mode::Min => "min",
            Mode::Max => "max",
            Mode::Sum => "sum",
            Mode::Avg => "avg",
            Mode::Median => "median",
        }
    }
}

/// Types that numbers of several indices are compared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NumericType {
    Long,
    Double,
    Date,
    DateNanos,
}

/// The nested objects whose values are sorted by.
#[derive(Clone, Debug)]
pub(crate) struct NestedSort {
    pub(crate) path: String,
    filter: Option<Query>,
    /// Those within these.
    inner: Option<Box<NestedSort>>,
    children_max: usize,
    /// The filter as an index reads it.
    node: Option<Arc<(Node, Statistics)>>,
}

impl NestedSort {
    fn parse(value: &Value, depth: usize) -> Result<NestedSort> {
        let failed = |cause| SearchError::of_member("field_sort", "nested", cause);
        let Value::Object(object) = value else {
            let given = Members::of_content("field_sort", &Map::new()).wrong_type("nested", value);
            return Err(given);
        };
        if depth > NESTED_MAX {
            return Err(failed(SearchError::illegal(format!(
                "a sort has more than {NESTED_MAX} nested objects within each other"
            ))));
        }
        let mut members = Members::of_content("nested_sort", object);
        let filter = members.take("filter").map(parse_query).transpose()?;
        let inner = members
            .take("nested")
            .map(|inner| NestedSort::parse(inner, depth + 1));
        let nested = NestedSort {
            path: members.text("path").map_err(failed)?.unwrap_or_default(),
            filter,
            inner: inner.transpose()?.map(Box::new),
            children_max: members
                .count("max_children")
                .map_err(failed)?
                .unwrap_or(usize::MAX),
            node: None,
        };
        members.end().map_err(failed)?;
        Ok(nested)
    }

    fn compile(&mut self, mapping: &Mapping, now_ms: i64, clauses: &Clauses) -> Result<()> {
        if let Some(filter) = &self.filter {
            let node = compile(filter, mapping, now_ms, clauses)?;
            self.node = Some(Arc::new((node, Statistics::default())));
        }
        match &mut self.inner {
            Some(inner) => inner.compile(mapping, now_ms, clauses),
            None => Ok(()),
        }
    }

    /// Refuses paths to no nested objects.
    pub(crate) fn check(&self, mapping: &Mapping) -> Result<()> {
        let field = mapping.field(&self.path);
        let is_nested = field.is_some_and(|field| field.kind == mapping::FieldKind::Nested);
        if !self.path.is_empty() && !is_nested {
            return Err(SearchError::new(
                ErrorKind::QueryShard,
                format!("[nested] failed to find nested object under path [{}]", self.path),
            ));
        }
        self.inner.as_ref().map_or(Ok(()), |inner| inner.check(mapping))
    }

    /// The nested objects of a document that count.
    pub(crate) fn views<'d>(&'d self, view: &View<'d>) -> Vec<View<'d>> {
        if self.path.is_empty() {
            return Vec::new();
        }
        let is_in = |inner: &View<'_>| {
            let node = self.node.as_deref();
            node.is_none_or(|(node, statistics)| node.score(inner, statistics).is_some())
        };
        let own = view
            .nested(&self.path)
            .into_iter()
            .take(self.children_max)
            .filter(is_in);
        match &self.inner {
            None => own.collect(),
            Some(inner) => own.flat_map(|view| inner.views(&view)).collect(),
        }
    }

    /// Whether it has a filter that no index was asked to read.
    pub(crate) fn is_unread(&self) -> bool {
        let is_unread = self.filter.is_some() && self.node.is_none();
        is_unread || self.inner.as_ref().is_some_and(|inner| inner.is_unread())
    }
}

/// A sort of hits within aggregations, whose nested objects have no filters.
pub(crate) fn unfiltered(keys: Vec<SortKey>) -> Result<Vec<SortKey>> {
    let nested = |key: &SortKey| match key {
        SortKey::Field(field) => field.nested.as_ref().is_some_and(NestedSort::is_unread),
        SortKey::Distance(distance) => distance.nested.as_ref().is_some_and(NestedSort::is_unread),
        _ => false,
    };
    match keys.iter().any(nested) {
        false => Ok(keys),
        true => Err(SearchError::unsupported(
            "a [filter] of a nested sort of hits within aggregations",
        )),
    }
}

/// Reads a sort: names, or names with what is said of them.
pub fn parse_sort(value: &Value) -> Result<Vec<SortKey>> {
    let mut keys = Vec::new();
    let malformed = || {
        SearchError::illegal(
            "malformed sort format, within the sort array, an object, or an actual string are allowed",
        )
    };
    let listed = match value {
        Value::Array(list) => list.iter().collect(),
        Value::Null => return Err(SearchError::parsing("Unknown key for a VALUE_NULL in [sort].")),
        one => vec![one],
    };
    for one in listed {
        match one {
            Value::String(name) => match name.rsplit_once(':') {
                Some((name, order @ ("asc" | "desc"))) => keys.push(key(name, &Value::from(order))?),
                _ => keys.push(key(name, &Value::Object(Map::new()))?),
            },
            Value::Object(fields) => {
                for (name, value) in fields {
                    keys.push(key(name, value)?);
                }
            }
            scalar_value if !value.is_array() => {
                let name = scalar(scalar_value).ok_or_else(malformed)?;
                keys.push(key(&name, &Value::Object(Map::new()))?);
            }
            _ => return Err(malformed()),
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

fn order(context: &str, value: &Value) -> Result<Order> {
    match value.as_str().map(str::to_ascii_lowercase).as_deref() {
        Some("asc") => Ok(Order::Ascending),
        Some("desc") => Ok(Order::Descending),
        Some(other) => {
            let cause = SearchError::illegal(format!("Unknown SortOrder [{other}]"));
            Err(SearchError::of_member(context, "order", cause))
        }
        None => Err(Members::of_content(context, &Map::new()).wrong_type("order", value)),
    }
}

fn key(name: &str, value: &Value) -> Result<SortKey> {
    let context = match name {
        "_score" | "_script" => name,
        _ => "field_sort",
    };
    let empty = Map::new();
    let (given, options) = match value {
        Value::Object(options) => (
            options
                .get("order")
                .map(|value| order(context, value))
                .transpose()?,
            options,
        ),
        Value::String(_) => (Some(order(context, value)?), &empty),
        _ => {
            return Err(SearchError::content(format!(
                "[{context}] Expected START_OBJECT but was: END_OBJECT"
            )));
        }
    };
    let ascending = given.unwrap_or(Order::Ascending);
    let mut members = Members::of_content(context, options);
    members.take("order");
    let key = match (name, value) {
        ("_geo_distance", Value::Object(options)) => {
            return DistanceSort::parse(ascending, options).map(|sort| SortKey::Distance(Box::new(sort)));
        }
        ("_script", Value::Object(_)) => {
            SortKey::Script(Box::new(ScriptSort::parse(ascending, &mut members)?))
        }
        ("_score", _) => SortKey::Score(given.unwrap_or(Order::Descending)),
        ("_doc" | "_shard_doc", _) => SortKey::Position(ascending),
        (name, _) => SortKey::Field(Box::new(field(name, ascending, &mut members)?)),
    };
    members.end()?;
    Ok(key)
}

fn field(name: &str, order: Order, members: &mut Members<'_>) -> Result<FieldSort> {
    let failed = |member: &str, cause| SearchError::of_member("field_sort", member, cause);
    let mode = members.text("mode")?;
    let mode = mode.map(|mode| Mode::parse(&mode)).transpose();
    let numeric_type = match members.text("numeric_type")?.as_deref() {
        None => None,
        Some("long") => Some(NumericType::Long),
        Some("double") => Some(NumericType::Double),
        Some("date") => Some(NumericType::Date),
        Some("date_nanos") => Some(NumericType::DateNanos),
        Some(other) => {
            let cause = SearchError::illegal(format!(
                "invalid value for [numeric_type], must be [long, double, date, date_nanos], got {other}"
            ));
            return Err(failed("numeric_type", cause));
        }
    };
    let format = members.text("format")?;
    Ok(FieldSort {
        name: name.to_owned(),
        order,
        missing: members
            .take("missing")
            .filter(|missing| !missing.is_null())
            .cloned(),
        unmapped_type: members.text("unmapped_type")?,
        mode: mode.map_err(|cause| failed("mode", cause))?,
        formats: format
            .as_deref()
            .and_then(|format| DateFormats::parse(format).ok()),
        format,
        numeric_type,
        nested: nested(members)?,
    })
}

/// Takes `nested`, or what stands for it in older requests.
fn nested(members: &mut Members<'_>) -> Result<Option<NestedSort>> {
    let given = members.take("nested").map(|nested| NestedSort::parse(nested, 0));
    let given = given.transpose()?;
    let path = members.text("nested_path")?;
    let filter = members.take("nested_filter").map(parse_query).transpose()?;
    match (given, path) {
        (Some(_), Some(_)) => {
            let cause = SearchError::illegal(
                "nested_path and nested_filter has been deprecated in favor of nested, which cannot be given besides",
            );
            Err(SearchError::of_member("field_sort", "nested_path", cause))
        }
        (given @ Some(_), None) => Ok(given),
        (None, None) => Ok(None),
        (None, Some(path)) => Ok(Some(NestedSort {
            path,
            filter,
            inner: None,
            children_max: usize::MAX,
            node: None,
        })),
    }
}
