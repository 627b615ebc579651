//! Whether a loop crosses itself.

use super::arc::cross_each_other;
use super::vector::{Vector, dot, side, subtract};
use crate::error::{Result, wrong};

/// The pairs of edges of one loop that are compared. Borders of countries need some hundreds for each edge; a loop that goes to and
/// fro between two places needs the square of its edges, and would take minutes.
pub(super) const PAIRS_MAX: usize = 1 << 26;

/// An edge, and the box in which the whole of it lies.
pub(super) struct Edge {
    pub(super) number: usize,
    pub(super) from: Vector,
    pub(super) to: Vector,
    pub(super) low: Vector,
    pub(super) high: Vector,
}

impl Edge {
    pub(super) fn new(number: usize, from: Vector, to: Vector) -> Edge {
        // Between its ends an arc of angle a bulges by no more than 1 - cos(a/2); 1 - cos(x) <= x²/2, and a is at most
        // pi/2 times the chord.
        let chord = subtract(to, from);
        let bulge = dot(chord, chord) * std::f64::consts::PI * std::f64::consts::PI / 32.0;
        Edge {
            number,
            from,
            to,
            low: std::array::from_fn(|axis| from[axis].min(to[axis]) - bulge),
            high: std::array::from_fn(|axis| from[axis].max(to[axis]) + bulge),
        }
    }

    /// The same in a box that is wider by this on each side.
    pub(super) fn widened(self, by: f64) -> Edge {
        Edge {
            low: self.low.map(|low| low - by),
            high: self.high.map(|high| high + by),
            ..self
        }
    }

    /// Whether there is a place where both could be.
    pub(super) fn is_near(&self, other: &Edge) -> bool {
        (0..3).all(|axis| self.low[axis] <= other.high[axis] && other.low[axis] <= self.high[axis])
    }
}

/// Refuses a loop with two edges that cross. They are looked at in order of their lower ends above the plane of the equator, so that
/// far ones are not compared.
pub(crate) fn check_simple(vertices: &[Vector]) -> Result<()> {
    let count = vertices.len();
    let next = |number: usize| (number + 1) % count;
    let mut edges: Vec<Edge> = (0..count)
        .map(|number| Edge::new(number, vertices[number], vertices[next(number)]))
        .collect();
    edges.sort_by(|a, b| a.low[2].total_cmp(&b.low[2]));
    let mut open: Vec<&Edge> = Vec::new();
    let mut pairs = 0;
    for edge in &edges {
        open.retain(|other| other.high[2] >= edge.low[2]);
        pairs += open.len();
        if pairs > PAIRS_MAX {
            return wrong(format!(
                "A polygon's loop of {count} vertices goes to and fro too often to be checked for crossings; divide it into several"
            ));
        }
        for other in open.iter().filter(|other| edge.is_near(other)) {
            // Neighbours share a vertex, which is no crossing.
            let neighbours = next(edge.number) == other.number || next(other.number) == edge.number;
            if !neighbours && cross_inside(edge, other) {
                return wrong(format!(
                    "Edges {} and {} cross. A polygon's loop must not cross itself",
                    edge.number, other.number
                ));
            }
        }
        open.push(edge);
    }
    Ok(())
}

/// Whether two edges cross in a point inside both: where one only touches the other, the loop is simple enough.
fn cross_inside(a: &Edge, b: &Edge) -> bool {
    let touches = [
        side(a.from, b.from, b.to),
        side(a.to, b.from, b.to),
        side(b.from, a.from, a.to),
        side(b.to, a.from, a.to),
    ]
    .contains(&0.0);
    !touches && cross_each_other((a.from, a.to), (b.from, b.to))
}
