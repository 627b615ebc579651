//! Reading `composite` and the grids of the earth.

use super::{Form, at_least, field_source, histograms, source};
use crate::aggregations::composite::{Area, CompositeSpec, Part, PartKind};
use crate::aggregations::histogram::Interval;
use crate::aggregations::values::Source;
use crate::aggregations::{BUCKETS_MAX, Spec, too_many_buckets};
use mapping::error::{Result, SearchError};
use mapping::geo;
use mapping::json::{Members, one_or_many, token};
use querying::box_sides;
use serde_json::Value;
use std::collections::HashSet;

/// The finest tiles and cells.
const ZOOM_MAX: i64 = 29;
const HASH_MAX: i64 = 12;

pub(super) fn grid(kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    let source = field_source(members, Form::Plain)?;
    let precision = precision(kind, members)?;
    let size = at_least(members, "size", 1, kind)?.unwrap_or(10_000) as usize;
    at_least(members, "shard_size", 1, kind)?;
    Ok(Spec::Grid {
        source,
        is_tile: kind == "geotile_grid",
        precision,
        size,
        bounds: bounds(members)?,
    })
}

/// How fine a grid is: a zoom, a number of characters, or for cells how wide they are.
fn precision(kind: &str, members: &mut Members<'_>) -> Result<u32> {
    let is_tile = kind == "geotile_grid";
    let (default, most) = if is_tile { (7, ZOOM_MAX) } else { (5, HASH_MAX) };
    let wrong = |cause: String| SearchError::of_member(kind, "precision", SearchError::illegal(cause));
    let given = match members.take("precision") {
        None => return Ok(default as u32),
        Some(Value::Number(number)) => number.as_f64().map(|number| number as i64),
        Some(Value::String(text)) => match text.parse() {
            Ok(number) => Some(number),
            Err(_) if is_tile => None,
            Err(_) => geo::metres(text).map(geo::characters),
        },
        Some(other) => return Err(members.wrong_type("precision", other)),
    };
    let least = i64::from(!is_tile);
    match given {
        Some(given) if (least..=most).contains(&given) => Ok(given as u32),
        Some(given) => Err(wrong(format!(
            "Invalid {kind} precision of {given}. Must be between {least} and {most}."
        ))),
        None => Err(wrong("the precision is no number".to_owned())),
    }
}

fn bounds(members: &mut Members<'_>) -> Result<Option<Area>> {
    match members.take("bounds") {
        None => Ok(None),
        Some(given @ Value::Object(_)) => box_sides(given).map(|sides| Some(Area(sides))),
        Some(other) => Err(members.wrong_type("bounds", other)),
    }
}

pub(super) fn composite(members: &mut Members<'_>) -> Result<Spec> {
    let given = match members.take("sources") {
        Some(given @ (Value::Object(_) | Value::Array(_))) => given,
        Some(other) => return Err(members.wrong_type("sources", other)),
        None => return Err(SearchError::illegal("Required [sources]")),
    };
    let mut parts = Vec::new();
    for one in one_or_many(given) {
        parts.push(named_part(one)?);
    }
    let failed = |reason: String| SearchError {
        cause: Some(Box::new(SearchError::illegal(reason))),
        ..SearchError::content("Failed to build [composite] after last required field arrived")
    };
    if parts.is_empty() {
        return Err(failed("Composite [sources] cannot be null or empty".to_owned()));
    }
    let mut names = HashSet::new();
    if let Some(twice) = parts.iter().find(|part| !names.insert(&part.name)) {
        return Err(failed(format!(
            "Composite source names must be unique, found duplicates: [{}]",
            twice.name
        )));
    }
    let size = members.integer("size")?.unwrap_or(10);
    if size <= 0 {
        return Err(SearchError::illegal(
            "[size] must be greater than 0 for [composite]",
        ));
    }
    if size as usize > BUCKETS_MAX {
        return Err(SearchError::new(
            mapping::error::ErrorKind::TooManyBuckets,
            too_many_buckets(BUCKETS_MAX)
                .reason
                .replace(&(BUCKETS_MAX + 1).to_string(), &size.to_string()),
        ));
    }
    let after = match members.take("after") {
        None => None,
        Some(Value::Object(after)) => Some(after.clone()),
        Some(other) => return Err(members.wrong_type("after", other)),
    };
    Ok(Spec::Composite(CompositeSpec::new(parts, size as usize, after)))
}

fn expected(wanted: &str, found: &str) -> SearchError {
    SearchError::parsing(format!(
        "Failed to parse object: expecting token of type [{wanted}] but found [{found}]"
    ))
}

/// A part by its name: an object of one member, which is an object of one member.
fn named_part(value: &Value) -> Result<Part> {
    fn only(value: &Value) -> Result<(&String, &Value)> {
        let Value::Object(object) = value else {
            return Err(expected("START_OBJECT", token(value)));
        };
        let mut members = object.iter();
        match (members.next(), members.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(expected("FIELD_NAME", "END_OBJECT")),
            (Some(_), Some(_)) => Err(expected("END_OBJECT", "FIELD_NAME")),
        }
    }
    let (name, definition) = only(value)?;
    let (kind, body) = only(definition)?;
    let Value::Object(body) = body else {
        return Err(expected("START_OBJECT", token(body)));
    };
    part(name, kind, Members::of_content(kind, body))
}

fn part(name: &str, kind: &str, mut given: Members<'_>) -> Result<Part> {
    let members = &mut given;
    let descending = match members
        .text("order")?
        .map(|order| order.to_ascii_lowercase())
        .as_deref()
    {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(other) => {
            let cause = SearchError::illegal(format!("Unknown SortOrder [{other}]"));
            return Err(SearchError::of_member(kind, "order", cause));
        }
    };
    let missing_bucket = members.flag("missing_bucket")?.unwrap_or(false);
    let (source, kind) = match kind {
        "terms" => (part_source(members)?, PartKind::Terms),
        "histogram" => {
            let width = histograms::number_width(name, members)?;
            (
                part_source(members)?,
                PartKind::Histogram(Box::new(Interval::of_width(width))),
            )
        }
        "date_histogram" => {
            let interval = Interval {
                offset: histograms::date_offset(members)?,
                ..Interval::of_width(histograms::date_width(members)?)
            };
            (
                source(members, Form::Zoned)?,
                PartKind::Histogram(Box::new(interval)),
            )
        }
        "geotile_grid" => {
            let zoom = precision(kind, members)?;
            let area = bounds(members)?;
            (part_source(members)?, PartKind::Tile(zoom, area))
        }
        other => return Err(SearchError::parsing(format!("invalid source type: {other}"))),
    };
    given.end()?;
    if source.missing.is_some() {
        return Err(SearchError::content("[date_histogram] unknown field [missing]"));
    }
    Ok(Part {
        name: name.to_owned(),
        source,
        kind,
        descending,
        missing_bucket,
    })
}

/// A field, of which nothing can be said here but its type.
fn part_source(members: &mut Members<'_>) -> Result<Source> {
    match members.take("missing") {
        None => source(members, Form::Plain),
        Some(_) => Err(SearchError::content(format!(
            "[{}] unknown field [missing]",
            members.context()
        ))),
    }
}
