//! From values to geometries.

mod crs;
mod figure;
mod pair;

use crate::error::{Result, wrong};
use crate::sphere::Parts;
use crate::{Geometry, GeometryKind, Position, Stored};
use crs::{Crs, crs};
pub(crate) use pair::{in_bounds, numbers, pair};
use value::{ArrayRef, DocumentRef, ValueRef};

/// What a document's field holds: GeoJSON, or a pair of coordinates.
pub(crate) fn stored(value: ValueRef<'_>) -> Result<Stored> {
    match value {
        ValueRef::Document(document) if !starts_with_number(document) => {
            geo_json(document, false).map(Stored::Geometry)
        }
        ValueRef::Document(_) | ValueRef::Array(_) => pair(value).map(Stored::Pair),
        other => wrong(format!(
            "geo element must be an array or object: a {} is neither",
            other.type_of().alias()
        )),
    }
}

/// The `$geometry` of a query: GeoJSON, where a polygon may be larger than a hemisphere, or a pair of coordinates.
pub(crate) fn queried(value: ValueRef<'_>) -> Result<Geometry> {
    match value {
        ValueRef::Document(document) if !starts_with_number(document) => geo_json(document, true),
        ValueRef::Document(_) | ValueRef::Array(_) => in_bounds(pair(value)?).map(Geometry::point),
        other => wrong(format!(
            "$geometry must be an object, not a {}",
            other.type_of().alias()
        )),
    }
}

/// The GeoJSON point that distances are counted from: like MongoDB, it may be without a type.
pub(crate) fn queried_point(document: DocumentRef<'_>) -> Result<Position> {
    match document.get("type") {
        None | Some(ValueRef::String("Point")) => {}
        Some(_) => return wrong("Expected geojson geometry with type Point"),
    }
    if crs(document)? == Crs::StrictWinding {
        return wrong("Strict winding order CRS is only supported by polygon");
    }
    coordinates(document)
}

/// Where a GeoJSON point is.
fn coordinates(point: DocumentRef<'_>) -> Result<Position> {
    match point.get("coordinates") {
        Some(coordinates) => in_bounds(pair(coordinates)?),
        None => wrong("Point must be an array or object: it has no coordinates"),
    }
}

/// Whether a document is a pair of coordinates and not GeoJSON.
pub(crate) fn starts_with_number(document: DocumentRef<'_>) -> bool {
    document.iter().next().is_some_and(|(_, value)| value.is_number())
}

fn geo_json(document: DocumentRef<'_>, is_query: bool) -> Result<Geometry> {
    let kind = match document.get("type") {
        Some(ValueRef::String(name)) => match GeometryKind::named(name) {
            Some(kind) => kind,
            None => return wrong(format!("unknown GeoJSON type: {name}")),
        },
        Some(_) => return wrong("the type of a GeoJSON object must be a string"),
        None => return wrong("unknown geo specifier: an object without type, and no pair of coordinates"),
    };
    let mut parts = Parts::default();
    if kind == GeometryKind::GeometryCollection {
        collection(document, &mut parts)?;
        return Ok(Geometry {
            kind,
            parts,
            position: None,
        });
    }
    let strict = crs(document)? == Crs::StrictWinding;
    if strict && !(is_query && kind == GeometryKind::Polygon) {
        return wrong("the strict winding order CRS is only for the polygons of queries");
    }
    if kind == GeometryKind::Point {
        return coordinates(document).map(Geometry::point);
    }
    let Some(ValueRef::Array(coordinates)) = document.get("coordinates") else {
        return wrong("GeoJSON coordinates must be an array");
    };
    match kind {
        GeometryKind::LineString => parts.lines.push(figure::line(coordinates)?),
        GeometryKind::Polygon if strict => parts.polygons.push(figure::oriented_polygon(coordinates)?),
        GeometryKind::Polygon => parts.polygons.push(figure::polygon(coordinates)?),
        GeometryKind::MultiPoint => parts.points = some(coordinates, figure::point)?,
        GeometryKind::MultiLineString => {
            parts.lines = some(coordinates, |element| figure::line(array(element)?))?;
        }
        _ => parts.polygons = some(coordinates, |element| figure::polygon(array(element)?))?,
    }
    Ok(Geometry {
        kind,
        parts,
        position: None,
    })
}

fn collection(document: DocumentRef<'_>, parts: &mut Parts) -> Result<()> {
    let Some(ValueRef::Array(geometries)) = document.get("geometries") else {
        return wrong("GeometryCollection geometries must be an array");
    };
    if geometries.is_empty() {
        return wrong("GeometryCollection geometries must have at least 1 element");
    }
    for element in geometries.iter() {
        let ValueRef::Document(inner) = element else {
            return wrong("each of the geometries of a GeometryCollection must be an object");
        };
        if matches!(inner.get("type"), Some(ValueRef::String("GeometryCollection"))) {
            return wrong("GeometryCollections cannot be nested");
        }
        let inner = geo_json(inner, false)?.parts;
        parts.points.extend(inner.points);
        parts.lines.extend(inner.lines);
        parts.polygons.extend(inner.polygons);
    }
    Ok(())
}

fn array(value: ValueRef<'_>) -> Result<ArrayRef<'_>> {
    match value {
        ValueRef::Array(array) => Ok(array),
        _ => wrong("GeoJSON coordinates must be an array of coordinates"),
    }
}

/// All elements of an array that may not be empty.
fn some<'a, T>(array: ArrayRef<'a>, read: impl Fn(ValueRef<'a>) -> Result<T>) -> Result<Vec<T>> {
    if array.is_empty() {
        return wrong("a multi-part GeoJSON geometry must have at least one part");
    }
    array.iter().map(read).collect()
}
