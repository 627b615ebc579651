//! Conditions of partial indexes, and which queries they serve.

#![allow(clippy::unwrap_used, reason = "in a test a failure ends it")]

use language::filter::{Filter, FilterScope};
use query::plan::implies::implies;
use query::plan::leaves::Conjunction;
use value::{Document, Value, doc};

fn filter(query: &Document) -> Filter {
    Filter::parse(query, &FilterScope::default()).unwrap()
}

#[test]
fn only_simple_conditions_are_taken() {
    for condition in [
        doc! {"a": {"$gt": 5}},
        doc! {"a": {"$exists": true}, "b": {"$type": "string"}},
        doc! {"$or": [{"a": 1}, {"b": {"$in": [1, 2]}}]},
    ] {
        Filter::parse_partial(&condition).unwrap();
    }
    for condition in [
        doc! {"a": {"$ne": 5}},
        doc! {"a": {"$exists": false}},
        doc! {"a": {"$regex": "x"}},
        doc! {"$nor": [{"a": 1}]},
        doc! {"$expr": true},
    ] {
        assert_eq!(Filter::parse_partial(&condition).unwrap_err().code.number(), 67);
    }
}

#[test]
fn a_query_implies_wider_conditions_only() {
    let cases = [
        (doc! {"a": 7}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"a": 5}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": {"$gt": 6}, "b": 1}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"a": {"$gte": 5}}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": {"$gt": "x"}}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": {"$lt": 3}}, doc! {"a": {"$lte": 3}}, true),
        (doc! {"a": {"$in": [6, 7]}}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"a": {"$in": [5, 7]}}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": 1}, doc! {"a": {"$exists": true}}, true),
        (doc! {"a": null}, doc! {"a": {"$exists": true}}, false),
        (
            doc! {"a": {"$lt": (Value::MaxKey)}},
            doc! {"a": {"$exists": true}},
            false,
        ),
        (doc! {"a": {"$ne": null}}, doc! {"a": {"$exists": true}}, true),
        (doc! {"a": {"$ne": 1}}, doc! {"a": {"$exists": true}}, false),
        (doc! {"a": {"$regex": "^x"}}, doc! {"a": {"$exists": true}}, true),
        (doc! {"b": 1}, doc! {"a": {"$exists": true}}, false),
        (
            doc! {"a": 1, "b": 2},
            doc! {"a": {"$gt": 0}, "b": {"$lt": 3}},
            true,
        ),
        (doc! {"$or": [{"a": 6}, {"a": 9}]}, doc! {"a": {"$gt": 5}}, true),
        (doc! {"$or": [{"a": 6}, {"b": 9}]}, doc! {"a": {"$gt": 5}}, false),
        (doc! {"a": 6}, doc! {"$or": [{"a": {"$gt": 5}}, {"b": 1}]}, true),
        (
            doc! {"a": {"$type": "string"}},
            doc! {"a": {"$type": ["string", "int"]}},
            true,
        ),
        (doc! {}, doc! {"a": 1}, false),
        (doc! {"a": f64::NAN}, doc! {"a": {"$lt": 5}}, false),
    ];
    for (query, condition, expected) in cases {
        assert_eq!(
            implies(&Conjunction::of(&filter(&query)), filter(&condition).root()),
            expected,
            "{query:?} within {condition:?}"
        );
    }
}
