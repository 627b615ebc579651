//! `$densify`: the documents that it generates, their order, and what it refuses in specifications and in documents.

mod common;

use common::run;
use value::{Document, Value, array, doc};

fn date(ms: i64) -> Value {
    Value::DateTime(ms)
}

#[track_caller]
fn check_codes(cases: Vec<(Document, Vec<Document>, i32)>) {
    for (stage, input, expected) in cases {
        let refused = run(stage.clone(), &input).expect_err("it is refused");
        assert_eq!(refused.code().number(), expected, "{stage:?} {input:?}");
    }
}

fn densify(bounds: impl Into<Value>, step: impl Into<Value>, unit: Option<&str>) -> Document {
    let mut range = doc! {"step": (step.into()), "bounds": (bounds.into())};
    if let Some(unit) = unit {
        range.push("unit", unit);
    }
    doc! {"$densify": {"field": "v", "range": range}}
}

#[test]
fn ranges_to_densify_are_of_one_kind() {
    let day = Some("day");
    check_codes(vec![
        (densify(array![3, 0], 1, None), vec![], 5_733_402),
        (densify("foo", 1, None), vec![], 5_946_802),
        (densify(3, 1, None), vec![], 5_733_404),
        (densify(array![1], 1, None), vec![], 5_733_403),
        (densify(array!["a", "b"], 1, None), vec![], 5_946_800),
        (densify(array![0, "x"], 1, None), vec![], 5_733_406),
        (densify(array![0, 5], 1, day), vec![], 5_733_409),
        (densify(vec![date(0), date(1)], 1, None), vec![], 5_733_410),
        (densify(vec![date(0), Value::MaxKey], 1, day), vec![], 5_733_405),
        (densify(array![0, 5.0], 1, None), vec![], 5_876_900),
        (densify(array![0, 5], 1.0, None), vec![], 5_876_900),
        (densify(array![0, 5i64], 1, None), vec![], 5_876_900),
        (densify("full", 1.5, Some("eon")), vec![], 6_586_400),
        (
            doc! {"$densify": {"field": "v", "range": {"step": 1}}},
            vec![],
            40_414,
        ),
        // A step is a number before it is one that is positive, and null is none.
        (densify("full", "x", None), vec![], 14),
        (densify("full", Value::Null, None), vec![], 40_414),
        (densify("full", 0, None), vec![], 5_733_401),
        (densify("full", 1, None), vec![doc! {"v": (date(0))}], 6_053_600),
        (densify("full", 1, day), vec![doc! {"v": 1}], 6_053_600),
        (densify("full", 1, None), vec![doc! {"v": "x"}], 5_733_201),
        (densify("full", 1, day), vec![doc! {"v": "x"}], 5_733_201),
    ]);
    let filled = run(densify(array![0.0, 2.0], 1.0, None), &[doc! {"v": 1.0}]);
    assert_eq!(filled.expect("documents"), [doc! {"v": 0.0}, doc! {"v": 1.0}]);
}

#[test]
fn partitions_are_told_apart_by_other_fields_than_the_one_that_gets_values() {
    let densify = |field: &str, partition: &str| {
        doc! {"$densify": {
            "field": field, "partitionByFields": ["p", partition], "range": {"step": 1, "bounds": "partition"}
        }}
    };
    check_codes(vec![
        (densify("v", "v"), vec![], 8_993_000),
        (densify("v", "v.w"), vec![], 8_993_000),
        (densify("v.w", "v"), vec![], 9_554_500),
    ]);
    assert!(run(densify("v", "w"), &[]).is_ok());
}

#[test]
fn partitions_are_densified_in_the_order_of_their_documents_and_then_to_their_ends() {
    let densified = |bounds: Value, step: i32, input: &[Document]| {
        let range = doc! {"step": step, "bounds": bounds};
        let stage = doc! {"$densify": {"field": "v", "partitionByFields": ["p"], "range": range}};
        run(stage, input).expect("documents")
    };
    let at = |p: &str, v: i32| doc! {"p": p, "v": v};
    // With full bounds the documents of all partitions come in the order of their values.
    let input = [at("a", 0), at("a", 3), at("b", 2)];
    assert_eq!(
        densified("full".into(), 1, &input),
        [
            at("a", 0),
            at("b", 0),
            at("b", 1),
            at("b", 2),
            at("a", 1),
            at("a", 2),
            at("a", 3),
            at("b", 3)
        ]
    );
    assert_eq!(
        densified(array![0, 2].into(), 1, &[at("b", 1), at("a", 0)]),
        [at("a", 0), at("b", 0), at("b", 1), at("a", 1)]
    );
    assert_eq!(
        densified(
            "partition".into(),
            1,
            &[at("b", 1), at("a", 0), at("a", 2), at("b", 2)]
        ),
        [at("a", 0), at("a", 1), at("a", 2), at("b", 1), at("b", 2)]
    );
    // A partition's first document within a step of the least of all comes before what is made for the partition.
    assert_eq!(
        densified("full".into(), 2, &[at("a", 0), at("b", 1)]),
        [at("a", 0), at("b", 1), at("b", 0)]
    );
    // What is missing is another partition than null.
    assert_eq!(
        densified("full".into(), 1, &[doc! {"v": 0}, doc! {"p": null, "v": 2}]),
        [
            doc! {"v": 0},
            doc! {"p": null, "v": 0},
            doc! {"p": null, "v": 1},
            doc! {"p": null, "v": 2},
            doc! {"v": 1},
            doc! {"v": 2}
        ]
    );
}

#[test]
fn steps_of_months_go_on_from_the_last_one() {
    let at = |seconds: i64| doc! {"v": (date(seconds * 1000))};
    // The ends of January and April 2023.
    let input = [at(1_675_123_200), at(1_682_812_800)];
    let made = run(densify("full", 1, Some("month")), &input).expect("documents");
    // The 28th of February, March and April.
    let expected = [
        1_675_123_200,
        1_677_542_400,
        1_679_961_600,
        1_682_640_000,
        1_682_812_800,
    ];
    assert_eq!(made, expected.map(at));
}
