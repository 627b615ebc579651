//! Circles on the sphere with what they enclose.

use super::arc;
use super::parts::line_arcs;
use super::vector::{Vector, angle, at, scale};
use super::{Parts, Polygon};
use crate::Position;
use std::f64::consts::{FRAC_PI_2, PI};

/// Rounding may put a point of the border this far outside.
const ROUNDING: f64 = 1e-15;

/// All points within a distance of a centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Cap {
    /// Its centre.
    pub centre: Position,
    /// Its radius in radians.
    pub radius: f64,
}

impl Cap {
    /// Whether all parts are within.
    pub(crate) fn contains(&self, parts: &Parts) -> bool {
        if self.radius >= PI {
            return true;
        }
        parts.points.iter().all(|point| self.contains_point(*point))
            && parts
                .lines
                .iter()
                .flat_map(|line| line_arcs(line))
                .all(|edge| self.contains_arc(edge))
            && parts
                .polygons
                .iter()
                .all(|polygon| self.contains_polygon(polygon))
    }

    fn contains_point(&self, point: Vector) -> bool {
        angle(at(self.centre), point) <= self.radius + ROUNDING
    }

    /// Less than a hemisphere holds an arc if it holds its ends; of more than one, what lies outside is less than one.
    fn contains_arc(&self, edge: arc::Arc) -> bool {
        if self.radius < FRAC_PI_2 {
            return self.contains_point(edge.0) && self.contains_point(edge.1);
        }
        arc::distance(scale(at(self.centre), -1.0), edge) >= PI - self.radius - ROUNDING
    }

    /// A polygon whose border is within is within too, unless it is the other side of that border.
    fn contains_polygon(&self, polygon: &Polygon) -> bool {
        polygon.arcs().all(|edge| self.contains_arc(edge))
            && !polygon.contains_inside(scale(at(self.centre), -1.0))
    }
}
