//! A geometry taken apart into points, lines and polygons.

use super::Polygon;
use super::arc::{self, Arc};
use super::vector::{Vector, angle};

/// The parts of a geometry. To be within something all must be; to meet something one must.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Parts {
    pub(crate) points: Vec<Vector>,
    pub(crate) lines: Vec<Vec<Vector>>,
    pub(crate) polygons: Vec<Polygon>,
}

/// The edges of a line.
pub(crate) fn line_arcs(line: &[Vector]) -> impl Iterator<Item = Arc> {
    line.iter().copied().zip(line.iter().skip(1).copied())
}

impl Parts {
    /// How many points and edges they have.
    pub(crate) fn size(&self) -> usize {
        let lines: usize = self.lines.iter().map(Vec::len).sum();
        let polygons: usize = self.polygons.iter().map(Polygon::size).sum();
        self.points.len() + lines + polygons
    }

    /// The edges of lines and polygons.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = Arc> {
        let lines = self.lines.iter().flat_map(|line| line_arcs(line));
        lines.chain(self.polygons.iter().flat_map(Polygon::arcs))
    }

    /// How far a point is from the nearest of them, in radians.
    pub(crate) fn distance(&self, from: Vector) -> f64 {
        let points = self.points.iter().map(|point| angle(from, *point));
        let lines = self
            .lines
            .iter()
            .flat_map(|line| line_arcs(line))
            .map(|edge| arc::distance(from, edge));
        let polygons = self.polygons.iter().map(|polygon| polygon.distance(from));
        points.chain(lines).chain(polygons).fold(f64::INFINITY, f64::min)
    }
}
