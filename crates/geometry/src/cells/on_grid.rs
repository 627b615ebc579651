//! The cells of points, areas and rings on a plane.

use super::cover::cover;
use super::grid::{Grid, GridCell};
use super::{Range, Relation, ring_relation};
use crate::plane::{distance, distance_to_edge, edges};
use crate::{Area, Cap, Centre, Shape};
use std::f64::consts::{FRAC_PI_2, PI};

/// The cells of an area that is looked for: each is a range.
const RANGES_MAX: usize = 32;

/// What is looked for on the sphere reaches this far beyond, in degrees.
const MARGIN_DEGREES: f64 = 1e-6;

/// The number of the cell by which a point is kept.
pub fn of_point(grid: Grid, point: [f64; 2]) -> i64 {
    GridCell::at(grid, point).range().0
}

/// The ranges in which all points of an area are kept; `None` if the area is not on a plane.
pub fn on_grid(grid: Grid, area: &Area) -> Option<Vec<Range>> {
    Some(match area {
        Area::Flat(shape) => ranges(grid, |cell| shape_relation(shape, cell)),
        Area::Cap(cap) => cap_ranges(grid, cap),
        Area::Geometry(_) => return None,
    })
}

/// The ranges in which all points are kept that are between these distances from a centre.
pub fn ring_on_grid(grid: Grid, centre: &Centre, from: f64, to: f64) -> Vec<Range> {
    match centre {
        Centre::Plane(centre) => ranges(grid, |cell| {
            let (middle, radius) = circle(cell);
            ring_relation(distance(*centre, middle), radius, from, to)
        }),
        // The inside of the ring is read again: boxes of degrees have no holes.
        Centre::Sphere(centre) => cap_ranges(
            grid,
            &Cap {
                centre: *centre,
                radius: to,
            },
        ),
    }
}

fn ranges(grid: Grid, relation: impl Fn(GridCell) -> Relation) -> Vec<Range> {
    let cells = cover([GridCell::root(grid)], RANGES_MAX, relation);
    let mut ranges: Vec<Range> = cells.into_iter().map(GridCell::range).collect();
    ranges.sort_unstable();
    ranges
}

fn cap_ranges(grid: Grid, cap: &Cap) -> Vec<Range> {
    let (low, high) = degrees_around(cap);
    ranges(grid, |cell| shape_relation(&Shape::Box(low, high), cell))
}

/// The circle around a cell: centre and radius.
fn circle(cell: GridCell) -> ([f64; 2], f64) {
    let (low, high) = cell.corners();
    let middle = [f64::midpoint(low[0], high[0]), f64::midpoint(low[1], high[1])];
    // A little more, for what the roots round.
    (middle, distance(middle, high) * (1.0 + 1e-12))
}

fn shape_relation(shape: &Shape, cell: GridCell) -> Relation {
    let (middle, radius) = circle(cell);
    match shape {
        Shape::Box(low, high) => {
            let (from, to) = cell.corners();
            if (0..2).any(|axis| to[axis] < low[axis] || from[axis] > high[axis]) {
                Relation::Outside
            } else if (0..2).all(|axis| from[axis] >= low[axis] && to[axis] <= high[axis]) {
                Relation::Inside
            } else {
                Relation::Overlaps
            }
        }
        Shape::Circle(centre, reach) => ring_relation(distance(*centre, middle), radius, 0.0, *reach),
        Shape::Polygon(corners) => {
            if edges(corners).any(|edge| distance_to_edge(middle, edge) <= radius) {
                Relation::Overlaps
            } else if shape.contains(middle) {
                Relation::Inside
            } else {
                Relation::Outside
            }
        }
    }
}

/// The box of degrees around a cap. One that crosses the date line, or holds a pole, has all longitudes.
fn degrees_around(cap: &Cap) -> ([f64; 2], [f64; 2]) {
    let radius = cap.radius.min(PI).to_degrees() + MARGIN_DEGREES;
    let (longitude, latitude) = (cap.centre.longitude, cap.centre.latitude);
    let (south, north) = (latitude - radius, latitude + radius);
    let all = ([-180.0, south.max(-90.0)], [180.0, north.min(90.0)]);
    if south <= -90.0 || north >= 90.0 || cap.radius >= FRAC_PI_2 {
        return all;
    }
    let ratio = (radius.to_radians().sin() / latitude.to_radians().cos()).min(1.0);
    let width = ratio.asin().to_degrees() + MARGIN_DEGREES;
    if longitude - width < -180.0 || longitude + width > 180.0 {
        return all;
    }
    ([longitude - width, south], [longitude + width, north])
}
