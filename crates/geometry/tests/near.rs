//! How queries ask for what is near.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::{Centre, EARTH_RADIUS_M, Near};
use value::{Document, doc};

fn code(operators: &Document) -> i32 {
    Near::parse(operators).unwrap_err().code.number()
}

fn point() -> Document {
    doc! {"type": "Point", "coordinates": [0, 0]}
}

#[test]
fn distances_from_a_geo_json_point_are_in_metres() {
    for operators in [
        doc! {"$near": {"$geometry": (point()), "$minDistance": 5, "$maxDistance": 1000}},
        doc! {"$near": (point()), "$minDistance": 5, "$maxDistance": 1000},
        doc! {"$nearSphere": (point()), "$minDistance": 5, "$maxDistance": 1000},
    ] {
        let near = Near::parse(&operators).unwrap();
        assert!(near.in_metres, "{operators:?}");
        assert!((near.min - 5.0 / EARTH_RADIUS_M).abs() < 1e-15, "{operators:?}");
        assert!(
            (near.max - 1000.0 / EARTH_RADIUS_M).abs() < 1e-15,
            "{operators:?}"
        );
    }
}

#[test]
fn distances_from_a_pair_are_in_the_units_of_its_surface() {
    for operators in [
        doc! {"$near": [1, 2], "$maxDistance": 3},
        doc! {"$near": [1, 2, 3]},
        doc! {"$near": {"x": 1, "y": 2, "z": 3}},
        doc! {"$near": [1, 2, 9], "$maxDistance": 3},
    ] {
        let near = Near::parse(&operators).unwrap();
        assert_eq!(near.centre, Centre::Plane([1.0, 2.0]), "{operators:?}");
        assert!((near.max - 3.0).abs() < 1e-15, "{operators:?}");
    }
    let near = Near::parse(&doc! {"$nearSphere": [1, 2], "$maxDistance": 3}).unwrap();
    assert!(matches!(near.centre, Centre::Sphere(_)));
    assert!((near.max - 3.0).abs() < 1e-15);
}

#[test]
fn a_geo_json_point_may_lack_its_type_and_name_its_coordinates() {
    for geometry in [
        doc! {"coordinates": [0, 0]},
        doc! {"type": "Point", "coordinates": {"longitude": 0, "latitude": 0}},
    ] {
        assert!(Near::parse(&doc! {"$near": (geometry.clone())}).is_ok());
        assert!(Near::parse(&doc! {"$near": {"$geometry": geometry}}).is_ok());
    }
}

#[test]
fn wrong_questions_have_mongodbs_codes() {
    let line = doc! {"type": "LineString", "coordinates": [[0, 0], [1, 1]]};
    let cases = [
        (doc! {"$near": [0]}, 2),
        (doc! {"$near": ["x", 0]}, 2),
        (doc! {"$near": [0, 0, "x"]}, 2),
        (doc! {"$near": [0, 0, (-1)]}, 18_522),
        (doc! {"$near": [0, 0, 1, 1]}, 2),
        (doc! {"$near": {}}, 2),
        (doc! {"$near": [0, 0], "$exists": true}, 34_413),
        (doc! {"$nearSphere": [181, 0]}, 2),
        (doc! {"$near": (line.clone())}, 2),
        (doc! {"$near": {"$geometry": line}}, 2),
        (doc! {"$near": {"$geometry": [0, 0]}}, 2),
        (doc! {"$near": {"$geometry": "x"}}, 2),
        (doc! {"$near": {"$geometry": (point()), "$maxDistance": (-1)}}, 2),
        (doc! {"$near": {"$geometry": (point()), "other": 1}}, 2),
        (doc! {"$near": {"$geometry": (point())}, "$maxDistance": 1}, 2),
        (
            doc! {"$near": {"$geometry": (point())}, "$maxDistance": (-1)},
            16_896,
        ),
        (
            doc! {"$near": {"$geometry": (point())}, "$maxDistance": 1, "$eq": 1},
            34_413,
        ),
    ];
    for (operators, expected) in cases {
        assert_eq!(code(&operators), expected, "{operators:?}");
    }
}
