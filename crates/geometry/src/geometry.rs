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
pub enum Kind {
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    GeometryCollection,
}

impl Kind {
    /// The type of this name.
    pub(crate) fn named(name: &str) -> Option<Kind> {
        Some(match name {
            "Point" => Kind::Point,
            "LineString" => Kind::LineString,
            "Polygon" => Kind::Polygon,
            "MultiPoint" => Kind::MultiPoint,
            "MultiLineString" => Kind::MultiLineString,
            "MultiPolygon" => Kind::MultiPolygon,
            "GeometryCollection" => Kind::GeometryCollection,
            _ => return None,
        })
    }
}

/// A geometry on the sphere.
#[derive(Clone, Debug, PartialEq)]
pub struct Geometry {
    pub(crate) kind: Kind,
    pub(crate) parts: Parts,
    /// Of a point: where it is.
    pub(crate) position: Option<Position>,
}

impl Geometry {
    /// Its type.
    pub fn kind(&self) -> Kind {
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
            kind: Kind::Point,
            parts: Parts {
                points: vec![crate::sphere::vector::at(position)],
                ..Parts::default()
            },
            position: Some(position),
        }
    }
}
