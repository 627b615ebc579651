//! Every place in an area lies in the area's cells; distances agree with a simple formula.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::cells::{self, Grid, Range};
use geometry::{Area, Centre, Near, Position, Stored};
use proptest::prelude::*;
use value::{Value, array, doc};

fn finds(ranges: &[Range], numbers: &[i64]) -> bool {
    numbers
        .iter()
        .any(|number| ranges.iter().any(|(low, high)| (low..=high).contains(&number)))
}

fn pair(point: [f64; 2]) -> Value {
    array![(point[0]), (point[1])].into()
}

fn area(shape: value::Document) -> Area {
    Area::parse(&shape).unwrap()
}

/// The great circle between two points by the haversine formula.
fn haversine(a: [f64; 2], b: [f64; 2]) -> f64 {
    let (a, b) = (a.map(f64::to_radians), b.map(f64::to_radians));
    let half = |x: f64| (x / 2.0).sin().powi(2);
    let part = half(b[1] - a[1]) + a[1].cos() * b[1].cos() * half(b[0] - a[0]);
    2.0 * part.sqrt().min(1.0).asin()
}

fn on_earth() -> impl Strategy<Value = [f64; 2]> {
    (-180.0..=180.0, -90.0..=90.0).prop_map(|(x, y)| [x, y])
}

/// A star-shaped ring around a point: a polygon that does not cross itself.
fn ring() -> impl Strategy<Value = ([f64; 2], Vec<f64>)> {
    (
        (-179.0..179.0, -60.0..60.0),
        prop::collection::vec(0.1..20.0, 3..9),
    )
        .prop_map(|((x, y), reaches)| ([x, y], reaches))
}

fn corners(([x, y], reaches): &([f64; 2], Vec<f64>)) -> Vec<[f64; 2]> {
    let step = std::f64::consts::TAU / reaches.len() as f64;
    reaches
        .iter()
        .enumerate()
        .map(|(at, reach)| {
            let angle = step * at as f64;
            let longitude = x + reach * angle.cos();
            let wrapped = (longitude + 540.0).rem_euclid(360.0) - 180.0;
            [wrapped, y + reach * angle.sin()]
        })
        .collect()
}

fn polygon(corners: &[[f64; 2]]) -> Value {
    let closed = corners.iter().chain(corners.first()).map(|corner| pair(*corner));
    let ring: Value = closed.collect();
    doc! {"type": "Polygon", "coordinates": [ring]}.into()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn distances_are_those_of_the_haversine_formula(a in on_earth(), b in on_earth()) {
        let near = Near::anywhere(Centre::Sphere(Position { longitude: a[0], latitude: a[1] }), true);
        let distance = near.nearest(pair(b).as_ref()).unwrap();
        prop_assert!((distance - haversine(a, b)).abs() < 1e-7, "{distance} and {}", haversine(a, b));
    }

    #[test]
    fn a_cap_holds_what_is_no_farther_than_its_radius(centre in on_earth(), radius in 0.0..3.2, points in prop::collection::vec(on_earth(), 20)) {
        let cap = area(doc! {"$centerSphere": [(pair(centre)), (radius)]});
        let ranges = cells::on_sphere(&cap).unwrap();
        let grid = Grid { min: -180.0, max: 180.0, bits: 26 };
        let on_grid = cells::on_grid(grid, &cap).unwrap();
        for point in points {
            let within = cap.contains(pair(point).as_ref());
            let distance = haversine(centre, point);
            prop_assert!(f64::abs(distance - radius) < 1e-7 || within == (distance <= radius));
            if within {
                let stored = Stored::Pair(point);
                prop_assert!(finds(&ranges, &cells::of_geometry(&stored.on_sphere().unwrap())));
                prop_assert!(finds(&on_grid, &[cells::of_point(grid, point)]));
            }
        }
    }

    #[test]
    fn a_ring_is_found_by_its_cells(centre in on_earth(), from in 0.0..1.0, width in 0.0..1.0, points in prop::collection::vec(on_earth(), 20)) {
        let centre = Position { longitude: centre[0], latitude: centre[1] };
        let ranges = cells::ring_on_sphere(centre, from, from + width);
        for point in points {
            let stored = Stored::Pair(point);
            let distance = Centre::Sphere(centre).distance(&stored).unwrap();
            if distance >= from && distance <= from + width {
                prop_assert!(finds(&ranges, &cells::of_geometry(&stored.on_sphere().unwrap())));
            }
        }
    }

    /// A point is in a star around its middle if it is in one of the triangles that the middle makes with the edges.
    #[test]
    fn polygons_agree_with_a_simple_model(star in ring(), offsets in prop::collection::vec((-25.0..25.0, -25.0..25.0), 20)) {
        let around = corners(&star);
        let Ok(area) = Area::parse(&doc! {"$geometry": (polygon(&around))}) else { return Ok(()) };
        let ranges = cells::on_sphere(&area).unwrap();
        for (right, up) in offsets {
            let point = [f64::rem_euclid(star.0[0] + right + 540.0, 360.0) - 180.0, f64::clamp(star.0[1] + up, -90.0, 90.0)];
            let within = area.contains(pair(point).as_ref());
            if let Some(expected) = model_contains(&around, point) {
                prop_assert_eq!(within, expected, "{:?} in {:?}", point, around);
            }
            prop_assert_eq!(within, area.intersects(pair(point).as_ref()));
            let stored = Stored::Pair(point);
            if within {
                prop_assert!(finds(&ranges, &cells::of_geometry(&stored.on_sphere().unwrap())));
            }
        }
    }

    #[test]
    fn places_that_meet_have_cells_that_meet(a in ring(), b in ring(), shift in (-15.0..15.0, -15.0..15.0)) {
        // Near each other, so that many meet.
        let near = ([a.0[0] + shift.0, f64::clamp(a.0[1] + shift.1, -60.0, 60.0)], b.1);
        let stored = polygon(&corners(&near));
        let Ok(area) = Area::parse(&doc! {"$geometry": (polygon(&corners(&a)))}) else { return Ok(()) };
        let Ok(place) = Stored::parse(stored.as_ref()) else { return Ok(()) };
        let ranges = cells::on_sphere(&area).unwrap();
        let numbers = cells::of_geometry(&place.on_sphere().unwrap());
        if area.intersects(stored.as_ref()) {
            prop_assert!(finds(&ranges, &numbers));
        }
        if area.contains(stored.as_ref()) {
            prop_assert!(area.intersects(stored.as_ref()));
        }
    }

    #[test]
    fn flat_areas_are_found_by_their_cells(bits in 1u8..=32, shape in 0..3, corners in prop::collection::vec((-200.0..200.0, -200.0..200.0), 4), points in prop::collection::vec((-180.0..=180.0, -180.0..=180.0), 20)) {
        let grid = Grid { min: -180.0, max: 180.0, bits };
        let at = |number: usize| pair([corners[number].0, corners[number].1]);
        let area = match shape {
            0 => area(doc! {"$box": [(at(0)), (at(1))]}),
            1 => area(doc! {"$center": [(at(0)), (corners[1].0.abs())]}),
            _ => area(doc! {"$polygon": [(at(0)), (at(1)), (at(2)), (at(3))]}),
        };
        let ranges = cells::on_grid(grid, &area).unwrap();
        for point in points {
            let point = [point.0, point.1];
            if area.contains(pair(point).as_ref()) {
                prop_assert!(finds(&ranges, &[cells::of_point(grid, point)]));
            }
        }
    }
}

/// Most corners lie together, so that the far end of the long edges is far from their middle.
#[test]
fn the_far_corner_of_a_long_polygon_is_inside() {
    let corners = [
        [1.72, 47.64],
        [0.05, 47.72],
        [-0.05, 47.72],
        [-0.1, 47.64],
        [-0.77, 46.31],
        [7.55, 34.56],
    ];
    let area = area(doc! {"$geometry": (polygon(&corners))});
    assert!(area.contains(pair([6.58, 36.5]).as_ref()));
}

/// By winding: the angles at the point between neighbouring corners add up to a whole turn inside, and to nothing
/// outside. None near the border, where rounding decides.
fn model_contains(corners: &[[f64; 2]], point: [f64; 2]) -> Option<bool> {
    let vector = |[x, y]: [f64; 2]| {
        let (x, y) = (x.to_radians(), y.to_radians());
        [y.cos() * x.cos(), y.cos() * x.sin(), y.sin()]
    };
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [
            a[1] * b[2] - a[2] * b[1],
            a[2] * b[0] - a[0] * b[2],
            a[0] * b[1] - a[1] * b[0],
        ]
    };
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let centre = vector(point);
    let mut turn = 0.0f64;
    for (at, corner) in corners.iter().enumerate() {
        let (a, b) = (vector(*corner), vector(corners[(at + 1) % corners.len()]));
        let (from, to) = (cross(centre, a), cross(centre, b));
        let angle = dot(centre, cross(from, to)).atan2(dot(from, to));
        if angle.abs() > 3.1 {
            return None;
        }
        turn += angle;
    }
    Some(turn.abs() > 3.0)
}
