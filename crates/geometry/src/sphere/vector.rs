//! Vectors from the sphere's middle.

use crate::Position;

/// A point of the unit sphere, or a direction.
pub(crate) type Vector = [f64; 3];

/// The point at a position.
pub(crate) fn at(position: Position) -> Vector {
    let (longitude, latitude) = (position.longitude.to_radians(), position.latitude.to_radians());
    let radius = latitude.cos();
    [longitude.cos() * radius, longitude.sin() * radius, latitude.sin()]
}

pub(crate) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(crate) fn add(a: Vector, b: Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn subtract(a: Vector, b: Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: Vector, factor: f64) -> Vector {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

pub(crate) fn length(a: Vector) -> f64 {
    dot(a, a).sqrt()
}

/// The point in a direction; the direction itself if it is none.
pub(crate) fn unit(a: Vector) -> Vector {
    let length = length(a);
    if length > 0.0 { scale(a, 1.0 / length) } else { a }
}

/// The angle between two directions.
pub(crate) fn angle(a: Vector, b: Vector) -> f64 {
    length(cross(a, b)).atan2(dot(a, b))
}

/// Twice the cross product of two points, exact even where they are near each other.
pub(crate) fn normal(a: Vector, b: Vector) -> Vector {
    cross(subtract(a, b), add(a, b))
}

/// The side of the great circle from `a` to `b` on which a point lies: positive on the left, as seen from outside.
pub(crate) fn side(point: Vector, a: Vector, b: Vector) -> f64 {
    let (from_a, from_b) = (subtract(point, a), subtract(point, b));
    // The nearer end loses the fewest digits.
    let from = if dot(from_a, from_a) <= dot(from_b, from_b) {
        from_a
    } else {
        from_b
    };
    dot(normal(a, b), from)
}
