//! Coordinate reference systems.

use crate::error::{Result, wrong};
use value::{DocumentRef, ValueRef};

/// The system of a GeoJSON object's coordinates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Crs {
    /// WGS84; a polygon is the smaller of the two areas that its loop divides the sphere into.
    Wgs84,
    /// The same, but a polygon is what lies left of its loop.
    StrictWinding,
}

/// What a GeoJSON object says of its system.
pub(super) fn crs(document: DocumentRef<'_>) -> Result<Crs> {
    let system = match document.get("crs") {
        None => return Ok(Crs::Wgs84),
        Some(ValueRef::Document(system)) => system,
        Some(_) => return wrong("GeoJSON CRS must be an object"),
    };
    if !matches!(system.get("type"), Some(ValueRef::String("name"))) {
        return wrong("GeoJSON CRS must have the field \"type\": \"name\"");
    }
    let Some(ValueRef::Document(properties)) = system.get("properties") else {
        return wrong("CRS must have the field \"properties\", which is an object");
    };
    match properties.get("name") {
        Some(ValueRef::String("urn:ogc:def:crs:OGC:1.3:CRS84" | "EPSG:4326")) => Ok(Crs::Wgs84),
        Some(ValueRef::String("urn:x-mongodb:crs:strictwinding:EPSG:4326")) => Ok(Crs::StrictWinding),
        Some(ValueRef::String(name)) => wrong(format!("Unknown CRS name: {name}")),
        _ => wrong("In CRS, \"properties.name\" must be a string"),
    }
}
