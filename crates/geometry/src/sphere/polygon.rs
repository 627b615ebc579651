//! Polygons: a loop without some others within it.

use super::arc::Arc;
use super::vector::Vector;
use super::{Loop, TOLERANCE};

/// An outer loop and the holes in it. The borders belong to it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Polygon {
    pub(crate) outer: Loop,
    pub(crate) holes: Vec<Loop>,
}

impl Polygon {
    /// The outer loop and the holes.
    pub(crate) fn loops(&self) -> impl Iterator<Item = &Loop> {
        std::iter::once(&self.outer).chain(&self.holes)
    }

    /// How many edges it has.
    pub(crate) fn size(&self) -> usize {
        self.loops().map(|one| one.vertices().len()).sum()
    }

    /// All edges.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = Arc> {
        self.loops().flat_map(Loop::arcs)
    }

    /// Whether a point is in it or on its border.
    pub(crate) fn contains(&self, point: Vector) -> bool {
        self.contains_inside(point) || self.has_on_border(point)
    }

    /// Whether a point is in it and not on its border.
    pub(crate) fn contains_strictly(&self, point: Vector) -> bool {
        self.contains_inside(point) && !self.has_on_border(point)
    }

    /// Whether a point is inside, the border left to chance.
    pub(crate) fn contains_inside(&self, point: Vector) -> bool {
        self.outer.contains(point) && !self.holes.iter().any(|hole| hole.contains(point))
    }

    /// How far a point is from it: nothing if it is within.
    pub(crate) fn distance(&self, point: Vector) -> f64 {
        if self.contains(point) {
            return 0.0;
        }
        self.loops()
            .map(|one| one.distance_to_border(point))
            .fold(std::f64::consts::PI, f64::min)
    }

    /// Whether its border may come within this distance of a point.
    pub(crate) fn border_may_reach(&self, point: Vector, within: f64) -> bool {
        self.loops().any(|one| one.border_may_reach(point, within))
    }

    /// A point well inside of it, if it is not too thin to have one at its longest edge.
    pub(crate) fn point_inside(&self) -> Option<Vector> {
        let point = self.outer.point_inside(8.0 * TOLERANCE);
        self.contains_inside(point).then_some(point)
    }

    fn has_on_border(&self, point: Vector) -> bool {
        self.loops().any(|one| one.has_on_border(point))
    }
}
