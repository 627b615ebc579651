//! What a filter gives besides a match: the position in an array, answers for single values, the seed of an upsert, its
//! normal form.

use language::filter::{Filter, FilterScope};
use value::{Document, Value, array, doc};

#[test]
fn the_last_array_condition_gives_the_position() {
    let filter = Filter::parse(
        &doc! {"a": {"$gt": 4}, "b.c": {"$elemMatch": {"$eq": 3}}},
        &FilterScope::default(),
    )
    .unwrap();
    let document = doc! {"a": [1, 2, 5], "b": {"c": [1, 3]}};
    let mut position = None;
    assert!(
        filter
            .matches_positioned((&document).into(), &mut position)
            .unwrap()
    );
    assert_eq!(position, Some(2));

    let filter = Filter::parse(&doc! {"a": {"$ne": 5}}, &FilterScope::default()).unwrap();
    assert!(
        filter
            .matches_positioned((&doc! {"a": [1]}).into(), &mut position)
            .unwrap()
    );
    assert_eq!(position, None);
}

/// Where the document satisfies the filter last.
#[track_caller]
fn position(filter: &Document, document: &Document) -> Option<usize> {
    let parsed = Filter::parse(filter, &FilterScope::default()).expect("a filter");
    let mut position = None;
    let matches = parsed.matches_positioned(document.into(), &mut position);
    assert!(matches.expect("no error"), "{filter:?} {document:?}");
    position
}

#[test]
fn the_position_does_not_depend_on_the_order_of_the_conditions() {
    let cases = [
        (doc! {"a": {"$gt": 1, "$lt": 3}}, doc! {"a": [1, 2, 3]}, Some(1)),
        (
            doc! {"v": 3, "l.x": 1},
            doc! {"v": [1, 2, 3], "l": [{"x": 1}, {"x": 2}]},
            Some(2),
        ),
        (
            doc! {"a": {"$in": [1, 2]}, "b": 5},
            doc! {"a": [0, 2], "b": [5]},
            Some(1),
        ),
        (
            doc! {"a": {"$elemMatch": {"$gt": 2}}, "b": 5},
            doc! {"a": [1, 2, 3], "b": [4, 5]},
            Some(1),
        ),
        // A negated condition gives no position, wherever it is.
        (
            doc! {"a": 2, "b": {"$ne": 7}},
            doc! {"a": [1, 2], "b": [3]},
            Some(1),
        ),
        (
            doc! {"a": {"$elemMatch": {"x": 1}}, "$and": [{"a": {"$elemMatch": {"x": {"$gt": 1}}}}]},
            doc! {"a": [{"x": 2}, {"x": 1}]},
            Some(0),
        ),
    ];
    for (filter, document, expected) in cases {
        let turned = |filter: &Document| {
            let mut fields: Vec<(String, Value)> = filter
                .iter()
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect();
            fields.reverse();
            fields.into_iter().collect::<Document>()
        };
        let inner = |filter: &Document| -> Document {
            let fields = filter.iter().map(|(name, value)| match value {
                Value::Document(operators) => (name.to_owned(), Value::Document(turned(operators))),
                other => (name.to_owned(), other.clone()),
            });
            fields.collect()
        };
        for written in [filter.clone(), turned(&filter), inner(&filter)] {
            assert_eq!(position(&written, &document), expected, "{written:?}");
        }
    }
}

#[test]
fn alternatives_give_a_position_where_they_are_a_list_of_values() {
    let document = doc! {"a": [1, 2, "x"], "b": [2]};
    for (alternatives, expected) in [
        (array![{"a": 2}, {"a": 1}], Some(0)),
        (array![{"a": "x"}, {"a": {"$regex": "^y"}}, {"a": 2}], Some(1)),
        (array![{"a": 2}, {"b": 2}], None),
        (array![{"a": {"$gt": 1}}, {"a": 7}], None),
    ] {
        assert_eq!(
            position(&doc! {"$or": (alternatives.clone())}, &document),
            expected,
            "{alternatives:?}"
        );
    }
    assert_eq!(
        position(&doc! {"$or": [{"a": 2}, {"b": 2}], "b": 2}, &document),
        Some(0)
    );
}

#[test]
fn a_value_is_matched_under_its_name() {
    let scope = FilterScope::default();
    let above = Filter::parse_on_value(&doc! {"$gt": 5}.into(), &scope).unwrap();
    assert!(above.matches_value("", Value::Int32(6).as_ref()).unwrap());
    assert!(!above.matches_value("", Value::Int32(5).as_ref()).unwrap());
    let named = Filter::parse(&doc! {"e.grade": {"$gte": 80}}, &scope).unwrap();
    assert!(
        named
            .matches_value("e", Value::from(doc! {"grade": 90}).as_ref())
            .unwrap()
    );
    assert!(!named.matches_value("e", Value::from(array![1]).as_ref()).unwrap());
}

#[test]
fn equalities_seed_upserts() {
    let filter = Filter::parse(
        &doc! {"a": 1, "$and": [{"b.c": "x"}, {"d": {"$gt": 1}}], "e": {"$in": [7]}, "$or": [{"f": 1}, {"g": 1}]},
        &FilterScope::default(),
    )
    .unwrap();
    let seeds: Vec<(String, Value)> = filter
        .equalities()
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect();
    assert_eq!(
        seeds,
        [
            ("a".to_owned(), Value::Int32(1)),
            ("b.c".to_owned(), Value::from("x")),
            ("e".to_owned(), Value::Int32(7)),
        ]
    );
}

#[test]
fn the_normal_form_is_explains() {
    let cases = [
        (doc! {"a": 1}, doc! {"a": {"$eq": 1}}),
        (
            doc! {"a": {"$gt": 1, "$lt": 5}},
            doc! {"$and": [{"a": {"$gt": 1}}, {"a": {"$lt": 5}}]},
        ),
        (doc! {"a": {"$ne": 1}}, doc! {"a": {"$not": {"$eq": 1}}}),
        (
            doc! {"a": {"$exists": false}},
            doc! {"a": {"$not": {"$exists": true}}},
        ),
        (doc! {"a": {"$in": [3]}}, doc! {"a": {"$eq": 3}}),
        (doc! {"a": {"$in": [2, 1, 2]}}, doc! {"a": {"$in": [1, 2]}}),
        (doc! {"a": {"$all": []}}, doc! {"$alwaysFalse": 1}),
        (
            doc! {"$or": [{"a": 1}, {"b": {"$type": "string"}}]},
            doc! {"$or": [{"a": {"$eq": 1}}, {"b": {"$type": [2]}}]},
        ),
        (doc! {}, doc! {}),
    ];
    for (query, normal) in cases {
        let filter = Filter::parse(&query, &FilterScope::default()).unwrap();
        assert_eq!(filter.to_document(), normal);
    }
}
