//! Filters that MongoDB refuses, each with its code.

use language::expression::Variables;
use language::filter::{Filter, FilterPlace, FilterScope};
use std::sync::Arc;
use text::TextFields;
use value::{Decimal128, Document, Value, array, doc};

#[track_caller]
fn check(cases: Vec<(Document, i32)>, scope: &FilterScope<'_>) {
    for (query, code) in cases {
        match Filter::parse(&query, scope) {
            Ok(filter) => panic!("{query:?} was taken as {filter:?}"),
            Err(error) => assert_eq!(error.code.number(), code, "{query:?}: {}", error.message),
        }
    }
}

fn regex(pattern: &str, options: &str) -> Value {
    Value::Regex(value::Regex {
        pattern: pattern.into(),
        options: options.into(),
    })
}

#[test]
fn logic_wants_arrays_of_documents() {
    let mut cases = Vec::new();
    for operator in ["$and", "$or", "$nor"] {
        for operand in [
            Value::from(1),
            Value::Null,
            array![].into(),
            array![1].into(),
            doc! {"a": 1}.into(),
        ] {
            cases.push((Document::new().with(operator, operand), 2));
        }
    }
    check(cases, &FilterScope::default());
}

#[test]
fn operators_refuse_wrong_operands() {
    let nan = f64::NAN;
    check(
        vec![
            (doc! {"a": {"$foo": 1}}, 2),
            (doc! {"$foo": 1}, 2),
            (doc! {"a": {"$gt": (regex("x", ""))}}, 2),
            (doc! {"a": {"$ne": (regex("x", ""))}}, 2),
            (doc! {"a": {"$eq": (Value::Undefined)}}, 2),
            (doc! {"a": {"$in": 1}}, 2),
            (doc! {"a": {"$in": [{"$gt": 1}]}}, 2),
            (doc! {"a": {"$not": 5}}, 2),
            (doc! {"a": {"$not": {}}}, 2),
            (doc! {"a": {"$not": {"b": 1}}}, 2),
            (doc! {"a": {"$all": 1}}, 2),
            (doc! {"a": {"$all": [{"$gt": 1}]}}, 2),
            (doc! {"a": {"$all": [{"$elemMatch": {"b": 1}}, 1]}}, 2),
            (doc! {"a": {"$elemMatch": 1}}, 2),
            (doc! {"a": {"$size": (-1)}}, 2),
            (doc! {"a": {"$size": 1.5}}, 2),
            (doc! {"a": {"$mod": [1]}}, 2),
            (doc! {"a": {"$mod": [0.5, 1]}}, 2),
            (doc! {"a": {"$mod": [nan, 1]}}, 2),
            (doc! {"a": {"$mod": [1, (Decimal128::NAN)]}}, 2),
            (doc! {"a": {"$type": "Double"}}, 2),
            (doc! {"a": {"$type": 99}}, 2),
            (doc! {"a": {"$type": true}}, 14),
            (doc! {"a": {"$type": []}}, 9),
            (doc! {"a": {"$bitsAllSet": (-1)}}, 9),
            (doc! {"a": {"$bitsAllSet": "x"}}, 2),
            (doc! {"a": {"$bitsAllSet": [(-1)]}}, 2),
            (doc! {"a": {"$bitsAllSet": [1.5]}}, 2),
            (doc! {"$alwaysTrue": 2}, 9),
            (doc! {"$sampleRate": 2}, 2),
            (doc! {"a": {"$where": "x"}}, 2),
            (doc! {"$where": 1}, 2),
            (doc! {"$where": ""}, 2),
            (
                doc! {"$where": (Value::JavaScriptWithScope("true".into(), doc! {}))},
                4_649_201,
            ),
        ],
        &FilterScope::default(),
    );
}

#[test]
fn divisions_are_read_one_operand_after_the_other() {
    let message = |operands: Vec<Value>| {
        let query = doc! {"a": {"$mod": operands}};
        Filter::parse(&query, &FilterScope::default())
            .unwrap_err()
            .message
    };
    let cases = [
        (array![], "not enough elements"),
        (array!["x"], "divisor not a number"),
        (array![1], "not enough elements"),
        (array![1, "x", 1], "remainder not a number"),
        (array![1, 1, 1], "too many elements"),
        (
            array![1e19, 0],
            "divisor value is invalid :: caused by :: Out of bounds coercing to integral value",
        ),
        (
            array![1, (f64::INFINITY)],
            "remainder value is invalid :: caused by :: Unable to coerce NaN/Inf to integral type",
        ),
    ];
    for (operands, expected) in cases {
        assert_eq!(message(operands), format!("malformed mod, {expected}"));
    }
}

#[test]
fn patterns_are_checked_when_parsed() {
    check(
        vec![
            (doc! {"a": {"$regex": "["}}, 51091),
            (doc! {"a": (regex("(", ""))}, 51091),
            (doc! {"a": {"$regex": ("a".repeat(40_000))}}, 51091),
            (doc! {"a": {"$regex": "a", "$options": "g"}}, 51108),
            (doc! {"a": {"$regex": 1}}, 2),
            (doc! {"a": {"$options": "i"}}, 2),
            (doc! {"a": {"$regex": "a\0b"}}, 2),
            (doc! {"a": {"$regex": (regex("a", "i")), "$options": "m"}}, 51075),
            (doc! {"a": {"$options": "m", "$regex": (regex("a", "i"))}}, 51074),
        ],
        &FilterScope::default(),
    );
}

#[test]
fn texts_are_searched_once_and_by_an_index() {
    let text = || doc! {"$text": {"$search": "x"}};
    check(
        vec![
            (doc! {"$text": "x"}, 2),
            (doc! {"$text": {}}, 4),
            (doc! {"$and": [(text()), (text())]}, 2),
            (doc! {"$or": [(text()), {"$and": [{"a": 1}, (text())]}]}, 2),
            (doc! {"$nor": [(text())]}, 2),
            (doc! {"a": {"$elemMatch": (text())}}, 2),
            (doc! {"a": (text())}, 2),
        ],
        &FilterScope::default(),
    );
    let filter = Filter::parse(&text(), &FilterScope::default()).unwrap();
    let document = doc! {"a": "x"};
    assert_eq!(filter.matches((&document).into()).unwrap_err().code.number(), 27);
    let fields = Arc::new(TextFields::of_options(&doc! {"weights": {"a": 3}}));
    filter.text().unwrap().on(&fields);
    assert!(filter.matches((&document).into()).unwrap());
    let score = filter.text_score((&document).into()).unwrap();
    assert!(score.is_some_and(|score| (score - 3.3).abs() < 1e-9), "{score:?}");
}

#[test]
fn places_are_asked_for_in_one_way_and_what_is_near_once_at_the_top() {
    let point = || doc! {"type": "Point", "coordinates": [0, 0]};
    let near = || doc! {"$near": {"$geometry": (point())}};
    check(
        vec![
            (doc! {"a": {"$geoWithin": {}}}, 2),
            (doc! {"a": {"$geoWithin": {"$geometry": (point())}}}, 2),
            (
                doc! {"a": {"$geoWithin": {"$box": [[0, 0], [1, 1]], "$center": [[0, 0], 1]}}},
                2,
            ),
            (doc! {"a": {"$geoIntersects": {"$box": [[0, 0], [1, 1]]}}}, 2),
            (
                doc! {"a": {"$geoWithin": {"$box": [[0, 0], [1, 1]]}, "$exists": true}},
                2,
            ),
            (
                doc! {"a": {"$exists": true, "$geoIntersects": {"$geometry": (point())}}},
                2,
            ),
            (doc! {"a": {"$near": [0]}}, 2),
            (doc! {"a": {"$near": [0, 0], "$minDistance": "x"}}, 16_893),
            (doc! {"a": {"$near": [0, 0], "$minDistance": (-1)}}, 16_894),
            (doc! {"a": {"$near": [0, 0], "$maxDistance": "x"}}, 16_895),
            (
                doc! {"a": {"$near": {"$geometry": (point()), "$maxDistance": (f64::INFINITY)}}},
                2,
            ),
            (doc! {"a": {"$near": {"$geometry": (point())}, "$eq": 1}}, 34_413),
            (doc! {"a": {"$eq": 1, "$near": [0, 0]}}, 2),
            (doc! {"a": (near()), "b": (near())}, 2),
            (doc! {"$or": [{"a": (near())}, {"b": 1}]}, 2),
            (doc! {"$nor": [{"a": (near())}]}, 2),
            (doc! {"a": {"$not": (near())}}, 2),
            (doc! {"a": {"$elemMatch": {"b": (near())}}}, 2),
        ],
        &FilterScope::default(),
    );
    let stage = FilterScope {
        place: FilterPlace::Stage,
        ..FilterScope::default()
    };
    check(
        vec![(doc! {"a": (near())}, 5_626_500), (doc! {"a": {"$near": 1}}, 2)],
        &stage,
    );
    let query = doc! {"a": (near()), "b": 1};
    let filter = Filter::parse(&query, &FilterScope::default()).unwrap();
    assert_eq!(
        filter.to_document(),
        doc! {"$and": [{"a": (near())}, {"b": {"$eq": 1}}]}
    );
}

#[test]
fn whole_document_conditions_need_a_whole_document() {
    check(
        vec![
            (doc! {"a": {"$elemMatch": {"$expr": true}}}, 2),
            (doc! {"a": {"$elemMatch": {"$and": [{"$sampleRate": 1}]}}}, 2),
            (doc! {"a": {"$elemMatch": {"$where": "true"}}}, 2),
        ],
        &FilterScope::default(),
    );
    let element = FilterScope {
        place: FilterPlace::Element,
        ..FilterScope::default()
    };
    check(
        vec![
            (doc! {"$expr": true}, 224),
            (doc! {"$jsonSchema": {}}, 224),
            (doc! {"a": {"$elemMatch": {"$expr": true}}}, 2),
            (doc! {"a": {"$elemMatch": {"$jsonSchema": {}}}}, 224),
        ],
        &element,
    );
}

#[test]
fn a_path_has_at_most_as_many_parts_as_documents_nest() {
    let path = |parts: usize| vec!["a"; parts].join(".");
    let of = |parts: usize| Document::new().with(path(parts), 1);
    check(
        vec![
            (of(181), 5_729_100),
            (doc! {"$or": [(of(181))]}, 5_729_100),
            (doc! {"a": {"$elemMatch": (of(181))}}, 5_729_100),
        ],
        &FilterScope::default(),
    );
    assert!(Filter::parse(&of(180), &FilterScope::default()).is_ok());
}

#[test]
fn nesting_has_a_limit() {
    let negated = |times: usize| {
        let condition = (0..times).fold(doc! {"$gt": 1}, |inner, _| doc! {"$not": inner});
        doc! {"a": condition}
    };
    check(vec![(negated(300), 2)], &FilterScope::default());
    assert!(Filter::parse(&negated(150), &FilterScope::default()).is_ok());
}

#[test]
fn hostile_patterns_end_with_an_error() {
    let filter = Filter::parse(&doc! {"a": {"$regex": "^(a+)+$"}}, &FilterScope::default()).unwrap();
    let text = "a".repeat(40) + "b";
    let outcome = filter.matches((&doc! {"a": text}).into());
    assert!(outcome.is_err());
}

#[test]
fn validators_take_nothing_that_needs_an_index() {
    check(
        vec![
            (doc! {"$text": {"$search": "x"}}, 2),
            (doc! {"$where": "true"}, 2),
            (doc! {"a": {"$near": [0, 0]}}, 5_626_500),
        ],
        &FilterScope::validator(&Variables::default()),
    );
}
