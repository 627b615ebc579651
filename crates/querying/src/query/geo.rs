//! Reading queries by places on the earth.

use super::sides::{check_box, point_of, sides};
use super::{DistanceFeatureQuery, GeoArea, GeoDistanceQuery, GeoWithinQuery, Parser, Query};
use mapping::error::{Result, SearchError};
use mapping::geo::{Point, metres};
use mapping::json::Members;
use serde_json::Value;

impl Parser {
    /// The nearer to an origin, in time or space, the better.
    pub(super) fn distance_feature(self, body: &Value) -> Result<Query> {
        let mut members = Members::of("distance_feature", body)?;
        let boost = members.boost()?;
        members.text("_name")?;
        let missing = |name: &str| SearchError::parsing(format!("Required [{name}] of [distance_feature]"));
        let field = members.text("field")?.ok_or_else(|| missing("field"))?;
        let origin = members.take("origin").cloned().ok_or_else(|| missing("origin"))?;
        let pivot = members.text("pivot")?.ok_or_else(|| missing("pivot"))?;
        members.end()?;
        Ok(Query::DistanceFeature(DistanceFeatureQuery {
            field,
            origin,
            pivot,
            boost,
        }))
    }

    pub(super) fn geo(self, name: &str, body: &Value) -> Result<Query> {
        let mut members = Members::of(name, body)?;
        let boost = members.boost()?;
        members.text("_name")?;
        let ignore_unmapped = members.flag("ignore_unmapped")?.unwrap_or(false);
        // Places that are no places are errors here, and distances are those on the sphere.
        if let Some(method) = members
            .text("validation_method")?
            .filter(|method| !method.eq_ignore_ascii_case("strict"))
        {
            return Err(SearchError::unsupported(format!("[validation_method] {method}")));
        }
        let query = match name {
            "geo_distance" => {
                let (metres, field, point) = circle(&mut members)?;
                Query::GeoDistance(GeoDistanceQuery {
                    field,
                    point,
                    metres,
                    ignore_unmapped,
                    boost,
                })
            }
            _ => {
                let (field, area) = area(name, &mut members)?;
                Query::GeoWithin(GeoWithinQuery {
                    field,
                    area,
                    ignore_unmapped,
                    boost,
                })
            }
        };
        members.end()?;
        Ok(query)
    }
}

/// How far from a place others may be, the field of those, and the place.
fn circle(members: &mut Members<'_>) -> Result<(f64, String, Value)> {
    if let Some(kind) = members.text("distance_type")?
        && !["arc", "plane"].contains(&kind.to_ascii_lowercase().as_str())
    {
        return Err(SearchError::illegal(format!("No geo distance for [{kind}]")));
    }
    let missing = || SearchError::parsing("geo_distance requires 'distance' to be specified");
    let distance = members.text("distance")?.ok_or_else(missing)?;
    let unit = members.text("unit")?.unwrap_or_default();
    let is_bare = distance.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let whole = if is_bare {
        format!("{distance}{unit}")
    } else {
        distance.clone()
    };
    let invalid = || SearchError::parsing(format!("[distance] cannot be [{distance}]"));
    let metres = metres(&whole).ok_or_else(invalid)?;
    let (field, point) = field(members, "geo_distance")?;
    point_of(point)?;
    Ok((metres, field, point.clone()))
}

/// A field of places, and the area that they lie in.
fn area(query: &str, members: &mut Members<'_>) -> Result<(String, GeoArea)> {
    if query == "geo_polygon" {
        let (field, given) = field(members, query)?;
        return Ok((field, GeoArea::Polygon(corners(given)?)));
    }
    if let Some(kind) = members.text("type")?
        && !["memory", "indexed"].contains(&kind.to_ascii_lowercase().as_str())
    {
        let reason = format!("no type can be parsed from ordinal {kind}");
        return Err(SearchError::illegal(reason));
    }
    let (field, given) = field(members, query)?;
    let sides = sides(given)?;
    check_box(sides)?;
    Ok((field, GeoArea::Box(sides)))
}

/// The corners of a polygon, of which the last may be the first again.
fn corners(given: &Value) -> Result<Vec<Point>> {
    let mut members = Members::of("geo_polygon", given)?;
    let points = match members.take("points") {
        Some(Value::Array(points)) => points.iter().map(point_of).collect::<Result<Vec<_>>>()?,
        _ => return Err(SearchError::parsing("[geo_polygon] names no [points]")),
    };
    members.end()?;
    let is_closed = points.first() == points.last();
    match points.len() >= if is_closed { 4 } else { 3 } {
        true => Ok(points),
        false if points.is_empty() => Err(SearchError::illegal("polygon must not be null or empty")),
        false => Err(SearchError::illegal(
            "too few points defined for geo_polygon query",
        )),
    }
}

fn field<'a>(members: &mut Members<'a>, name: &str) -> Result<(String, &'a Value)> {
    let (field, value) = members
        .take_first()
        .ok_or_else(|| SearchError::parsing(format!("[{name}] names no field")))?;
    Ok((field.to_owned(), value))
}
