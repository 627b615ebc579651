//! The cells of geometries, areas and rings on the sphere.

use super::cover::cover;
use super::cube::CubeCell;
use super::{Range, Relation, ring_relation};
use crate::sphere::vector::{angle, at};
use crate::sphere::{Parts, arc};
use crate::{Area, Geometry, Position};

/// The cells by which a line or polygon is kept: each is an entry.
const ENTRIES_MAX: usize = 12;

/// The cells of an area that is looked for: each is a range.
const RANGES_MAX: usize = 32;

/// Cells reach this far, in radians, beyond what is exact: more than the tolerance of predicates.
const MARGIN: f64 = 1e-8;

/// The numbers of the cells by which a geometry is kept.
pub fn of_geometry(geometry: &Geometry) -> Vec<i64> {
    let parts = &geometry.parts;
    let mut numbers: Vec<i64> = parts
        .points
        .iter()
        .map(|point| CubeCell::at(*point).number())
        .collect();
    if !parts.lines.is_empty() || !parts.polygons.is_empty() {
        let extended = Parts {
            points: Vec::new(),
            ..parts.clone()
        };
        let cells = cover(CubeCell::roots(), ENTRIES_MAX, |cell| {
            relation_of_parts(cell, &extended)
        });
        numbers.extend(cells.into_iter().map(CubeCell::number));
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// The ranges in which all that meets an area is kept; `None` if it is not on the sphere.
pub fn on_sphere(area: &Area) -> Option<Vec<Range>> {
    let cells = match area {
        Area::Flat(_) => return None,
        Area::Cap(cap) => return Some(ring_on_sphere(cap.centre, 0.0, cap.radius)),
        Area::Geometry(geometry) => cover(CubeCell::roots(), RANGES_MAX, |cell| {
            relation_of_parts(cell, &geometry.parts)
        }),
    };
    Some(ranges(cells))
}

/// The ranges in which all is kept that is between these distances, in radians, from a position.
pub fn ring_on_sphere(centre: Position, from: f64, to: f64) -> Vec<Range> {
    let centre = at(centre);
    let cells = cover(CubeCell::roots(), RANGES_MAX, |cell| {
        let (middle, radius) = cell.circle();
        ring_relation(angle(centre, middle), radius, from - MARGIN, to + MARGIN)
    });
    ranges(cells)
}

fn relation_of_parts(cell: CubeCell, parts: &Parts) -> Relation {
    let (middle, radius) = cell.circle();
    let reach = radius + MARGIN;
    let overlaps = parts.points.iter().any(|point| angle(*point, middle) <= reach)
        || parts
            .lines
            .iter()
            .flat_map(|line| line.windows(2))
            .any(|edge| arc::distance(middle, (edge[0], edge[1])) <= reach)
        || parts
            .polygons
            .iter()
            .any(|polygon| polygon.border_may_reach(middle, reach));
    if overlaps {
        Relation::Overlaps
    } else if parts
        .polygons
        .iter()
        .any(|polygon| polygon.contains_inside(middle))
    {
        Relation::Inside
    } else {
        Relation::Outside
    }
}

/// What is in the cells, and the larger cells that they lie in.
fn ranges(cells: Vec<CubeCell>) -> Vec<Range> {
    let mut ranges: Vec<Range> = cells.iter().map(|cell| cell.range()).collect();
    for cell in cells {
        let mut around = cell.parent();
        while let Some(larger) = around {
            ranges.push((larger.number(), larger.number()));
            around = larger.parent();
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges
}
