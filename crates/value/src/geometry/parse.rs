//! From values to geometries.

use super::ring::check_ring;
use super::{Geometry, Position, pair};
use crate::{ArrayRef, DocumentRef, ValueRef};

/// Geometry collections do not nest deeper than documents may.
const COLLECTION_DEPTH_MAX: usize = 32;

/// The names of the one coordinate system that there is.
const WGS84: [&str; 2] = ["urn:ogc:def:crs:OGC:1.3:CRS84", "EPSG:4326"];

/// Reads any geometry.
pub(super) fn geometry(value: ValueRef<'_>) -> Result<Geometry, String> {
    match value {
        ValueRef::Document(document) if document.get("type").is_some() => {
            geo_json(document, COLLECTION_DEPTH_MAX)
        }
        ValueRef::Document(_) | ValueRef::Array(_) => {
            let [longitude, latitude] = pair(value)
                .ok_or_else(|| "unknown GeoJSON type, and no pair of coordinates either".to_owned())?;
            within_bounds(longitude, latitude).map(Geometry::Point)
        }
        other => Err(format!(
            "geo element must be an array or object, not a {}",
            other.type_of().alias()
        )),
    }
}

fn geo_json(document: DocumentRef<'_>, depth: usize) -> Result<Geometry, String> {
    check_coordinate_system(document)?;
    let Some(ValueRef::String(kind)) = document.get("type") else {
        return Err("the type of a GeoJSON object must be a string".to_owned());
    };
    let coordinates = || match document.get("coordinates") {
        Some(ValueRef::Array(array)) => Ok(array),
        _ => Err(format!("GeoJSON coordinates of a {kind} must be an array")),
    };
    match kind {
        "Point" => position(ValueRef::Array(coordinates()?)).map(Geometry::Point),
        "LineString" => line(coordinates()?).map(Geometry::LineString),
        "Polygon" => polygon(coordinates()?).map(Geometry::Polygon),
        "MultiPoint" => some(coordinates()?, position).map(Geometry::MultiPoint),
        "MultiLineString" => {
            some(coordinates()?, |element| line(array(element)?)).map(Geometry::MultiLineString)
        }
        "MultiPolygon" => {
            some(coordinates()?, |element| polygon(array(element)?)).map(Geometry::MultiPolygon)
        }
        "GeometryCollection" => collection(document, depth),
        other => Err(format!("unknown GeoJSON type: {other}")),
    }
}

fn collection(document: DocumentRef<'_>, depth: usize) -> Result<Geometry, String> {
    let Some(ValueRef::Array(geometries)) = document.get("geometries") else {
        return Err("GeometryCollection geometries must be an array".to_owned());
    };
    let depth = depth
        .checked_sub(1)
        .ok_or_else(|| format!("GeometryCollections nest no deeper than {COLLECTION_DEPTH_MAX}"))?;
    let parsed = some(geometries, |element| match element {
        ValueRef::Document(inner) => geo_json(inner, depth),
        _ => Err("each of the geometries must be an object".to_owned()),
    });
    parsed.map(Geometry::Collection)
}

fn check_coordinate_system(document: DocumentRef<'_>) -> Result<(), String> {
    let Some(system) = document.get("crs") else {
        return Ok(());
    };
    let name = match system {
        ValueRef::Document(system) => match system.get("properties") {
            Some(ValueRef::Document(properties)) => properties.get("name"),
            _ => None,
        },
        _ => None,
    };
    match name {
        Some(ValueRef::String(name)) if WGS84.contains(&name) => Ok(()),
        Some(ValueRef::String(name)) => Err(format!("unknown CRS name: {name}")),
        _ => Err("a GeoJSON CRS must be an object with properties.name".to_owned()),
    }
}

fn array(value: ValueRef<'_>) -> Result<ArrayRef<'_>, String> {
    match value {
        ValueRef::Array(array) => Ok(array),
        _ => Err("GeoJSON coordinates must be an array of arrays".to_owned()),
    }
}

/// All elements of an array that may not be empty.
fn some<'a, T>(
    array: ArrayRef<'a>,
    read: impl Fn(ValueRef<'a>) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    if array.is_empty() {
        return Err("a multi-part GeoJSON geometry must have at least one part".to_owned());
    }
    array.iter().map(read).collect()
}

fn position(value: ValueRef<'_>) -> Result<Position, String> {
    let ValueRef::Array(_) = value else {
        return Err("a GeoJSON position must be an array".to_owned());
    };
    let [longitude, latitude] =
        pair(value).ok_or_else(|| "a position must be an array of at least two numbers".to_owned())?;
    within_bounds(longitude, latitude)
}

fn within_bounds(longitude: f64, latitude: f64) -> Result<Position, String> {
    if !(-180.0..=180.0).contains(&longitude) || !(-90.0..=90.0).contains(&latitude) {
        return Err(format!(
            "longitude/latitude is out of bounds, lng: {longitude} lat: {latitude}"
        ));
    }
    Ok(Position { longitude, latitude })
}

fn line(coordinates: ArrayRef<'_>) -> Result<Vec<Position>, String> {
    let positions: Vec<Position> = coordinates.iter().map(position).collect::<Result<_, _>>()?;
    if positions
        .first()
        .is_none_or(|first| positions.iter().all(|other| other == first))
    {
        return Err("a GeoJSON LineString must have at least 2 different vertices".to_owned());
    }
    Ok(positions)
}

fn polygon(coordinates: ArrayRef<'_>) -> Result<Vec<Vec<Position>>, String> {
    some(coordinates, |element| {
        let mut ring: Vec<Position> = array(element)?.iter().map(position).collect::<Result<_, _>>()?;
        check_ring(&mut ring)?;
        Ok(ring)
    })
}
