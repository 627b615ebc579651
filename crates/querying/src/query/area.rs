//! Parts of the earth within which places are looked for.

use language::interruption::steps;
use mapping::geo::Point;

/// The corners that are looked at in a step.
const CORNERS_OF_STEP: usize = 16;

/// A part of the earth.
#[derive(Clone, Debug)]
pub enum GeoArea {
    /// A box: top, left, bottom, right.
    Box([f64; 4]),
    /// What these corners surround, the last of which is joined with the first.
    Polygon(Vec<Point>),
}

impl GeoArea {
    /// Whether a point is within it, or on its border. Once the operation must end none is.
    pub fn has(&self, point: Point) -> bool {
        match self {
            GeoArea::Box(sides) => is_in_box(point, *sides),
            GeoArea::Polygon(corners) => {
                steps(1 + corners.len() / CORNERS_OF_STEP).is_ok() && is_surrounded(point, corners)
            }
        }
    }
}

fn is_in_box(point: Point, [top, left, bottom, right]: [f64; 4]) -> bool {
    let across = match left <= right {
        true => (left..=right).contains(&point.lon),
        // Over the line where dates change.
        false => point.lon >= left || point.lon <= right,
    };
    across && (bottom..=top).contains(&point.lat)
}

/// Whether a ray from a point to the east meets an odd number of sides; what is on a side is within. Sides are straight lines of
/// degrees, as Lucene has them.
fn is_surrounded(point: Point, corners: &[Point]) -> bool {
    let mut is_in = false;
    let next = corners.iter().cycle().skip(1);
    for (a, b) in corners.iter().zip(next) {
        let cross = (b.lon - a.lon) * (point.lat - a.lat) - (b.lat - a.lat) * (point.lon - a.lon);
        let is_between = |x: f64, from: f64, to: f64| (from.min(to)..=from.max(to)).contains(&x);
        if cross == 0.0 && is_between(point.lat, a.lat, b.lat) && is_between(point.lon, a.lon, b.lon) {
            return true;
        }
        if (a.lat > point.lat) != (b.lat > point.lat) {
            let meets = a.lon + (point.lat - a.lat) / (b.lat - a.lat) * (b.lon - a.lon);
            is_in ^= point.lon < meets;
        }
    }
    is_in
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_surrounded_by_corners_are_within_the_area() {
        // A square with a notch from above.
        let corners = [(0.0, 0.0), (0.0, 4.0), (4.0, 4.0), (1.0, 2.0), (4.0, 0.0)];
        let corners = corners.map(|(lat, lon)| Point { lat, lon }).to_vec();
        let area = GeoArea::Polygon(corners);
        for (lat, lon, is_in) in [
            (0.5, 2.0, true),
            (3.0, 2.0, false),
            (3.0, 0.5, true),
            (3.0, 3.5, true),
            (1.0, 2.0, true),
            (0.0, 4.0, true),
            (2.0, 4.0, true),
            (2.0, 4.1, false),
            (-0.1, 2.0, false),
        ] {
            assert_eq!(area.has(Point { lat, lon }), is_in, "{lat}, {lon}");
        }
    }
}
