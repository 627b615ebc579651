//! Whether the holes of a polygon are within its outer loop.

use super::arc;
use super::simple::{Edge, PAIRS_MAX};
use super::vector::{Vector, dot};
use super::{Loop, Polygon, TOLERANCE};
use crate::error::{Result, wrong};

/// What an arc crosses is not counted if it goes farther than to here around the sphere, since near half of a circle it has no
/// direction: the cosine of that angle.
const FAR: f64 = -0.5;

/// How finely the order of places divides each axis: into two to the power of this.
const ORDER_BITS: u32 = 20;

/// Refuses a polygon with a hole of which a vertex is neither inside of the outer loop nor on its border.
///
/// A way leads through the vertices of all holes. All edges of the outer loop tell whether it begins inside, and from there on it is
/// inside until it crosses one of them. To compare each vertex with each edge takes minutes where there are very many of both.
pub(crate) fn check_holes(polygon: &Polygon) -> Result<()> {
    if polygon.holes.is_empty() {
        return Ok(());
    }
    let way = way_through(&polygon.holes);
    let mut met = Meetings::of(&way, &polygon.outer)?;
    // The vertex before, if it is inside and not on the border.
    let mut before: Option<Vector> = None;
    for (number, &vertex) in way.iter().enumerate() {
        if met.is_on_border[number] {
            before = None;
            continue;
        }
        let is_inside = match before {
            Some(before) if dot(before, vertex) > FAR => !met.is_crossing[number - 1],
            _ => {
                met.count(polygon.outer.vertices().len())?;
                polygon.outer.contains(vertex)
            }
        };
        if !is_inside {
            return wrong(
                "Secondary loops not contained by first exterior loop - secondary loops must be holes",
            );
        }
        before = Some(vertex);
    }
    Ok(())
}

/// The vertices of all holes: from each hole to one that is mostly near, so that little lies between.
fn way_through(holes: &[Loop]) -> Vec<Vector> {
    let mut ordered: Vec<&[Vector]> = holes.iter().map(Loop::vertices).collect();
    ordered.sort_by_cached_key(|vertices| vertices.first().map(|first| place_in_order(*first)));
    ordered.into_iter().flatten().copied().collect()
}

/// A number of which places near each other mostly have similar ones: the bits of the three axes by turns.
fn place_in_order(point: Vector) -> u64 {
    let half = f64::from(1_u32 << (ORDER_BITS - 1));
    let places = point.map(|coordinate| ((coordinate + 1.0) * half) as u64);
    (0..ORDER_BITS).rev().fold(0_u64, |number, bit| {
        places
            .iter()
            .fold(number, |number, place| (number << 1) | ((place >> bit) & 1))
    })
}

/// What a way meets of a loop's border.
struct Meetings {
    /// Of each vertex of the way, whether it is on the border.
    is_on_border: Vec<bool>,
    /// Of each, whether the step to the next one crosses the border an odd number of times.
    is_crossing: Vec<bool>,
    /// How many edges have been compared.
    pairs: usize,
}

impl Meetings {
    /// Steps and edges are looked at in order of their lower ends, so that far ones are not compared.
    fn of(way: &[Vector], outer: &Loop) -> Result<Meetings> {
        let mut met = Meetings {
            is_on_border: vec![false; way.len()],
            is_crossing: vec![false; way.len()],
            pairs: 0,
        };
        let steps = way
            .windows(2)
            .enumerate()
            .map(|(number, ends)| (true, Edge::new(number, ends[0], ends[1]).widened(2.0 * TOLERANCE)));
        let border = outer
            .arcs()
            .enumerate()
            .map(|(number, (from, to))| (false, Edge::new(number, from, to)));
        let mut all: Vec<(bool, Edge)> = steps.chain(border).collect();
        all.sort_by(|(_, a), (_, b)| a.low[2].total_cmp(&b.low[2]));
        let (mut open_steps, mut open_border): (Vec<&Edge>, Vec<&Edge>) = (Vec::new(), Vec::new());
        for (is_step, edge) in &all {
            let (own, others) = match *is_step {
                true => (&mut open_steps, &mut open_border),
                false => (&mut open_border, &mut open_steps),
            };
            others.retain(|other| other.high[2] >= edge.low[2]);
            met.count(others.len())?;
            for other in others.iter().filter(|other| edge.is_near(other)) {
                match *is_step {
                    true => met.compare(edge, other),
                    false => met.compare(other, edge),
                }
            }
            own.push(edge);
        }
        Ok(met)
    }

    fn compare(&mut self, step: &Edge, border: &Edge) {
        let edge = (border.from, border.to);
        for (number, vertex) in [(step.number, step.from), (step.number + 1, step.to)] {
            self.is_on_border[number] |= arc::distance(vertex, edge) <= TOLERANCE;
        }
        self.is_crossing[step.number] ^= arc::cross_each_other((step.from, step.to), edge);
    }

    fn count(&mut self, pairs: usize) -> Result<()> {
        self.pairs += pairs;
        match self.pairs > PAIRS_MAX {
            true => wrong(
                "A polygon's holes are too near to too much of its outer loop to be checked; divide it into several",
            ),
            false => Ok(()),
        }
    }
}
