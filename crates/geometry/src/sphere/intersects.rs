//! What shares a point.

use super::arc;
use super::vector::angle;
use super::{GoesOn, Parts, Polygon, TOLERANCE};

/// Whether two geometries have a point in common.
pub(crate) fn intersects(a: &Parts, b: &Parts, goes_on: GoesOn<'_>) -> bool {
    points_meet(a, b, goes_on)
        || points_meet(b, a, goes_on)
        || borders_meet(a, b, goes_on)
        || holds_one(a, b, goes_on)
        || holds_one(b, a, goes_on)
}

/// Whether a point of the first is on the second.
fn points_meet(a: &Parts, b: &Parts, goes_on: GoesOn<'_>) -> bool {
    let compared = b.size();
    a.points.iter().any(|point| {
        !goes_on(compared)
            || b.points.iter().any(|other| angle(*point, *other) <= TOLERANCE)
            || b.lines
                .iter()
                .flat_map(|line| super::parts::line_arcs(line))
                .any(|edge| arc::distance(*point, edge) <= TOLERANCE)
            || b.polygons.iter().any(|polygon| polygon.contains(*point))
    })
}

fn borders_meet(a: &Parts, b: &Parts, goes_on: GoesOn<'_>) -> bool {
    let compared = b.size();
    a.arcs()
        .any(|edge| !goes_on(compared) || b.arcs().any(|other| arc::meet(edge, other)))
}

/// Whether a line or polygon of the second is inside of a polygon of the first. Where borders do not meet, one of its
/// vertices tells.
fn holds_one(a: &Parts, b: &Parts, goes_on: GoesOn<'_>) -> bool {
    let compared = a.size();
    let lines = b.lines.iter().filter_map(|line| line.first());
    let loops = b.polygons.iter().flat_map(Polygon::loops);
    let mut tellers = lines.chain(loops.filter_map(|one| one.vertices().first()));
    tellers
        .any(|vertex| !goes_on(compared) || a.polygons.iter().any(|polygon| polygon.contains_inside(*vertex)))
}
