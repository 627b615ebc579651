//! Operators on whole values: `equals`, `in`, `range`, `near`, `exists`.

use super::{Scope, check_count, constant};
use crate::error::{Result, of_search, refused, unsupported};
use crate::fields::{self, check_whole};
use crate::paths;
use crate::spec::{Spec, one_or_many};
use search::{CLAUSES_MAX, NearnessQuery, Query, ValueKind, parse_query};
use serde_json::{Map, Value as Json, json};
use value::Value;

/// The type of field that holds a value whole, and the value as queries on it give it.
fn asked(value: &Value, place: &str) -> Result<(&'static str, Json)> {
    let wrong = || {
        refused(format!(
            "\"{place}\" must be a boolean, objectId, number, string, date, uuid or null"
        ))
    };
    let text = || ValueKind::text(value.as_ref()).ok_or_else(wrong);
    Ok(match ValueKind::of(value.as_ref()).ok_or_else(wrong)? {
        ValueKind::String => ("token", json!(text()?)),
        ValueKind::Number if matches!(value, Value::Decimal128(_)) => return Err(wrong()),
        ValueKind::Number => ("number", json!(value.as_ref().as_f64())),
        ValueKind::Date => match value {
            Value::DateTime(ms) => ("date", json!(ms.to_string())),
            _ => return Err(wrong()),
        },
        ValueKind::Boolean => ("boolean", json!(matches!(value, Value::Bool(true)))),
        ValueKind::ObjectId => ("objectId", json!(text()?)),
        ValueKind::Uuid => ("uuid", json!(text()?)),
        ValueKind::Null => ("null", json!(text()?)),
    })
}

fn term(path: &str, value: &Value, place: &str, scope: Scope<'_>) -> Result<Query> {
    let (kind, asked) = asked(value, place)?;
    if kind == "token" {
        check_whole(path, scope.mapping)?;
    }
    let field = fields::name(kind, path);
    let query = match asked.as_f64() {
        _ if asked.is_null() => return Ok(Query::MatchNone),
        // Both zeros are one number.
        Some(0.0) => json!({"range": {field: {"gte": -0.0, "lte": 0.0}}}),
        _ => json!({"term": {field: {"value": asked}}}),
    };
    parse_query(&query).map_err(of_search)
}

pub(super) fn equals(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let path = paths::name(spec)?;
    let missing = || refused(format!("\"{}\" is required", spec.path_of("value")));
    let value = spec.given("value").ok_or_else(missing)?;
    Ok(constant(vec![term(&path, value, &spec.path_of("value"), scope)?]))
}

pub(super) fn one_of(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let paths = paths::names(spec)?;
    let place = spec.path_of("value");
    let values = one_or_many(spec.required("value")?);
    if values.is_empty() {
        return Err(refused(format!("\"{place}\" cannot be empty")));
    }
    check_count(paths.len(), values.len(), CLAUSES_MAX)?;
    let kinds = values.iter().map(|value| Ok(asked(value, &place)?.0));
    let kinds = kinds.collect::<Result<Vec<_>>>()?;
    if kinds.contains(&"null") || kinds.windows(2).any(|pair| pair[0] != pair[1]) {
        return Err(refused(format!("\"{place}\" must be values of one type")));
    }
    let mut queries = Vec::new();
    for path in &paths {
        for value in values {
            queries.push(term(path, value, &place, scope)?);
        }
    }
    Ok(constant(queries))
}

pub(super) fn range(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let paths = paths::names(spec)?;
    let place = spec.path_of("");
    let mut kind = None;
    let mut given = Vec::new();
    for name in ["gt", "gte", "lt", "lte"] {
        let Some(bound) = spec.any(name) else { continue };
        let (of, _) = asked(bound, &spec.path_of(name))?;
        if of == "boolean" || kind.is_some_and(|kind| kind != of) {
            return Err(refused(format!(
                "the bounds of \"{place}\" must be numbers, dates, strings or objectIds, of one type"
            )));
        }
        kind = Some(of);
        given.push((name, bound));
    }
    let kind = kind.ok_or_else(|| refused(format!("\"{place}\" must have a bound")))?;
    if kind == "token" {
        let is_date = |path: &&String| scope.mapping.has_field(&fields::name("date", path));
        if let Some(path) = paths.iter().find(is_date) {
            return Err(refused(format!("Path '{path}' needs to be indexed as token")));
        }
    }
    let Some(bounds) = bounds(&given, &place)? else {
        return Ok(Query::MatchNone);
    };
    let one =
        |path: &String| parse_query(&json!({"range": {fields::name(kind, path): bounds}})).map_err(of_search);
    Ok(constant(paths.iter().map(one).collect::<Result<_>>()?))
}

/// The bounds of a range as queries give them; `None` where nothing is between them.
fn bounds(given: &[(&str, &Value)], place: &str) -> Result<Option<Map<String, Json>>> {
    let side = |names: [&str; 2]| -> Vec<(&str, &Value)> {
        let of = given.iter().filter(|(name, _)| names.contains(name));
        of.copied().collect()
    };
    let (low, high) = (side(["gt", "gte"]), side(["lt", "lte"]));
    if low.len() > 1 || high.len() > 1 {
        return Err(refused(format!("\"{place}\" has two bounds of one side")));
    }
    if let ([(from, low)], [(to, high)]) = (&low[..], &high[..]) {
        let order = value::compare(low.as_ref(), high.as_ref());
        if order.is_gt() || (order.is_eq() && (*from, *to) != ("gte", "lte")) {
            return Err(refused(format!(
                "\"{place}\" has a lower bound that is not below its upper one"
            )));
        }
    }
    let mut bounds = Map::new();
    for (name, bound) in given {
        let number = bound.as_ref().as_f64().filter(|number| !number.is_finite());
        match number {
            None => drop(bounds.insert((*name).to_owned(), asked(bound, place)?.1)),
            // From the least number, or to the greatest.
            Some(number) if number.is_infinite() && (number < 0.0) == name.starts_with('g') => {}
            Some(_) => return Ok(None),
        }
    }
    Ok(Some(bounds))
}

pub(super) fn near(spec: &Spec<'_>) -> Result<Query> {
    let paths = paths::names(spec)?;
    let origin = spec.required("origin")?;
    let (kind, origin) = match origin {
        Value::DateTime(ms) => ("date", *ms as f64),
        Value::Document(_) => return Err(unsupported("\"near\" of a point")),
        number => {
            let wrong = || {
                refused(format!(
                    "\"{}\" must be a number or a date",
                    spec.path_of("origin")
                ))
            };
            ("number", number.as_ref().as_f64().ok_or_else(wrong)?)
        }
    };
    let pivot = spec.number("pivot")?.filter(|pivot| *pivot > 0.0);
    let pivot = pivot.ok_or_else(|| refused(format!("\"{}\" must be positive", spec.path_of("pivot"))))?;
    let one = |path: String| {
        Query::Nearness(NearnessQuery {
            field: fields::name(kind, &path),
            origin,
            pivot,
            boost: 1.0,
        })
    };
    Ok(super::any_of(paths.into_iter().map(one).collect()))
}

pub(super) fn exists(spec: &Spec<'_>, scope: Scope<'_>) -> Result<Query> {
    let path = paths::name(spec)?;
    let fields = paths::below(&path, scope.mapping).into_iter();
    Ok(constant(
        fields.map(|field| Query::Exists { field, boost: 1.0 }).collect(),
    ))
}
