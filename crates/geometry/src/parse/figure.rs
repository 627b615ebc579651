//! Coordinates into points, lines and polygons, with what must hold of each.

use super::{array, in_bounds, pair, some};
use crate::Position;
use crate::error::{Result, wrong};
use crate::sphere::vector::{Vector, at, length};
use crate::sphere::{Loop, Polygon, check_holes, check_simple, vector};
use value::{ArrayRef, ValueRef};

/// Ends of an edge nearer to opposite than this have no edge between them.
const OPPOSITE: f64 = 1e-15;

/// One position.
fn position(value: ValueRef<'_>) -> Result<Position> {
    let ValueRef::Array(_) = value else {
        return wrong("Point must be an array");
    };
    in_bounds(pair(value)?)
}

/// One point.
pub(super) fn point(value: ValueRef<'_>) -> Result<Vector> {
    position(value).map(at)
}

/// A line.
pub(super) fn line(coordinates: ArrayRef<'_>) -> Result<Vec<Vector>> {
    let mut vertices: Vec<Vector> = coordinates.iter().map(point).collect::<Result<_>>()?;
    vertices.dedup();
    if vertices.len() < 2 {
        return wrong("GeoJSON LineString must have at least 2 different vertices");
    }
    check_edges(&vertices)?;
    Ok(vertices)
}

/// A polygon whose loops may be drawn either way round.
pub(super) fn polygon(coordinates: ArrayRef<'_>) -> Result<Polygon> {
    let mut loops = some(coordinates, |element| {
        vertices(array(element)?).map(Loop::around_smaller)
    })?;
    let polygon = Polygon {
        outer: loops.remove(0),
        holes: loops,
    };
    check_holes(&polygon)?;
    Ok(polygon)
}

/// The polygon left of its only loop.
pub(super) fn oriented_polygon(coordinates: ArrayRef<'_>) -> Result<Polygon> {
    let mut loops = some(coordinates, |element| vertices(array(element)?))?;
    if loops.len() > 1 {
        return wrong("Only one simple loop is allowed in a polygon with strict winding order");
    }
    Ok(Polygon {
        outer: Loop::oriented(loops.remove(0)),
        holes: Vec::new(),
    })
}

/// The vertices of a loop, each once.
fn vertices(ring: ArrayRef<'_>) -> Result<Vec<Vector>> {
    let positions: Vec<Position> = ring.iter().map(position).collect::<Result<_>>()?;
    if positions.first() != positions.last() || positions.len() < 4 {
        return wrong("Loop is not closed: it needs at least 4 positions, the last the same as the first");
    }
    let mut vertices: Vec<Vector> = positions.into_iter().map(at).collect();
    vertices.dedup();
    vertices.pop();
    if vertices.len() < 3 {
        return wrong("Loop must have at least 3 different vertices");
    }
    check_distinct(&vertices)?;
    check_edges(&vertices)?;
    check_simple(&vertices)?;
    Ok(vertices)
}

fn check_distinct(vertices: &[Vector]) -> Result<()> {
    let mut sorted = vertices.to_vec();
    sorted.sort_by(|a, b| {
        a[0].total_cmp(&b[0])
            .then(a[1].total_cmp(&b[1]))
            .then(a[2].total_cmp(&b[2]))
    });
    if sorted.windows(2).any(|two| two[0] == two[1]) {
        return wrong("Loop is not valid: it has a vertex twice");
    }
    Ok(())
}

fn check_edges(vertices: &[Vector]) -> Result<()> {
    let opposite = |two: &[Vector]| length(vector::add(two[0], two[1])) < OPPOSITE;
    if vertices.windows(2).any(opposite) {
        return wrong("vertices next to each other must not be on opposite sides of the sphere");
    }
    Ok(())
}
