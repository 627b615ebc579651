//! Places: GeoJSON geometries (RFC 7946) and MongoDB's older pairs of coordinates.
//!
//! [`Geometry::parse`] reads what a 2dsphere index holds and refuses what MongoDB refuses there; [`planar_points`]
//! reads what a 2d index holds.

mod parse;
mod ring;

use crate::{DocumentRef, ValueRef};

/// A longitude (-180 to 180) and a latitude (-90 to 90), in degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Position {
    /// East of Greenwich.
    pub longitude: f64,
    /// North of the equator.
    pub latitude: f64,
}

/// A geometry on the sphere.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// One position.
    Point(Position),
    /// At least two positions.
    LineString(Vec<Position>),
    /// Closed rings: the outer one, then its holes.
    Polygon(Vec<Vec<Position>>),
    /// Some points.
    MultiPoint(Vec<Position>),
    /// Some lines.
    MultiLineString(Vec<Vec<Position>>),
    /// Some polygons.
    MultiPolygon(Vec<Vec<Vec<Position>>>),
    /// Some geometries of any kind.
    Collection(Vec<Geometry>),
}

impl Geometry {
    /// Reads a GeoJSON object, or a pair of coordinates as an array or as a document of two numbers. The error says
    /// what is wrong.
    pub fn parse(value: ValueRef<'_>) -> Result<Geometry, String> {
        parse::geometry(value)
    }
}

/// The points that a 2d index takes from a value: a pair of numbers, or an array of such pairs. The error says what is
/// wrong.
pub fn planar_points(value: ValueRef<'_>) -> Result<Vec<[f64; 2]>, String> {
    if let Some(pair) = pair(value) {
        return Ok(vec![pair]);
    }
    match value {
        ValueRef::Array(array) if !array.is_empty() => array
            .iter()
            .map(|element| pair(element).ok_or_else(|| not_a_pair(element)))
            .collect(),
        other => Err(not_a_pair(other)),
    }
}

fn not_a_pair(value: ValueRef<'_>) -> String {
    format!(
        "location object expected, location array not in correct format: a {} is no pair of numbers",
        value.type_of().alias()
    )
}

/// The first two numbers of an array or a document.
fn pair(value: ValueRef<'_>) -> Option<[f64; 2]> {
    let (first, second) = match value {
        ValueRef::Array(array) => (array.get(0)?, array.get(1)?),
        ValueRef::Document(document) => first_two(document)?,
        _ => return None,
    };
    if !first.is_number() || !second.is_number() {
        return None;
    }
    Some([first.as_f64()?, second.as_f64()?])
}

fn first_two(document: DocumentRef<'_>) -> Option<(ValueRef<'_>, ValueRef<'_>)> {
    let mut values = document.iter().map(|(_, value)| value);
    Some((values.next()?, values.next()?))
}
