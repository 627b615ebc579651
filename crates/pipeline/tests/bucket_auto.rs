//! Accumulators in the buckets of `$bucketAuto`.

mod common;

use common::run;
use value::{Document, Value, array, doc};

/// The documents of one bucket are sorted by what they are grouped by, but came in another order.
#[test]
fn accumulators_that_go_by_order_go_by_that_in_which_documents_came() {
    let input = [
        doc! {"x": 3, "a": [1], "o": {"k": 1, "first": true}},
        doc! {"x": 1, "a": [2, 3], "o": {"k": 2}},
        doc! {"x": 2, "a": []},
        doc! {"x": 9, "a": [4], "o": {"k": 9}},
        doc! {"x": 8},
        doc! {"x": 7, "a": [5]},
    ];
    let n = |input: &str| doc! {"n": 2, "input": input};
    let output = doc! {
        "first": {"$first": "$x"},
        "last": {"$last": "$x"},
        "firstN": {"$firstN": (n("$x"))},
        "lastN": {"$lastN": (n("$x"))},
        "pushed": {"$push": "$x"},
        "joined": {"$concatArrays": "$a"},
        "merged": {"$mergeObjects": "$o"},
        "least": {"$min": "$x"},
    };
    let stage = doc! {"$bucketAuto": {"groupBy": "$x", "buckets": 2, "output": output}};
    let expected = [
        doc! {
            "_id": {"min": 1, "max": 7}, "first": 3, "last": 2, "firstN": [3, 1], "lastN": [1, 2], "pushed": [3, 1, 2],
            "joined": [1, 2, 3], "merged": {"k": 2, "first": true}, "least": 1,
        },
        doc! {
            "_id": {"min": 7, "max": 9}, "first": 9, "last": 7, "firstN": [9, 8], "lastN": [8, 7], "pushed": [9, 8, 7],
            "joined": [4, 5], "merged": {"k": 9}, "least": 7,
        },
    ];
    assert_eq!(run(stage, &input).expect("two buckets"), expected);
}

#[test]
fn a_missing_value_counts_for_the_first_and_not_for_what_is_pushed() {
    let input = [doc! {"x": 2}, doc! {"x": 1, "v": 5}];
    let output = doc! {"first": {"$first": "$v"}, "pushed": {"$push": "$v"}};
    let stage = doc! {"$bucketAuto": {"groupBy": "$x", "buckets": 1, "output": output}};
    let buckets: Vec<Document> = run(stage, &input).expect("one bucket");
    let of = |name: &str| buckets[0].get(name).cloned();
    assert_eq!(of("first"), Some(Value::Null));
    assert_eq!(of("pushed"), Some(Value::Array(array![5])));
}

#[test]
fn options_are_refused_in_the_order_in_which_they_are_looked_at() {
    let output = |n: Value| doc! {"some": {"$firstN": {"n": n, "input": "$x"}}};
    for (options, expected) in [
        (doc! {"buckets": 0}, 40_246),
        (
            doc! {"groupBy": "$x", "buckets": 0, "output": (output("$x".into()))},
            4_544_714,
        ),
        (
            doc! {"groupBy": "$x", "buckets": 0, "output": (output(1.into()))},
            40_243,
        ),
        (doc! {"groupBy": "$x", "buckets": 0, "output": {"a.b": 1}}, 40_234),
    ] {
        let refused = run(doc! {"$bucketAuto": (options.clone())}, &[]);
        let code = refused.err().map(|error| error.code().number());
        assert_eq!(code, Some(expected), "{options:?}");
    }
}
