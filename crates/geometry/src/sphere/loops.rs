//! Closed lines that do not cross themselves, with the side that they enclose.

use super::TOLERANCE;
use super::arc::{self, Arc};
use super::vector::{Vector, add, angle, dot, normal, scale, unit};
use std::f64::consts::PI;

/// Two directions that no map names: from them, crossings of a loop are counted.
const ORIGINS: [Vector; 2] = [
    [0.577_116_3, 0.618_133_9, 0.533_676_5],
    [-0.301_229_7, 0.434_394_1, -0.848_963_7],
];

/// How far beside an edge the point is that tells inside from outside, in radians: less than any feature of a loop.
const BESIDE: f64 = 1e-11;

/// A circle that holds a loop's border is looked at first, if it is less than a hemisphere.
const BOUND_MAX: f64 = 1.5;

/// A loop of at least three vertices. What lies left of its edges is inside.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loop {
    vertices: Vec<Vector>,
    /// Whether each origin is inside.
    origins_inside: [bool; 2],
    centre: Vector,
    /// The border is within this distance of the centre.
    radius: f64,
    /// Whether what is outside of that circle is inside of the loop.
    inside_beyond: bool,
}

impl Loop {
    /// The loop whose inside is the left of its edges.
    pub(crate) fn oriented(vertices: Vec<Vector>) -> Loop {
        let centre = unit(vertices.iter().fold([0.0; 3], |sum, vertex| add(sum, *vertex)));
        let mut made = Loop {
            origins_inside: [false; 2],
            centre,
            radius: 0.0,
            inside_beyond: false,
            vertices,
        };
        made.radius = made.arcs().fold(0.0, |radius: f64, (a, b)| {
            // A point of an arc is no farther than each end and the way from there; the two are equal where the sum is
            // the largest.
            radius.max((angle(centre, a) + angle(centre, b) + angle(a, b)) / 2.0)
        });
        made.origins_inside = ORIGINS.map(|origin| made.is_inside_by_edge(unit(origin)));
        made.inside_beyond = made.radius < BOUND_MAX && made.contains_exactly(scale(centre, -1.0));
        made
    }

    /// The loop around the smaller of the two areas that the vertices divide the sphere into.
    pub(crate) fn around_smaller(mut vertices: Vec<Vector>) -> Loop {
        // Half of the sphere stays as it was drawn.
        if area_on_the_left(&vertices) > 2.0 * PI + TOLERANCE {
            vertices.reverse();
        }
        Loop::oriented(vertices)
    }

    /// The vertices, each once.
    pub(crate) fn vertices(&self) -> &[Vector] {
        &self.vertices
    }

    /// The edges.
    pub(crate) fn arcs(&self) -> impl Iterator<Item = Arc> {
        let ends = self.vertices.iter().skip(1).chain(self.vertices.first());
        self.vertices.iter().copied().zip(ends.copied())
    }

    /// Whether a point is inside, the border left to chance.
    pub(crate) fn contains(&self, point: Vector) -> bool {
        if self.radius < BOUND_MAX && angle(self.centre, point) > self.radius + TOLERANCE {
            return self.inside_beyond;
        }
        self.contains_exactly(point)
    }

    /// Whether a point is on the border.
    pub(crate) fn has_on_border(&self, point: Vector) -> bool {
        if self.radius < BOUND_MAX && angle(self.centre, point) > self.radius + 2.0 * TOLERANCE {
            return false;
        }
        self.arcs().any(|arc| arc::distance(point, arc) <= TOLERANCE)
    }

    /// How far a point is from the border.
    pub(crate) fn distance_to_border(&self, point: Vector) -> f64 {
        self.arcs()
            .map(|arc| arc::distance(point, arc))
            .fold(PI, f64::min)
    }

    /// Whether the border may come within this distance of a point.
    pub(crate) fn border_may_reach(&self, point: Vector, within: f64) -> bool {
        if angle(self.centre, point) > self.radius + within {
            return false;
        }
        self.arcs().any(|arc| arc::distance(point, arc) <= within)
    }

    /// A point this far inside of the middle of the longest edge.
    pub(crate) fn point_inside(&self, depth: f64) -> Vector {
        let longest = self
            .arcs()
            .max_by(|x, y| angle(x.0, x.1).total_cmp(&angle(y.0, y.1)))
            .unwrap_or(([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
        let middle = unit(add(longest.0, longest.1));
        let left = unit(normal(longest.0, longest.1));
        unit(add(middle, scale(left, depth)))
    }

    fn contains_exactly(&self, point: Vector) -> bool {
        // An arc to the antipode has no direction, so there are two origins.
        let which = usize::from(dot(unit(ORIGINS[0]), point) < -0.5);
        let from = unit(ORIGINS[which]);
        self.origins_inside[which] ^ self.crossings_are_odd((from, point))
    }

    fn is_inside_by_edge(&self, origin: Vector) -> bool {
        let inside = self.point_inside(BESIDE);
        if dot(inside, origin) > -0.5 {
            return !self.crossings_are_odd((origin, inside));
        }
        // By way of a point between the two, so that neither arc is near half of a circle.
        let between = unit(add(
            unit(add(origin, scale(inside, 0.9))),
            scale(unit([0.3, -0.7, 0.2]), 0.5),
        ));
        !(self.crossings_are_odd((origin, between)) ^ self.crossings_are_odd((between, inside)))
    }

    fn crossings_are_odd(&self, way: Arc) -> bool {
        self.arcs()
            .filter(|edge| arc::cross_each_other(way, *edge))
            .count()
            % 2
            == 1
    }
}

/// The area to the left of a closed line, between 0 and 4 pi.
fn area_on_the_left(vertices: &[Vector]) -> f64 {
    let Some((&first, rest)) = vertices.split_first() else {
        return 0.0;
    };
    let area: f64 = rest
        .windows(2)
        .map(|edge| triangle_area(first, edge[0], edge[1]))
        .sum();
    area.rem_euclid(4.0 * PI)
}

/// The area of a triangle, negative if it goes around clockwise.
fn triangle_area(a: Vector, b: Vector, c: Vector) -> f64 {
    let volume = super::vector::side(c, a, b) / 2.0;
    2.0 * volume.atan2(1.0 + dot(a, b) + dot(b, c) + dot(c, a))
}
