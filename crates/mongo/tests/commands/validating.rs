//! What `validate` reports, and which of its options can be combined.

use crate::case::{Case, bad, good, run};
use value::{Document, Value, array, doc};

#[test]
fn validate_tells_of_all_indexes() {
    run(&answers());
}

#[test]
fn options_of_validate_that_contradict_each_other_are_refused() {
    run(&contradictions());
}

fn validate(option: &str, value: impl Into<Value>) -> Document {
    doc! {"validate": "empty"}.with(option, value)
}

fn made() -> Vec<Case> {
    vec![
        good(
            doc! {"createIndexes": "empty", "indexes": [{"key": {"a": 1}, "name": "a_1", "sparse": true}]},
            doc! {"numIndexesAfter": 2},
        ),
        good(
            doc! {"create": "clustered", "clusteredIndex": {"key": {"_id": 1}, "unique": true}},
            doc! {},
        ),
    ]
}

fn answers() -> Vec<Case> {
    let empty = || {
        doc! {
            "ns": "test.empty",
            "nInvalidDocuments": 0,
            "nNonCompliantDocuments": 0,
            "nrecords": 0,
            "nIndexes": 2,
            "keysPerIndex": {"_id_": 0, "a_1": 0},
            "indexDetails": {
                "_id_": {"valid": true, "spec": {"v": 2, "key": {"_id": 1}, "name": "_id_"}},
                "a_1": {"valid": true, "spec": {"key": {"a": 1}, "sparse": true}},
            },
            "valid": true,
            "repaired": false,
            "repairMode": "None",
            "warnings": Value::Array(array![]),
            "errors": Value::Array(array![]),
        }
    };
    let mut cases = made();
    cases.push(good(doc! {"validate": "empty"}, empty()).with("uuid"));
    for option in [
        "full",
        "background",
        "checkBSONConformance",
        "enforceFastCount",
        "repair",
        "fixMultikey",
    ] {
        // Values of every type say yes or no.
        cases.push(good(validate(option, true), empty()));
        cases.push(good(validate(option, "yes"), empty()));
        cases.push(good(validate(option, Value::Null), empty()));
    }
    cases.extend([
        good(
            validate("metadata", 1),
            doc! {"nIndexes": 2, "keysPerIndex": {"a_1": 0}, "valid": true, "repairMode": "None"},
        )
        .without("nrecords")
        .without("nInvalidDocuments")
        .without("nNonCompliantDocuments"),
        good(
            doc! {"insert": "empty", "documents": [{"a": 1}, {"a": 2}, {}]},
            doc! {"n": 3},
        ),
        good(
            doc! {"validate": "empty"},
            doc! {"nrecords": 3, "keysPerIndex": {"_id_": 3, "a_1": 2}},
        ),
        good(doc! {"validate": "clustered"}, doc! {"nIndexes": 0}),
        bad(validate("unheardOf", 1), 40_415, "'validate.unheardOf'"),
    ]);
    cases
}

fn contradictions() -> Vec<Case> {
    let pairs = [
        ("background", "full"),
        ("background", "enforceFastCount"),
        ("background", "repair"),
        ("enforceFastCount", "repair"),
        ("checkBSONConformance", "repair"),
        ("metadata", "background"),
        ("metadata", "full"),
        ("metadata", "enforceFastCount"),
        ("metadata", "checkBSONConformance"),
        ("metadata", "repair"),
    ];
    let mut cases = made();
    for (one, other) in pairs {
        cases.push(bad(validate(one, true).with(other, true), 72, "is not supported"));
        cases.push(good(validate(one, true).with(other, false), doc! {"valid": true}));
    }
    for whole in ["full", "enforceFastCount"] {
        cases.push(bad(
            validate(whole, true).with("checkBSONConformance", false),
            72,
            "checkBSONConformance: false",
        ));
    }
    cases.push(bad(
        validate("repair", true).with("fixMultikey", false),
        72,
        "fixMultikey: false",
    ));
    cases
}
