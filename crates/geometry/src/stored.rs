//! Places as documents hold them.

use crate::error::GeometryError;
use crate::{Geometry, parse};
use std::borrow::Cow;
use value::ValueRef;

/// A place in a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Stored {
    /// A pair of coordinates: a point on a plane, and on the sphere if it is in its bounds.
    Pair([f64; 2]),
    /// GeoJSON.
    Geometry(Geometry),
}

impl Stored {
    /// Reads a GeoJSON object, or a pair of coordinates as an array or as a document of two numbers. The error says
    /// what is wrong.
    pub fn parse(value: ValueRef<'_>) -> Result<Stored, GeometryError> {
        parse::stored(value)
    }

    /// The point on a plane; `None` for other geometries than points.
    pub fn on_plane(&self) -> Option<[f64; 2]> {
        match self {
            Stored::Pair(pair) => Some(*pair),
            Stored::Geometry(geometry) => geometry
                .position()
                .map(|position| [position.longitude, position.latitude]),
        }
    }

    /// The geometry on the sphere; the error says which bounds a pair is out of.
    pub fn on_sphere(&self) -> Result<Cow<'_, Geometry>, GeometryError> {
        match self {
            Stored::Pair(pair) => {
                parse::in_bounds(*pair).map(|position| Cow::Owned(Geometry::point(position)))
            }
            Stored::Geometry(geometry) => Ok(Cow::Borrowed(geometry)),
        }
    }
}

/// The points that a 2d index takes from a value: a pair of numbers, or an array of such pairs. Empty documents and arrays, and
/// values that are neither, have none. The error says what is wrong.
pub fn planar_points(value: ValueRef<'_>) -> Result<Vec<[f64; 2]>, GeometryError> {
    if let Some(pair) = parse::numbers(value) {
        return Ok(vec![pair]);
    }
    match value {
        ValueRef::Array(array) => array
            .iter()
            .filter(|element| !holds_nothing(*element))
            .map(|element| parse::numbers(element).ok_or_else(|| not_a_pair(element)))
            .collect(),
        ValueRef::Document(_) if !holds_nothing(value) => Err(not_a_pair(value)),
        _ => Ok(Vec::new()),
    }
}

/// Whether a value is an empty array or document, which stands for no place.
pub fn holds_nothing(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::Array(array) => array.is_empty(),
        ValueRef::Document(document) => document.iter().next().is_none(),
        _ => false,
    }
}

fn not_a_pair(value: ValueRef<'_>) -> GeometryError {
    GeometryError::new(
        code::Code::BAD_VALUE,
        format!(
            "location object expected, location array not in correct format: a {} is no pair of numbers",
            value.type_of().alias()
        ),
    )
}
