//! Areas against places.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use geometry::Area;
use value::{Value, json};

fn area(text: &str) -> Area {
    match json::parse(text).unwrap() {
        Value::Document(document) => Area::parse(&document).unwrap(),
        _ => panic!("an area is a document"),
    }
}

fn contains(within: &Area, place: &str) -> bool {
    within.contains(json::parse(place).unwrap().as_ref())
}

fn intersects(with: &Area, place: &str) -> bool {
    with.intersects(json::parse(place).unwrap().as_ref())
}

const SQUARE: &str = r#"{"$geometry": {"type": "Polygon", "coordinates":
    [[[-10, -10], [10, -10], [10, 10], [-10, 10], [-10, -10]], [[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]]}}"#;

#[test]
fn a_polygon_holds_its_border_and_not_its_holes() {
    let square = area(SQUARE);
    for place in [
        "[5, 5]",
        "[-10, -10]",
        "[10, 0]",
        "[1, 0]",
        r#"{"type": "Point", "coordinates": [-9, 9]}"#,
    ] {
        assert!(contains(&square, place) && intersects(&square, place), "{place}");
    }
    for place in ["[0, 0]", "[50, 50]", "[10.001, 0]", "[200, 0]", "\"x\""] {
        assert!(
            !contains(&square, place) && !intersects(&square, place),
            "{place}"
        );
    }
}

#[test]
fn lines_and_polygons_are_within_as_a_whole() {
    let square = area(SQUARE);
    let line = |points: &str| format!(r#"{{"type": "LineString", "coordinates": {points}}}"#);
    assert!(contains(&square, &line("[[2, 2], [9, 9]]")));
    assert!(contains(&square, &line("[[-10, -10], [-10, 10]]")));
    assert!(
        !contains(&square, &line("[[2, 2], [-2, -2]]")),
        "through the hole"
    );
    assert!(intersects(&square, &line("[[2, 2], [-2, -2]]")));
    assert!(!contains(&square, &line("[[2, 2], [20, 2]]")));
    assert!(intersects(&square, &line("[[-20, 5], [20, 5]]")));
    assert!(
        !intersects(&square, &line("[[-0.5, 0], [0.5, 0]]")),
        "in the hole"
    );
    let polygon = |ring: &str| format!(r#"{{"type": "Polygon", "coordinates": [{ring}]}}"#);
    assert!(contains(
        &square,
        &polygon("[[2, 2], [4, 2], [4, 4], [2, 4], [2, 2]]")
    ));
    let around_hole = polygon("[[-2, -2], [2, -2], [2, 2], [-2, 2], [-2, -2]]");
    assert!(!contains(&square, &around_hole) && intersects(&square, &around_hole));
    let hole = polygon("[[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]");
    assert!(!contains(&square, &hole), "the hole itself");
    let around_all = polygon("[[-40, -40], [40, -40], [40, 40], [-40, 40], [-40, -40]]");
    assert!(!contains(&square, &around_all) && intersects(&square, &around_all));
}

#[test]
fn strict_winding_takes_the_left_side() {
    let crs =
        r#""crs": {"type": "name", "properties": {"name": "urn:x-mongodb:crs:strictwinding:EPSG:4326"}}"#;
    let clockwise = "[[[-10, -10], [-10, 10], [10, 10], [10, -10], [-10, -10]]]";
    let around = area(&format!(
        r#"{{"$geometry": {{"type": "Polygon", "coordinates": {clockwise}, {crs}}}}}"#
    ));
    assert!(contains(&around, "[50, 50]") && !contains(&around, "[0, 0]"));
    let smaller = area(&format!(
        r#"{{"$geometry": {{"type": "Polygon", "coordinates": {clockwise}}}}}"#
    ));
    assert!(!contains(&smaller, "[50, 50]") && contains(&smaller, "[0, 0]"));
}

#[test]
fn areas_go_over_the_date_line_and_the_poles() {
    let across = area(
        r#"{"$geometry": {"type": "Polygon", "coordinates": [[[179, -1], [-179, -1], [-179, 1], [179, 1], [179, -1]]]}}"#,
    );
    assert!(
        contains(&across, "[180, 0]") && contains(&across, "[-180, 0.5]") && contains(&across, "[-179.5, 0]")
    );
    assert!(!contains(&across, "[0, 0]"));
    let arctic = area(
        r#"{"$geometry": {"type": "Polygon", "coordinates": [[[0, 70], [90, 70], [180, 70], [-90, 70], [0, 70]]]}}"#,
    );
    assert!(
        contains(&arctic, "[13, 90]") && contains(&arctic, "[-135, 88]") && !contains(&arctic, "[0, 60]")
    );
}

#[test]
fn flat_shapes_hold_their_borders() {
    for (shape, inside, outside) in [
        (r#"{"$box": [[10, 0], [0, 10]]}"#, "[10, 10]", "[10.1, 5]"),
        (r#"{"$center": [[0, 0], 5]}"#, "[3, 4]", "[4, 4]"),
        (r#"{"$polygon": [[0, 0], [4, 0], [0, 4]]}"#, "[2, 2]", "[2.1, 2]"),
        (
            r#"{"$polygon": [[0, 0], [4, 0], [4, 4], [2, 1], [0, 4]]}"#,
            "[1, 0.5]",
            "[2, 3]",
        ),
        (r#"{"$centerSphere": [[0, 0], 0.0175]}"#, "[1, 0]", "[1.1, 0]"),
    ] {
        let shape = area(shape);
        assert!(
            contains(&shape, inside) && !contains(&shape, outside),
            "{shape:?}"
        );
        assert!(!shape.can_intersect());
    }
}

#[test]
fn a_cap_may_be_larger_than_a_hemisphere() {
    let cap = area(r#"{"$centerSphere": [[0, 0], 3]}"#);
    assert!(contains(&cap, "[150, 0]") && !contains(&cap, "[180, 0]"));
    let line = r#"{"type": "LineString", "coordinates": [[170, 0], [-170, 0]]}"#;
    assert!(!contains(&cap, line), "its ends are within, its middle is not");
}
