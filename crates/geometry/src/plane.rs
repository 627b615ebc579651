//! Shapes on a plane.

use crate::error::{Result, wrong};
use crate::parse::pair;
use value::ValueRef;

/// A shape on a plane. Its border belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// From the lower left corner to the upper right one.
    Box([f64; 2], [f64; 2]),
    /// Centre and radius.
    Circle([f64; 2], f64),
    /// At least three corners.
    Polygon(Vec<[f64; 2]>),
}

impl Shape {
    /// Reads two opposite corners.
    pub(crate) fn parse_box(value: ValueRef<'_>) -> Result<Shape> {
        let mut corners = points(value, "$box")?.into_iter();
        let (Some(a), Some(b)) = (corners.next(), corners.next()) else {
            return wrong("$box needs two corners");
        };
        let (a, b) = (only_pair(a)?, only_pair(b)?);
        Ok(Shape::Box(
            [a[0].min(b[0]), a[1].min(b[1])],
            [a[0].max(b[0]), a[1].max(b[1])],
        ))
    }

    /// Reads `[centre, radius]`.
    pub(crate) fn parse_circle(value: ValueRef<'_>) -> Result<Shape> {
        let (centre, radius) = centre_and_radius(value, "$center")?;
        Ok(Shape::Circle(centre, radius))
    }

    /// Reads corners.
    pub(crate) fn parse_polygon(value: ValueRef<'_>) -> Result<Shape> {
        let corners: Vec<[f64; 2]> = points(value, "$polygon")?
            .into_iter()
            .map(only_pair)
            .collect::<Result<_>>()?;
        if corners.len() < 3 {
            return wrong("Polygon must have at least 3 points");
        }
        Ok(Shape::Polygon(corners))
    }

    /// How many edges it has.
    pub(crate) fn size(&self) -> usize {
        match self {
            Shape::Polygon(corners) => corners.len(),
            Shape::Box(..) | Shape::Circle(..) => 1,
        }
    }

    /// Whether a point is in it or on its border.
    pub fn contains(&self, point: [f64; 2]) -> bool {
        match self {
            Shape::Box(low, high) => (0..2).all(|axis| (low[axis]..=high[axis]).contains(&point[axis])),
            Shape::Circle(centre, radius) => distance(*centre, point) <= *radius,
            Shape::Polygon(corners) => polygon_contains(corners, point),
        }
    }
}

/// Reads `[point, radius]`, which `$center` and `$centerSphere` share.
pub(crate) fn centre_and_radius(value: ValueRef<'_>, name: &str) -> Result<([f64; 2], f64)> {
    let parts = points(value, name)?;
    let &[centre, radius] = parts.as_slice() else {
        return wrong(format!("{name} needs a point and a radius"));
    };
    match radius.as_f64().filter(|_| radius.is_number()) {
        Some(number) if number >= 0.0 => Ok((only_pair(centre)?, number)),
        _ => wrong(format!("radius must be a non-negative number in {name}")),
    }
}

/// A point of a query: two numbers and nothing more.
fn only_pair(value: ValueRef<'_>) -> Result<[f64; 2]> {
    let count = match value {
        ValueRef::Array(array) => array.iter().count(),
        ValueRef::Document(document) => document.iter().count(),
        _ => 0,
    };
    if count != 2 {
        return wrong("Point must be an array or object of exactly two numbers");
    }
    pair(value)
}

/// The elements of an array, or the values of a document.
pub(crate) fn points<'a>(value: ValueRef<'a>, name: &str) -> Result<Vec<ValueRef<'a>>> {
    match value {
        ValueRef::Array(array) => Ok(array.iter().collect()),
        ValueRef::Document(document) => Ok(document.iter().map(|(_, value)| value).collect()),
        _ => wrong(format!("unknown geo specifier: {name} must be an array")),
    }
}

/// How far two points are.
pub(crate) fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// The edges of a polygon.
pub(crate) fn edges(corners: &[[f64; 2]]) -> impl Iterator<Item = ([f64; 2], [f64; 2])> {
    let ends = corners.iter().skip(1).chain(corners.first());
    corners.iter().copied().zip(ends.copied())
}

/// How far a point is from a line between two others.
pub(crate) fn distance_to_edge(point: [f64; 2], (a, b): ([f64; 2], [f64; 2])) -> f64 {
    let (x, y) = (b[0] - a[0], b[1] - a[1]);
    let squared = x * x + y * y;
    if squared == 0.0 {
        return distance(point, a);
    }
    let along = (((point[0] - a[0]) * x + (point[1] - a[1]) * y) / squared).clamp(0.0, 1.0);
    distance(point, [a[0] + along * x, a[1] + along * y])
}

/// Whether a ray to the right of the point crosses the border an odd number of times. Of the border, corners and edges
/// parallel to an axis are inside, and of the others those on the right: as MongoDB has it.
fn polygon_contains(corners: &[[f64; 2]], [x, y]: [f64; 2]) -> bool {
    let mut inside = false;
    for (a, b) in edges(corners) {
        let between = |low: f64, high: f64, at: f64| (low.min(high)..=low.max(high)).contains(&at);
        let on_edge = (a[0] == b[0] && a[0] == x && between(a[1], b[1], y))
            || (a[1] == b[1] && a[1] == y && between(a[0], b[0], x));
        if on_edge || [x, y] == a {
            return true;
        }
        if y > a[1].min(b[1]) && y <= a[1].max(b[1]) {
            let crossing = (y - a[1]) * (b[0] - a[0]) / (b[1] - a[1]) + a[0];
            inside ^= x <= crossing;
        }
    }
    inside
}
