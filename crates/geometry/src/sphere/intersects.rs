//! What shares a point.

use super::arc;
use super::vector::angle;
use super::{Parts, Polygon, TOLERANCE};

/// Whether two geometries have a point in common.
pub(crate) fn intersects(a: &Parts, b: &Parts) -> bool {
    points_meet(a, b) || points_meet(b, a) || borders_meet(a, b) || holds_one(a, b) || holds_one(b, a)
}

/// Whether a point of the first is on the second.
fn points_meet(a: &Parts, b: &Parts) -> bool {
    a.points.iter().any(|point| {
        b.points.iter().any(|other| angle(*point, *other) <= TOLERANCE)
            || b.lines
                .iter()
                .flat_map(|line| super::parts::line_arcs(line))
                .any(|edge| arc::distance(*point, edge) <= TOLERANCE)
            || b.polygons.iter().any(|polygon| polygon.contains(*point))
    })
}

fn borders_meet(a: &Parts, b: &Parts) -> bool {
    a.arcs().any(|edge| b.arcs().any(|other| arc::meet(edge, other)))
}

/// Whether a line or polygon of the second is inside of a polygon of the first. Where borders do not meet, one of its
/// vertices tells.
fn holds_one(a: &Parts, b: &Parts) -> bool {
    let lines = b.lines.iter().filter_map(|line| line.first());
    let loops = b.polygons.iter().flat_map(Polygon::loops);
    let mut tellers = lines.chain(loops.filter_map(|one| one.vertices().first()));
    tellers.any(|vertex| a.polygons.iter().any(|polygon| polygon.contains_inside(*vertex)))
}
