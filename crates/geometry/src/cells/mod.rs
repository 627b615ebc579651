//! Cells: the squares by which indexes keep places, and the ranges of cells in which a query finds what it may want.
//!
//! On the sphere six faces of a cube, on a plane one square, are divided in four again and again. A cell's number lies
//! between those of the cells in it, so that all of them are one range. A point is kept by its smallest cell; a line or
//! polygon by some that cover it, of whatever size; so a query asks for the ranges of the cells that cover its area, and for
//! the larger cells that these lie in.

mod cover;
mod cube;
mod grid;
mod on_grid;
mod on_sphere;

pub use grid::Grid;
pub use on_grid::{of_point, on_grid, ring_on_grid};
pub use on_sphere::{of_geometry, on_sphere, ring_on_sphere};

/// A range of numbers of cells, both ends included.
pub type Range = (i64, i64);

/// How a cell lies to an area.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Relation {
    Outside,
    Overlaps,
    Inside,
}

/// The relation of what is between these distances from a centre to the circle around a cell.
fn ring_relation(distance: f64, radius: f64, from: f64, to: f64) -> Relation {
    let (nearest, farthest) = (distance - radius, distance + radius);
    if nearest > to || farthest < from {
        Relation::Outside
    } else if nearest >= from && farthest <= to {
        Relation::Inside
    } else {
        Relation::Overlaps
    }
}
