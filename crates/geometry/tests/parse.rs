//! What is accepted as a geometry, and what is not.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::{GeometryKind, Position, Stored, planar_points};
use value::{Value, json};

fn parse(text: &str) -> Result<Stored, String> {
    Stored::parse(json::parse(text).unwrap().as_ref()).map_err(|error| error.message)
}

fn planar(text: &str) -> Result<Vec<[f64; 2]>, String> {
    planar_points(json::parse(text).unwrap().as_ref()).map_err(|error| error.message)
}

#[test]
fn every_geo_json_type_is_read() {
    for text in [
        r#"{"type": "Point", "coordinates": [1, 2, 300]}"#,
        r#"{"type": "Point", "coordinates": {"x": 1, "y": 2}}"#,
        r#"{"type": "LineString", "coordinates": [[0, 0], [1, 1]]}"#,
        r#"{"type": "Polygon", "coordinates": [[[0, 0], [9, 0], [9, 9], [0, 0]], [[5, 2], [6, 2], [6, 3], [5, 2]]]}"#,
        r#"{"type": "MultiPoint", "coordinates": [[0, 0], [1, 1]]}"#,
        r#"{"type": "MultiLineString", "coordinates": [[[0, 0], [1, 1]]]}"#,
        r#"{"type": "MultiPolygon", "coordinates": [[[[0, 0], [1, 0], [1, 1], [0, 0]]]]}"#,
        r#"{"type": "GeometryCollection", "geometries": [{"type": "Point", "coordinates": [0, 0]}]}"#,
    ] {
        assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
    }
}

#[test]
fn a_pair_of_numbers_is_a_point() {
    for text in ["[10, 20.5]", r#"{"x": 10, "y": 20.5}"#] {
        let stored = parse(text).unwrap();
        assert_eq!(stored, Stored::Pair([10.0, 20.5]));
        let geometry = stored.on_sphere().unwrap();
        assert_eq!(geometry.kind(), GeometryKind::Point);
        let position = Position {
            longitude: 10.0,
            latitude: 20.5,
        };
        assert_eq!(geometry.position(), Some(position));
    }
    assert!(parse("[500, 1]").unwrap().on_sphere().is_err());
}

#[test]
fn malformed_geometries_are_refused() {
    for text in [
        r#""hello""#,
        "42",
        r#"{"coordinates": [0, 0]}"#,
        r#"{"type": "Point"}"#,
        r#"{"type": "point", "coordinates": [0, 0]}"#,
        r#"{"type": "Point", "coordinates": []}"#,
        r#"{"type": "Point", "coordinates": [181, 0]}"#,
        r#"{"type": "Point", "coordinates": [0, -91]}"#,
        r#"{"type": "Point", "coordinates": [0, 0], "crs": {"type": "name", "properties": {"name": "moon"}}}"#,
        r#"{"type": "LineString", "coordinates": [[0, 0]]}"#,
        r#"[{"type": "Point", "coordinates": [0, 0]}]"#,
        r#"{"type": "GeometryCollection", "geometries": [{"type": "GeometryCollection", "geometries": [
            {"type": "Point", "coordinates": [0, 0]}]}]}"#,
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
}

#[test]
fn a_loop_must_close_and_not_cross_itself() {
    let polygon = |ring: &str| parse(&format!(r#"{{"type": "Polygon", "coordinates": [{ring}]}}"#));
    assert!(polygon("[[0, 0], [1, 0], [1, 1], [0, 1]]").is_err());
    assert!(polygon("[[0, 0], [1, 0], [0, 0]]").is_err());
    assert!(
        polygon("[[0, 0], [10, 10], [10, 0], [0, 10], [0, 0]]")
            .unwrap_err()
            .contains("cross")
    );
    assert!(polygon("[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]").is_ok());
}

#[test]
fn holes_must_be_within_the_outer_loop() {
    const SQUARE: &str = "[[0, 0], [10, 0], [10, 10], [0, 10], [0, 0]]";
    let inside = "[[2, 2], [3, 2], [3, 3], [2, 2]]";
    let polygon = |holes: &[&str]| {
        let rings = [&[SQUARE][..], holes].concat().join(", ");
        parse(&format!(r#"{{"type": "Polygon", "coordinates": [{rings}]}}"#))
    };
    for holes in [
        &[inside][..],
        &[
            inside,
            "[[8, 8], [9, 8], [9, 9], [8, 8]]",
            "[[5, 2], [6, 2], [6, 3], [5, 2]]",
        ],
        // On the border with a vertex, in a vertex of it, and all along it.
        &[
            inside,
            "[[5, 0], [6, 3], [4, 3], [5, 0]]",
            "[[8, 8], [9, 8], [9, 9], [8, 8]]",
        ],
        &["[[0, 0], [3, 1], [1, 3], [0, 0]]"],
        &[SQUARE],
    ] {
        assert!(polygon(holes).is_ok(), "{holes:?}: {:?}", polygon(holes));
    }
    for hole in [
        "[[20, 20], [21, 20], [21, 21], [20, 20]]",
        "[[-175, -5], [-174, -5], [-174, -4], [-175, -5]]",
        "[[5, 5], [15, 5], [15, 6], [5, 5]]",
        // Out through a vertex of the border.
        "[[8, 8.5], [10, 10], [11, 12], [8, 8.5]]",
        // There and back.
        "[[-1, 1], [11, 1], [11, 2], [-1, 1]]",
    ] {
        for holes in [&[hole][..], &[inside, hole], &[hole, inside]] {
            let found = polygon(holes);
            assert!(
                found.is_err_and(|error| error.contains("must be holes")),
                "{holes:?}"
            );
        }
    }
}

#[test]
fn a_large_hole_in_a_large_loop_is_checked_in_time() {
    const VERTICES: usize = 30_000;
    let circle = |radius: &dyn Fn(usize) -> f64| {
        let vertex = |at: usize| {
            let (sine, cosine) = (at as f64 / VERTICES as f64 * std::f64::consts::TAU).sin_cos();
            format!("[{}, {}]", radius(at) * cosine, radius(at) * sine)
        };
        let vertices: Vec<String> = (0..VERTICES).chain([0]).map(vertex).collect();
        format!("[{}]", vertices.join(", "))
    };
    let outer = circle(&|_| 10.0);
    let polygon = |hole: &str| {
        parse(&format!(
            r#"{{"type": "Polygon", "coordinates": [{outer}, {hole}]}}"#
        ))
    };
    assert!(polygon(&circle(&|_| 9.0)).is_ok());
    let spiked = circle(&|at| if at == 20_000 { 11.0 } else { 9.0 });
    assert!(polygon(&spiked).is_err_and(|error| error.contains("must be holes")));
}

#[test]
fn a_2d_field_holds_pairs_and_arrays_of_pairs() {
    assert_eq!(planar("[1, 2]").unwrap(), [[1.0, 2.0]]);
    assert_eq!(planar("[[1, 2], [3, 4]]").unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    assert!(planar(r#"{"type": "Point", "coordinates": [0, 0]}"#).is_err());
    assert!(planar("[[1, 2], 3]").is_err());
    assert_eq!(planar("[[1, 2], []]").unwrap(), [[1.0, 2.0]]);
    for none in [
        Value::Null,
        Value::from("nowhere"),
        Value::from(1),
        Value::Array(Vec::new()),
    ] {
        assert!(planar_points(none.as_ref()).unwrap().is_empty(), "{none:?}");
    }
}

#[test]
fn a_loop_that_goes_to_and_fro_for_long_is_refused_in_time() {
    // Teeth of a comb, whose edges are all between the same heights.
    let ring = |teeth: usize| {
        let along = |at: usize| 10.0 * at as f64 / teeth as f64;
        let tooth = |at: usize| format!("[{}, 0], [{}, 10]", along(at), along(at) + 2.0 / teeth as f64);
        let comb: Vec<String> = (0..teeth).map(tooth).collect();
        parse(&format!(
            r#"{{"type": "Polygon", "coordinates": [[[0, -1], {}, [10, -1], [0, -1]]]}}"#,
            comb.join(", ")
        ))
    };
    assert!(ring(1_000).is_ok());
    assert!(ring(20_000).unwrap_err().contains("divide it"));
}
