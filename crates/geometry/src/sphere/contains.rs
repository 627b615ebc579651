//! What lies within polygons.

use super::arc::{self, Arc};
use super::parts::line_arcs;
use super::vector::{Vector, angle};
use super::{GoesOn, Loop, Parts, Polygon, TOLERANCE};

/// Whether each part lies within one of the polygons.
pub(crate) fn within_polygons(parts: &Parts, polygons: &[Polygon], goes_on: GoesOn<'_>) -> bool {
    let compared: usize = polygons.iter().map(Polygon::size).sum();
    let one = |holds: &dyn Fn(&Polygon) -> bool| polygons.iter().any(holds);
    parts
        .points
        .iter()
        .all(|point| goes_on(compared) && one(&|polygon| polygon.contains(*point)))
        && parts
            .lines
            .iter()
            .all(|line| one(&|polygon| contains_line(polygon, line, goes_on)))
        && parts
            .polygons
            .iter()
            .all(|inner| one(&|polygon| contains_polygon(polygon, inner, goes_on)))
}

fn contains_line(polygon: &Polygon, line: &[Vector], goes_on: GoesOn<'_>) -> bool {
    let compared = polygon.size();
    line_arcs(line).all(|edge| goes_on(compared) && contains_arc(polygon, edge))
}

/// The border must be within, none of the outer polygon's own border inside of the inner one, and at least one point of the
/// inside within: it could fill a hole exactly.
fn contains_polygon(polygon: &Polygon, inner: &Polygon, goes_on: GoesOn<'_>) -> bool {
    let (compared, compared_inner) = (polygon.size(), inner.size());
    inner
        .arcs()
        .all(|edge| goes_on(compared) && contains_arc(polygon, edge))
        && !polygon
            .loops()
            .flat_map(Loop::vertices)
            .any(|vertex| !goes_on(compared_inner) || inner.contains_strictly(*vertex))
        && inner.point_inside().is_none_or(|point| polygon.contains(point))
}

/// Whether a whole arc lies within: its ends, and a point between each two of the places where it meets the border.
fn contains_arc(polygon: &Polygon, edge: Arc) -> bool {
    if !polygon.contains(edge.0) || !polygon.contains(edge.1) {
        return false;
    }
    let whole = angle(edge.0, edge.1);
    let mut ways = vec![0.0, whole];
    for border in polygon.arcs().filter(|border| arc::meet(edge, *border)) {
        if arc::cross_each_other(edge, border) {
            ways.push(arc::crossing_way(edge, border));
        }
        for end in [border.0, border.1] {
            if arc::distance(end, edge) <= TOLERANCE {
                ways.push(angle(edge.0, end));
            }
        }
    }
    ways.sort_by(f64::total_cmp);
    ways.windows(2)
        .filter(|pair| pair[1] - pair[0] > TOLERANCE)
        .all(|pair| polygon.contains(arc::along(edge, f64::midpoint(pair[0], pair[1]))))
}
