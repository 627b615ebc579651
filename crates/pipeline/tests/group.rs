//! How the accumulators of a `$group` begin.

mod common;

use common::run;
use value::{Document, Value, doc};

fn group(key: Value, n: Value) -> Document {
    let first = doc! {"$firstN": {"n": n, "input": "$score"}};
    doc! {"$group": {"_id": key, "first": first}}
}

/// The example of MongoDB's manual.
#[test]
fn the_parts_of_a_key_decide_how_many_are_kept() {
    let scores = [
        doc! {"game": "G1", "score": 5},
        doc! {"game": "G1", "score": 6},
        doc! {"game": "G2", "score": 7},
        doc! {"game": "G2", "score": 8},
    ];
    let n = doc! {"$cond": [{"$eq": ["$game", "G2"]}, 1, 3]};
    let found = run(group(doc! {"game": "$game"}.into(), n.into()), &scores).expect("two groups");
    let expected = [
        doc! {"_id": {"game": "G1"}, "first": [5, 6]},
        doc! {"_id": {"game": "G2"}, "first": [7]},
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_key_without_parts_shows_nothing() {
    let refused = run(group("$n".into(), "$_id".into()), &[doc! {"n": 1}]);
    let code = refused.err().map(|error| error.code().number());
    assert_eq!(code, Some(7_548_606));
}
