//! Rings of polygons: closed, and never crossing themselves.

use super::Position;

/// Checks a ring, and drops positions that repeat the one before.
pub(super) fn check_ring(ring: &mut Vec<Position>) -> Result<(), String> {
    if ring.first() != ring.last() || ring.len() < 4 {
        return Err(
            "a polygon's loop must have at least 4 positions, the last the same as the first".to_owned(),
        );
    }
    ring.dedup();
    if ring.len() < 4 {
        return Err("a polygon's loop must have at least 3 different vertices".to_owned());
    }
    let vertices = &ring[..ring.len() - 1];
    check_distinct(vertices)?;
    check_crossings(vertices)
}

fn check_distinct(vertices: &[Position]) -> Result<(), String> {
    let mut sorted: Vec<(f64, f64)> = vertices
        .iter()
        .map(|vertex| (vertex.longitude, vertex.latitude))
        .collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    match sorted.windows(2).find(|two| two[0] == two[1]) {
        Some(two) => Err(format!(
            "a polygon's loop has the vertex [{}, {}] twice",
            two[0].0, two[0].1
        )),
        None => Ok(()),
    }
}

type Vector = [f64; 3];

/// An edge of a ring: the shorter great circle between two positions, as vectors from the earth's middle.
struct Edge {
    number: usize,
    from: Vector,
    to: Vector,
    /// Between these heights above the plane of the equator the whole edge lies.
    low: f64,
    high: f64,
}

impl Edge {
    fn new(number: usize, from: Position, to: Position) -> Edge {
        let (from, to) = (vector(from), vector(to));
        // Between its ends an arc of angle a bulges by no more than 1 - cos(a/2); 1 - cos(x) <= x²/2, and a is at most
        // pi/2 times the chord.
        let chord_squared: f64 = from.iter().zip(&to).map(|(a, b)| (a - b) * (a - b)).sum();
        let bulge = chord_squared * std::f64::consts::PI * std::f64::consts::PI / 32.0;
        Edge {
            number,
            from,
            to,
            low: from[2].min(to[2]) - bulge,
            high: from[2].max(to[2]) + bulge,
        }
    }
}

/// Looks for two edges that cross, in order of their lower ends, so that far edges are not compared.
fn check_crossings(vertices: &[Position]) -> Result<(), String> {
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
            if !neighbours && cross(edge, other) {
                return Err(format!(
                    "edges {} and {} of a polygon's loop cross",
                    edge.number, other.number
                ));
            }
        }
        open.push(edge);
    }
    Ok(())
}

/// Whether two arcs cross in a point inside both: each one's ends lie on both sides of the other's great circle.
fn cross(a: &Edge, b: &Edge) -> bool {
    let (across_a, across_b) = (cross_product(a.from, a.to), cross_product(b.from, b.to));
    let acb = -dot(across_a, b.from);
    let bda = dot(across_a, b.to);
    let cbd = -dot(across_b, a.to);
    let dac = dot(across_b, a.from);
    let same_side = |x: f64, y: f64| x * y > 0.0;
    same_side(acb, bda) && same_side(acb, cbd) && same_side(acb, dac)
}

fn vector(position: Position) -> Vector {
    let (longitude, latitude) = (position.longitude.to_radians(), position.latitude.to_radians());
    [
        latitude.cos() * longitude.cos(),
        latitude.cos() * longitude.sin(),
        latitude.sin(),
    ]
}

fn cross_product(a: Vector, b: Vector) -> Vector {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(&b).map(|(x, y)| x * y).sum()
}
