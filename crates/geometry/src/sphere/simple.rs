//! Whether a loop crosses itself.

use super::arc::cross_each_other;
use super::vector::{Vector, dot, side, subtract};
use crate::error::{Result, wrong};

/// An edge, and between which heights above the plane of the equator the whole of it lies.
struct Edge {
    number: usize,
    from: Vector,
    to: Vector,
    low: f64,
    high: f64,
}

impl Edge {
    fn new(number: usize, from: Vector, to: Vector) -> Edge {
        // Between its ends an arc of angle a bulges by no more than 1 - cos(a/2); 1 - cos(x) <= x²/2, and a is at most
        // pi/2 times the chord.
        let chord = subtract(to, from);
        let bulge = dot(chord, chord) * std::f64::consts::PI * std::f64::consts::PI / 32.0;
        Edge {
            number,
            from,
            to,
            low: from[2].min(to[2]) - bulge,
            high: from[2].max(to[2]) + bulge,
        }
    }
}

/// Refuses a loop with two edges that cross. They are looked at in order of their lower ends, so that far ones are not
/// compared.
pub(crate) fn check_simple(vertices: &[Vector]) -> Result<()> {
    let count = vertices.len();
    let next = |number: usize| (number + 1) % count;
    let mut edges: Vec<Edge> = (0..count)
        .map(|number| Edge::new(number, vertices[number], vertices[next(number)]))
        .collect();
    edges.sort_by(|a, b| a.low.total_cmp(&b.low));
    let mut open: Vec<&Edge> = Vec::new();
    for edge in &edges {
        open.retain(|other| other.high >= edge.low);
        for other in &open {
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
