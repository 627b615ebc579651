//! GeoJSON geometries.

use crate::sphere::Parts;

/// A longitude (-180 to 180) and a latitude (-90 to 90), in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// East of Greenwich.
    pub longitude: f64,
    /// North of the equator.
    pub latitude: f64,
}

/// The types of GeoJSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are GeoJSON's")]
pub enum GeometryKind {
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    GeometryCollection,
}

impl GeometryKind {
    /// The type of this name.
    pub(crate) fn named(name: &str) -> Option<GeometryKind> {
        Some(match name {
            "Point" => GeometryKind::Point,
            "LineString" => GeometryKind::LineString,
            "Polygon" => GeometryKind::Polygon,
            "MultiPoint" => GeometryKind::MultiPoint,
            "MultiLineString" => GeometryKind::MultiLineString,
            "MultiPolygon" => GeometryKind::MultiPolygon,
            "GeometryCollection" => GeometryKind::GeometryCollection,
            _ => return None,
        })
    }
}

/// A geometry on the sphere.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    pub(crate) kind: GeometryKind,
    pub(crate) parts: Parts,
    /// Of a point: where it is.
    pub(crate) position: Option<Position>,
}

impl Geometry {
    /// Its type.
    pub fn kind(&self) -> GeometryKind {
        self.kind
    }

    /// Where it is, if it is a point.
    pub fn position(&self) -> Option<Position> {
        self.position
    }

    /// Whether it has polygons, so that something can be within.
    pub fn has_area(&self) -> bool {
        !self.parts.polygons.is_empty()
    }

    /// The point at a position.
    pub(crate) fn point(position: Position) -> Geometry {
        Geometry {
            kind: GeometryKind::Point,
            parts: Parts {
                points: vec![crate::sphere::vector::at(position)],
                ..Parts::default()
            },
            position: Some(position),
        }
    }
}
