//! Reading `composite` and the grids of the earth.

use super::{histograms, source};
use crate::aggregations::composite::{CompositeSpec, Kind, Part};
use crate::aggregations::{BUCKETS_MAX, Spec, too_many_buckets};
use mapping::error::{Result, SearchError};
use mapping::json::{Members, one_or_many};
use serde_json::Value;
use std::collections::HashSet;

/// The finest tiles and cells.
const ZOOM_MAX: i64 = 29;
const HASH_MAX: i64 = 12;

pub(super) fn grid(kind: &str, members: &mut Members<'_>) -> Result<Spec> {
    let is_tile = kind == "geotile_grid";
    let (default, most) = if is_tile { (7, ZOOM_MAX) } else { (5, HASH_MAX) };
    let source = source(members)?;
    let precision = members.integer("precision")?.unwrap_or(default);
    let least = i64::from(!is_tile);
    if !(least..=most).contains(&precision) {
        return Err(SearchError::illegal(format!(
            "Invalid {kind} precision of {precision}. Must be between {least} and {most}."
        )));
    }
    let size = members.integer("size")?.unwrap_or(10_000).max(1) as usize;
    members.take("shard_size");
    Ok(Spec::Grid {
        source,
        is_tile,
        precision: precision as u32,
        size,
    })
}

pub(super) fn composite(members: &mut Members<'_>, now_ms: i64) -> Result<Spec> {
    let given = members
        .take("sources")
        .ok_or_else(|| SearchError::illegal("Required [sources]"))?;
    let mut parts = Vec::new();
    for one in one_or_many(given) {
        let object = one
            .as_object()
            .ok_or_else(|| SearchError::parsing("[composite] [sources] must be objects"))?;
        for (name, definition) in object {
            parts.push(part(name, definition, now_ms)?);
        }
    }
    if parts.is_empty() {
        return Err(SearchError::illegal(
            "Composite [sources] cannot be null or empty",
        ));
    }
    let mut names = HashSet::new();
    for part in &parts {
        if !names.insert(&part.name) {
            return Err(SearchError::illegal(format!(
                "Composite source names must be unique, found duplicates: [{}]",
                part.name
            )));
        }
    }
    let size = members.integer("size")?.unwrap_or(10);
    if size <= 0 {
        return Err(SearchError::illegal(
            "[size] must be greater than 0 for [composite]",
        ));
    }
    if size as usize > BUCKETS_MAX {
        return Err(too_many_buckets(BUCKETS_MAX));
    }
    let after = match members.take("after") {
        None => None,
        Some(after) => {
            let mut after = Members::of("after", after)?;
            let missing =
                |name: &str| SearchError::illegal(format!("[after] has no value for the source [{name}]"));
            let values = parts
                .iter()
                .map(|part| after.take(&part.name).cloned().ok_or_else(|| missing(&part.name)));
            let values = values.collect::<Result<Vec<Value>>>()?;
            after.end()?;
            Some(values)
        }
    };
    Ok(Spec::Composite(CompositeSpec {
        parts,
        size: size as usize,
        after,
    }))
}

fn part(name: &str, definition: &Value, now_ms: i64) -> Result<Part> {
    let object = definition.as_object().filter(|object| object.len() == 1);
    let (kind, body) = object
        .and_then(|object| object.iter().next())
        .ok_or_else(|| SearchError::parsing(format!("the source [{name}] must be of one kind")))?;
    let mut members = Members::of(kind, body)?;
    let descending = match members.text("order")?.as_deref() {
        None | Some("asc") => false,
        Some("desc") => true,
        Some(other) => return Err(SearchError::illegal(format!("[order] cannot be [{other}]"))),
    };
    let missing_bucket = members.flag("missing_bucket")?.unwrap_or(false);
    let (source, kind) = match kind.as_str() {
        "terms" => (source(&mut members)?, Kind::Terms),
        "histogram" | "date_histogram" => {
            let spec = match kind.as_str() {
                "histogram" => histograms::histogram(&mut members)?,
                _ => histograms::date_histogram(&mut members, now_ms)?,
            };
            match spec {
                Spec::Histogram(source, interval) => (source, Kind::Histogram(interval)),
                _ => {
                    return Err(SearchError::parsing(format!(
                        "the source [{name}] is no histogram"
                    )));
                }
            }
        }
        "geotile_grid" => match grid(kind, &mut members)? {
            Spec::Grid {
                source, precision, ..
            } => (source, Kind::Tile(precision)),
            _ => return Err(SearchError::parsing(format!("the source [{name}] is no grid"))),
        },
        other => return Err(SearchError::parsing(format!("invalid source type: {other}"))),
    };
    members.end()?;
    Ok(Part {
        name: name.to_owned(),
        source,
        kind,
        descending,
        missing_bucket,
    })
}
