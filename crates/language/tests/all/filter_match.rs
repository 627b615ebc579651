//! Which documents a filter matches, as a table: each filter with documents that match and others that do not.

use language::filter::{Filter, FilterScope};
use value::{Decimal128, Document, DocumentBuf, Value, doc};

/// A query, documents that match it, and documents that do not.
struct Case {
    query: Document,
    yes: Vec<Document>,
    no: Vec<Document>,
}

fn case<const Y: usize, const N: usize>(query: Document, yes: [Document; Y], no: [Document; N]) -> Case {
    Case {
        query,
        yes: yes.into(),
        no: no.into(),
    }
}

#[track_caller]
fn check(cases: Vec<Case>) {
    for Case { query, yes, no } in cases {
        let filter = Filter::parse(&query, &FilterScope::default())
            .unwrap_or_else(|error| panic!("{query:?}: {} {}", error.code.number(), error.message));
        let expected = yes.iter().map(|d| (d, true)).chain(no.iter().map(|d| (d, false)));
        for (document, expected) in expected {
            let raw = DocumentBuf::from(document);
            assert_eq!(
                filter.matches(raw.as_ref()).unwrap(),
                expected,
                "{query:?} on raw {document:?}"
            );
            assert_eq!(
                filter.matches(document.into()).unwrap(),
                expected,
                "{query:?} on decoded {document:?}"
            );
        }
    }
}

fn regex(pattern: &str, options: &str) -> Value {
    Value::Regex(value::Regex {
        pattern: pattern.into(),
        options: options.into(),
    })
}

fn binary(bytes: &[u8]) -> Value {
    Value::Binary(value::Binary {
        subtype: 0,
        bytes: bytes.into(),
    })
}

#[test]
fn comparisons_stay_within_a_type() {
    check(vec![
        case(
            doc! {"a": 1},
            [doc! {"a": 1.0}, doc! {"a": 1i64}, doc! {"a": [0, 1]}],
            [doc! {"a": "1"}, doc! {}],
        ),
        case(
            doc! {"a": {"$gt": 5}},
            [doc! {"a": 6}, doc! {"a": [1, 7]}, doc! {"a": 5.5}],
            [
                doc! {"a": 5},
                doc! {"a": "x"},
                doc! {"a": true},
                doc! {"a": null},
                doc! {"a": {"b": 9}},
            ],
        ),
        case(
            doc! {"a": {"$lte": "m"}},
            [doc! {"a": "a"}, doc! {"a": "m"}],
            [doc! {"a": "z"}, doc! {"a": 1}],
        ),
        case(
            doc! {"a": {"$lt": (Value::MaxKey)}},
            [doc! {"a": 1}, doc! {"a": "x"}, doc! {"a": null}],
            [doc! {"a": (Value::MaxKey)}],
        ),
        case(
            doc! {"a": {"$gte": (Value::MinKey)}},
            [doc! {"a": 1}, doc! {"a": (Value::MinKey)}, doc! {}],
            [],
        ),
        case(
            doc! {"a": {"$eq": (Value::MinKey)}},
            [doc! {"a": (Value::MinKey)}],
            [doc! {"a": 1}],
        ),
        case(
            doc! {"a": {"$gt": false}},
            [doc! {"a": true}],
            [doc! {"a": false}, doc! {"a": 1}],
        ),
    ]);
}

#[test]
fn nan_equals_only_nan() {
    let nan = f64::NAN;
    check(vec![
        case(
            doc! {"a": nan},
            [doc! {"a": nan}, doc! {"a": (Decimal128::NAN)}],
            [doc! {"a": 0}],
        ),
        case(
            doc! {"a": {"$lte": nan}},
            [doc! {"a": nan}],
            [doc! {"a": 0}, doc! {"a": (f64::NEG_INFINITY)}],
        ),
        case(doc! {"a": {"$lt": 5}}, [doc! {"a": 1}], [doc! {"a": nan}]),
        case(doc! {"a": {"$gt": nan}}, [], [doc! {"a": nan}, doc! {"a": 1}]),
        case(
            doc! {"a": {"$in": [nan, 3]}},
            [doc! {"a": nan}, doc! {"a": 3i64}],
            [doc! {"a": 2}],
        ),
    ]);
}

#[test]
fn null_means_null_or_missing() {
    check(vec![
        case(
            doc! {"a": null},
            [doc! {"a": null}, doc! {}, doc! {"a": [1, null]}],
            [doc! {"a": 0}, doc! {"a": []}],
        ),
        case(
            doc! {"a": {"$ne": null}},
            [doc! {"a": 0}],
            [doc! {"a": null}, doc! {}],
        ),
        case(
            doc! {"a": {"$gte": null}},
            [doc! {}, doc! {"a": null}],
            [doc! {"a": 1}],
        ),
        case(
            doc! {"a": {"$gt": null}},
            [],
            [doc! {}, doc! {"a": null}, doc! {"a": 1}],
        ),
        case(
            doc! {"a": {"$in": [null, 1]}},
            [doc! {}, doc! {"a": null}, doc! {"a": 1}],
            [doc! {"a": 2}],
        ),
        case(
            doc! {"a": {"$nin": [null]}},
            [doc! {"a": 2}],
            [doc! {}, doc! {"a": null}],
        ),
        case(
            doc! {"a.b": null},
            [doc! {"a": {}}, doc! {"a": 5}, doc! {"a": [{"b": 1}, {}]}],
            [doc! {"a": {"b": 1}}, doc! {"a": [1, 2]}],
        ),
        case(
            doc! {"a": {"$exists": true}},
            [doc! {"a": null}, doc! {"a": []}],
            [doc! {}],
        ),
        case(doc! {"a": {"$exists": 0}}, [doc! {}], [doc! {"a": null}]),
    ]);
}

#[test]
fn arrays_match_whole_and_by_element() {
    check(vec![
        case(
            doc! {"a": [1, 2]},
            [doc! {"a": [1, 2]}, doc! {"a": [[1, 2], 3]}],
            [doc! {"a": [2, 1]}, doc! {"a": [1, 2, 3]}],
        ),
        case(
            doc! {"a": {"$gt": 1, "$lt": 3}},
            [doc! {"a": 2}, doc! {"a": [0, 9]}],
            [doc! {"a": 5}],
        ),
        case(
            doc! {"a.0": 7},
            [doc! {"a": [7, 8]}, doc! {"a": {"0": 7}}],
            [doc! {"a": [8, 7]}],
        ),
        case(
            doc! {"a.b": 7},
            [doc! {"a": [{"b": 1}, {"b": [7]}]}],
            [doc! {"a": [{"c": 7}]}],
        ),
        case(
            doc! {"a": {"$size": 2}},
            [doc! {"a": [1, 2]}],
            [doc! {"a": [1]}, doc! {"a": 2}, doc! {"a": [[1, 2]]}],
        ),
        case(
            doc! {"a": {"$all": [1, 2]}},
            [doc! {"a": [2, 3, 1]}],
            [doc! {"a": [1]}, doc! {"a": 1}],
        ),
        case(
            doc! {"a": {"$all": [1]}},
            [doc! {"a": 1}, doc! {"a": [1]}],
            [doc! {"a": 2}],
        ),
        case(
            doc! {"a": {"$all": []}},
            [],
            [doc! {"a": []}, doc! {"a": 1}, doc! {}],
        ),
        case(
            doc! {"a": {"$all": [[1, 2]]}},
            [doc! {"a": [1, 2]}, doc! {"a": [[1, 2]]}],
            [doc! {"a": [2, 1]}],
        ),
    ]);
}

#[test]
fn elem_match_wants_one_element_for_all() {
    check(vec![
        case(
            doc! {"a": {"$elemMatch": {"$gt": 1, "$lt": 3}}},
            [doc! {"a": [0, 2, 9]}],
            [doc! {"a": [0, 9]}, doc! {"a": 2}, doc! {"a": [[2]]}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"b": 1, "c": 2}}},
            [doc! {"a": [{"b": 1, "c": 2}]}],
            [doc! {"a": [{"b": 1}, {"c": 2}]}, doc! {"a": {"b": 1, "c": 2}}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"0": 5}}},
            [doc! {"a": [[5, 6]]}],
            [doc! {"a": [[6, 5]]}],
        ),
        case(
            doc! {"a": {"$elemMatch": {}}},
            [doc! {"a": [{}]}, doc! {"a": [[]]}],
            [doc! {"a": [1]}, doc! {"a": []}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"$not": {"$gt": 3}}}},
            [doc! {"a": [1, 9]}],
            [doc! {"a": [4, 9]}],
        ),
        case(
            doc! {"a": {"$all": [{"$elemMatch": {"b": 1}}, {"$elemMatch": {"b": 2}}]}},
            [doc! {"a": [{"b": 1}, {"b": 2}]}],
            [doc! {"a": [{"b": 1}]}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"$or": [{"b": 1}, {"c": 1}]}}},
            [doc! {"a": [{"c": 1}]}],
            [doc! {"a": [{"d": 1}]}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"$in": [1, 2]}}},
            [doc! {"a": [2]}],
            [doc! {"a": [3]}, doc! {"a": 2}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"$jsonSchema": {"required": ["b"]}}}},
            [doc! {"a": [1, {"b": 1}]}],
            [doc! {"a": [{"c": 1}]}, doc! {"a": {"b": 1}}, doc! {"b": 1}],
        ),
        case(
            doc! {"a": {"$all": [{"$not": 1}]}},
            [doc! {"a": {"$not": 1}}, doc! {"a": [{"$not": 1}]}],
            [doc! {"a": 2}],
        ),
    ]);
}

#[test]
fn logic_joins_and_turns() {
    check(vec![
        case(
            doc! {"$and": [{"a": 1}, {"b": 2}]},
            [doc! {"a": 1, "b": 2}],
            [doc! {"a": 1}],
        ),
        case(
            doc! {"$or": [{"a": 1}, {"b": 2}]},
            [doc! {"a": 1}, doc! {"b": 2}],
            [doc! {"a": 2}],
        ),
        case(
            doc! {"$nor": [{"a": 1}, {"b": 2}]},
            [doc! {"a": 2}, doc! {}],
            [doc! {"b": 2}],
        ),
        case(
            doc! {"a": {"$not": {"$gt": 1}}},
            [doc! {"a": 1}, doc! {}, doc! {"a": "x"}],
            [doc! {"a": [0, 5]}],
        ),
        case(
            doc! {"a": {"$not": {"$gt": 1, "$lt": 5}}},
            [doc! {"a": 7}, doc! {}],
            [doc! {"a": 3}, doc! {"a": [0, 9]}],
        ),
        case(
            doc! {"a": {"$not": (regex("^x", ""))}},
            [doc! {"a": "y"}, doc! {"a": 1}],
            [doc! {"a": "xy"}],
        ),
        case(doc! {"$alwaysFalse": 1}, [], [doc! {}]),
        case(doc! {"$alwaysTrue": 1, "$comment": "why"}, [doc! {}], []),
        case(doc! {}, [doc! {}, doc! {"a": 1}], []),
    ]);
}

#[test]
fn types_by_number_alias_and_list() {
    check(vec![
        case(
            doc! {"a": {"$type": "number"}},
            [doc! {"a": 1}, doc! {"a": 1.5}, doc! {"a": 1i64}],
            [doc! {"a": "1"}],
        ),
        case(
            doc! {"a": {"$type": 2}},
            [doc! {"a": "x"}, doc! {"a": [1, "x"]}],
            [doc! {"a": 1}, doc! {}],
        ),
        case(
            doc! {"a": {"$type": "array"}},
            [doc! {"a": []}, doc! {"a": [1]}],
            [doc! {"a": 1}],
        ),
        case(
            doc! {"a": {"$type": ["null", "minKey"]}},
            [doc! {"a": null}, doc! {"a": (Value::MinKey)}],
            [doc! {}],
        ),
        case(
            doc! {"a": {"$type": (-1)}},
            [doc! {"a": (Value::MinKey)}],
            [doc! {"a": (Value::MaxKey)}],
        ),
    ]);
}

#[test]
fn modulo_cuts_fractions_off() {
    check(vec![
        case(
            doc! {"a": {"$mod": [4, 0]}},
            [doc! {"a": 8}, doc! {"a": 4.7}, doc! {"a": [1, 12]}],
            [
                doc! {"a": 5},
                doc! {"a": "8"},
                doc! {"a": (f64::INFINITY)},
                doc! {"a": 1e300},
            ],
        ),
        case(
            doc! {"a": {"$mod": [3, (-2)]}},
            [doc! {"a": (-5)}],
            [doc! {"a": 5}],
        ),
        case(doc! {"a": {"$mod": [(-1), 0]}}, [doc! {"a": (i64::MIN)}], []),
    ]);
}

#[test]
fn patterns_match_strings_and_themselves() {
    check(vec![
        case(
            doc! {"a": (regex("^ab", "i"))},
            [
                doc! {"a": "ABc"},
                doc! {"a": ["x", "abc"]},
                doc! {"a": (regex("^ab", "i"))},
            ],
            [doc! {"a": "xab"}, doc! {"a": 1}, doc! {"a": (regex("^ab", ""))}],
        ),
        case(
            doc! {"a": {"$regex": "b$", "$options": "m"}},
            [doc! {"a": "ab\nc"}],
            [doc! {"a": "bc"}],
        ),
        case(
            doc! {"a": {"$options": "s", "$regex": "a.b"}},
            [doc! {"a": "a\nb"}],
            [doc! {"a": "ab"}],
        ),
        case(
            doc! {"a": {"$eq": (regex("x", ""))}},
            [doc! {"a": (regex("x", ""))}],
            [doc! {"a": "x"}],
        ),
        case(
            doc! {"a": {"$in": [(regex("^x", "")), "y"]}},
            [doc! {"a": "xyz"}, doc! {"a": "y"}],
            [doc! {"a": "z"}, doc! {}],
        ),
        case(
            doc! {"a": {"$regex": "é.ñ"}},
            [doc! {"a": "é€ñ"}],
            [doc! {"a": "éñ"}],
        ),
    ]);
}

#[test]
fn bits_of_numbers_and_bytes() {
    check(vec![
        case(
            doc! {"a": {"$bitsAllSet": [1, 5]}},
            [
                doc! {"a": 34},
                doc! {"a": 35.0},
                doc! {"a": (-1)},
                doc! {"a": (binary(&[34]))},
            ],
            [doc! {"a": 2}, doc! {"a": 34.5}, doc! {"a": "34"}],
        ),
        case(
            doc! {"a": {"$bitsAllClear": 1}},
            [doc! {"a": 2}, doc! {"a": (binary(&[]))}],
            [doc! {"a": 3}],
        ),
        case(
            doc! {"a": {"$bitsAnySet": (binary(&[0, 1]))}},
            [doc! {"a": 256}],
            [doc! {"a": 255}],
        ),
        case(
            doc! {"a": {"$bitsAnyClear": [200]}},
            [doc! {"a": 1}],
            [doc! {"a": (-1)}],
        ),
        case(
            doc! {"a": {"$bitsAllSet": [200]}},
            [doc! {"a": (-1i64)}],
            [doc! {"a": (i64::MAX)}],
        ),
    ]);
}

#[test]
fn database_references_match_as_values() {
    let reference = doc! {"$ref": "c", "$id": 1};
    check(vec![
        case(
            doc! {"a": (reference.clone())},
            [doc! {"a": (reference.clone())}],
            [doc! {"a": {"$ref": "c", "$id": 2}}],
        ),
        case(
            doc! {"a.$id": 1},
            [doc! {"a": (reference.clone())}],
            [doc! {"a": {"$id": 2}}],
        ),
        case(
            doc! {"a": {"$elemMatch": {"$ref": "c"}}},
            [doc! {"a": [(reference.clone())]}],
            [doc! {"a": [{"$ref": "d", "$id": 1}]}],
        ),
        case(
            doc! {"a": {"$in": [(reference.clone())]}},
            [doc! {"a": reference}],
            [],
        ),
    ]);
}

#[test]
fn expressions_decide_on_documents() {
    check(vec![case(
        doc! {"$expr": {"$gt": ["$a", "$b"]}},
        [doc! {"a": 2, "b": 1}],
        [doc! {"a": 1, "b": 2}],
    )]);
}
