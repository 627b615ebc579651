//! Arcs: the shorter great circle between two points.

use super::TOLERANCE;
use super::vector::{Vector, add, angle, cross, dot, length, normal, scale, side, subtract, unit};

/// An arc.
pub(crate) type Arc = (Vector, Vector);

/// How far a point is from an arc.
pub(crate) fn distance(point: Vector, (a, b): Arc) -> f64 {
    let normal = normal(a, b);
    let size = length(normal);
    let beside = size > 0.0 && dot(cross(normal, a), point) >= 0.0 && dot(cross(b, normal), point) >= 0.0;
    if beside {
        let above = dot(normal, point) / size;
        if above == 0.0 {
            return 0.0;
        }
        angle(point, unit(subtract(point, scale(normal, above / size))))
    } else {
        angle(point, a).min(angle(point, b))
    }
}

/// Whether two arcs cross. Of an arc through an end of the other, one of the two that meet there crosses it: so the
/// crossings of a loop are counted once.
pub(crate) fn cross_each_other((a, b): Arc, (c, d): Arc) -> bool {
    let (left_c, left_d) = (side(c, a, b) >= 0.0, side(d, a, b) >= 0.0);
    let (left_a, left_b) = (side(a, c, d) >= 0.0, side(b, c, d) >= 0.0);
    // The third comparison tells the crossing from its antipode.
    left_c != left_d && left_a != left_b && left_c == left_b
}

/// Whether two arcs cross or touch.
pub(crate) fn meet(first: Arc, second: Arc) -> bool {
    if far_apart(first, second) {
        return false;
    }
    cross_each_other(first, second)
        || distance(first.0, second) <= TOLERANCE
        || distance(first.1, second) <= TOLERANCE
        || distance(second.0, first) <= TOLERANCE
        || distance(second.1, first) <= TOLERANCE
}

/// A cheap look: the circles around two arcs do not meet.
fn far_apart((a, b): Arc, (c, d): Arc) -> bool {
    let gap = |x: Vector, y: Vector| {
        let d = [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
        dot(d, d).sqrt()
    };
    // Chords are never longer than arcs, and an arc no longer than pi/2 of its chord.
    let reach = (gap(a, b) + gap(c, d)) * std::f64::consts::FRAC_PI_2 + 4.0 * TOLERANCE;
    gap(a, c) > reach
}

/// The point after some way from `a` to `b`, in radians.
pub(crate) fn along((a, b): Arc, way: f64) -> Vector {
    let tangent = unit(cross(normal(a, b), a));
    unit(add(scale(a, way.cos()), scale(tangent, way.sin())))
}

/// Where two arcs that cross do so, as the way from the first's start.
pub(crate) fn crossing_way(first: Arc, second: Arc) -> f64 {
    let point = unit(cross(
        unit(normal(first.0, first.1)),
        unit(normal(second.0, second.1)),
    ));
    let nearer = if dot(point, add(first.0, first.1)) >= 0.0 {
        point
    } else {
        scale(point, -1.0)
    };
    angle(first.0, nearer)
}
