//! What counts as a geometry, and what does not.

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
fn a_2d_field_holds_pairs_and_arrays_of_pairs() {
    assert_eq!(planar("[1, 2]").unwrap(), [[1.0, 2.0]]);
    assert_eq!(planar("[[1, 2], [3, 4]]").unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
    assert!(planar(r#"{"type": "Point", "coordinates": [0, 0]}"#).is_err());
    assert!(planar_points(Value::Null.as_ref()).is_err());
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
