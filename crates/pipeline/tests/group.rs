//! How the accumulators of a `$group` begin, and which codes errors have in groups.

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

/// MongoDB has codes of its own for errors on documents in groups, if its engine for groups has all that they name.
#[test]
fn errors_on_documents_have_codes_of_their_own() {
    let document = doc! {"n": 1, "zero": 0, "text": "x", "array": [1], "object": {"a": 1}};
    let sum = |operand: Document| doc! {"$sum": operand};
    for (accumulator, expected) in [
        (sum(doc! {"$divide": ["$n", "$zero"]}), 4_848_401),
        (sum(doc! {"$divide": ["$n", "$text"]}), 7_157_719),
        (sum(doc! {"$mod": ["$n", "$zero"]}), 4_848_403),
        (sum(doc! {"$add": ["$n", "$text"]}), 7_157_723),
        (sum(doc! {"$subtract": ["$n", "$text"]}), 7_157_720),
        (sum(doc! {"$multiply": ["$n", "$text"]}), 7_157_721),
        (sum(doc! {"$abs": "$text"}), 7_157_700),
        (sum(doc! {"$sqrt": "$text"}), 7_157_709),
        (sum(doc! {"$sinh": "$text"}), 7_157_800),
        (doc! {"$push": {"$concat": ["$text", "$n"]}}, 7_158_201),
        (doc! {"$mergeObjects": "$n"}, 5_911_200),
        // Constants are computed before, and some operators are not for groups.
        (sum(doc! {"$divide": [1, 0]}), 2),
        (sum(doc! {"$divide": [{"$size": "$array"}, "$zero"]}), 2),
        (sum(doc! {"$add": [{"$toInt": "$n"}, "$text"]}), 14),
    ] {
        let stage = doc! {"$group": {"_id": null, "a": (accumulator.clone())}};
        let refused = run(stage, std::slice::from_ref(&document));
        let code = refused.err().map(|error| error.code().number());
        assert_eq!(code, Some(expected), "{accumulator:?}");
    }
    let percentile = doc! {"input": {"$divide": ["$n", "$zero"]}, "p": [0.5], "method": "approximate"};
    let stage = doc! {"$group": {"_id": null, "a": {"$percentile": percentile}}};
    let refused = run(stage, &[document]);
    assert_eq!(refused.err().map(|error| error.code().number()), Some(2));
}
