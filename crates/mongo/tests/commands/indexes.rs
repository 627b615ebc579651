//! Indexes, the plans that use them, and the profiler.

use crate::case::{Case, bad, good, run};
use value::{Document, Value, array, doc};

#[test]
fn commands_for_indexes_get_mongodbs_answers() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let mut cases = made_and_dropped();
    cases.extend(plans());
    cases.extend(searches());
    cases.extend(of_series());
    cases.extend(quorums());
    cases.extend(duplicates());
    cases.extend(wrong_types());
    cases
}

/// An index with a collation tells the keys of its strings, not the strings.
fn duplicates() -> Vec<Case> {
    let collation = doc! {"locale": "en", "strength": 2};
    let unique =
        doc! {"key": {"n": 1, "s": 1}, "name": "n_s", "unique": true, "collation": collation.clone()};
    vec![
        good(doc! {"createIndexes": "folded", "indexes": [unique]}, doc! {}),
        good(
            doc! {"insert": "folded", "documents": [{"_id": 1, "n": 1, "s": "a"}, {"_id": 2, "n": 1, "s": "A"}]},
            doc! {"n": 1, "writeErrors": [{
                "code": 11_000,
                "keyPattern": {"n": 1, "s": 1},
                "keyValue": {"n": 1},
                "hexEncoded": [false, true],
                "collation": collation.clone(),
            }]},
        ),
        good(
            doc! {"insert": "folded", "documents": [{"_id": 1, "n": 2, "s": "b"}]},
            doc! {"n": 0, "writeErrors": [{"code": 11_000, "keyValue": {"_id": 1}}]},
        ),
    ]
}

fn quorums() -> Vec<Case> {
    let ask =
        |names: Value| doc! {"setIndexCommitQuorum": "c", "indexNames": names, "commitQuorum": "majority"};
    let names = || Value::Array(array!["a_1"]);
    let make = |quorum: Value| {
        let index = doc! {"key": {"q": 1}, "name": "q_1"};
        doc! {"createIndexes": "c", "indexes": [index], "commitQuorum": quorum}
    };
    vec![
        bad(ask(names()), 27, "Cannot find an index build"),
        bad(ask(Value::Array(array![])), 27, "without providing any indexes"),
        bad(
            doc! {"setIndexCommitQuorum": "nothing", "indexNames": names(), "commitQuorum": 1},
            26,
            "was not found",
        ),
        bad(
            doc! {"setIndexCommitQuorum": "c", "indexNames": names()},
            40_414,
            "commitQuorum",
        ),
        bad(
            doc! {"setIndexCommitQuorum": "c", "indexNames": names(), "commitQuorum": {}},
            9,
            "commitQuorum",
        ),
        bad(
            doc! {"setIndexCommitQuorum": "c", "indexNames": names(), "commitQuorum": 1, "no": 1},
            40_415,
            "no",
        ),
        bad(make(Value::Int32(1)), 2, "Standalones can't specify commitQuorum"),
        bad(make("votingMembers".into()), 2, "Standalones"),
        bad(make(Value::Int32(51)), 9, "not greater than 50"),
        bad(make(Value::Int32(-1)), 9, "non-negative"),
        bad(make("".into()), 9, "empty string"),
        bad(make(Value::Null), 9, "a number or a string"),
        bad(
            doc! {"createIndexes": "c", "indexes": [], "commitQuorum": 1},
            2,
            "at least one index",
        ),
    ]
}

/// By jstests/core/timeseries/ddl: timeseries_index, timeseries_sparse_index, timeseries_metric_index_hashed, timeseries_collmod.
fn wrong_types() -> Vec<Case> {
    let create = |key: Document, option: &str, value: Value| {
        let index = doc! {"key": key, "name": "wrong", (option): value};
        doc! {"createIndexes": "typed", "indexes": [index]}
    };
    vec![
        bad(
            create(doc! {"$**": 1}, "wildcardProjection", 5.into()),
            14,
            "The field 'wildcardProjection' must be a non-empty object, but got int",
        ),
        bad(
            create(doc! {"a": 1}, "wildcardProjection", 5.into()),
            2,
            "'wildcardProjection' is only allowed",
        ),
        bad(
            create(doc! {"$**": 1}, "wildcardProjection", doc! {}.into()),
            9,
            "can't be an empty object",
        ),
        bad(
            create(doc! {"a": "text"}, "weights", 5.into()),
            14,
            "The field 'weights' must be an object, but got int",
        ),
        bad(
            create(doc! {"a": "text"}, "default_language", true.into()),
            14,
            "The field 'default_language' must be a string, but got bool",
        ),
        bad(
            create(doc! {"a": "2d"}, "bits", "x".into()),
            14,
            "The field 'bits' must be a number, but got string",
        ),
    ]
}

fn of_series() -> Vec<Case> {
    let create = |index: Document| doc! {"createIndexes": "series of m", "indexes": [index]};
    let modify = |change: Document| {
        let mut index = doc! {"name": "h"};
        change
            .into_iter()
            .for_each(|(name, value)| index.push(name, value));
        doc! {"collMod": "series of m", "index": index}
    };
    vec![
        good(
            doc! {"create": "series of m", "timeseries": {"timeField": "t", "metaField": "m"}},
            doc! {},
        ),
        good(create(doc! {"key": {"m": "hashed"}, "name": "h"}), doc! {}),
        good(
            create(doc! {"key": {"m.r": "hashed", "a": 1}, "name": "ha"}),
            doc! {},
        ),
        bad(create(doc! {"key": {"x": "hashed"}, "name": "x"}), 67, "hashed"),
        bad(create(doc! {"key": {"t": "hashed"}, "name": "t"}), 67, "hashed"),
        bad(
            create(doc! {"key": {"t": "2dsphere"}, "name": "t"}),
            67,
            "2dsphere",
        ),
        good(
            create(doc! {"key": {"t": 1, "m.tag": 1}, "name": "s", "sparse": true}),
            doc! {},
        ),
        bad(
            create(doc! {"key": {"t": 1, "x": 1}, "name": "x", "sparse": true}),
            72,
            "sparse",
        ),
        bad(
            create(doc! {
                "key": {"m.r": 1}, "name": "f", "partialFilterExpression": {"m.r": 1}, "collation": {"locale": "en"},
            }),
            85,
            "incompatible",
        ),
        bad(modify(doc! {"expireAfterSeconds": 100}), 72, "TTL"),
        bad(modify(doc! {"prepareUnique": true}), 72, "unique"),
        bad(modify(doc! {"prepareUnique": false}), 72, "unique"),
        good(modify(doc! {"hidden": true}), doc! {"hidden_new": true}),
    ]
}

fn searches() -> Vec<Case> {
    let definition = doc! {"mappings": {"dynamic": true}};
    vec![
        good(
            doc! {"insert": "found", "documents": [{"_id": 1, "a": "a wild river"}]},
            doc! {"n": 1},
        ),
        good(
            doc! {"createSearchIndexes": "found", "indexes": [{"name": "s", "definition": definition.clone()}]},
            doc! {"indexesCreated": [{"name": "s"}]},
        ),
        bad(
            doc! {"createSearchIndexes": "nothing", "indexes": [{"definition": definition.clone()}]},
            26,
            "does not exist",
        ),
        good(
            doc! {"listSearchIndexes": "found"},
            doc! {"cursor": {"firstBatch": [{"name": "s", "queryable": true, "latestDefinition": definition.clone()}]}},
        ),
        bad(
            doc! {"listSearchIndexes": "found", "name": "s", "id": "x"},
            72,
            "both 'name' and 'id'",
        ),
        good(
            doc! {"aggregate": "found", "cursor": {}, "pipeline": [
                {"$search": {"index": "s", "text": {"path": "a", "query": "river"}}}, {"$project": {"score": {"$meta": "searchScore"}}},
            ]},
            doc! {"cursor": {"firstBatch": [{"_id": 1}]}},
        ),
        good(
            doc! {"updateSearchIndex": "found", "name": "s", "definition": {"mappings": {"dynamic": false}}},
            doc! {},
        ),
        bad(
            doc! {"updateSearchIndex": "found", "name": "other", "definition": definition},
            27,
            "no search index",
        ),
        good(doc! {"dropSearchIndex": "found", "name": "s"}, doc! {}),
        bad(doc! {"dropSearchIndex": "found"}, 72, "either 'name' or 'id'"),
    ]
}

fn made_and_dropped() -> Vec<Case> {
    vec![
        good(
            doc! {"insert": "c", "documents": [{"a": 1, "b": 1}, {"a": 1, "b": 2}]},
            doc! {"n": 2},
        ),
        good(
            doc! {"createIndexes": "c", "indexes": [{"key": {"b": 1}, "name": "b_1", "unique": true}]},
            doc! {"numIndexesBefore": 1, "numIndexesAfter": 2, "createdCollectionAutomatically": false},
        ),
        good(
            doc! {"createIndexes": "c", "indexes": [{"key": {"b": 1}, "name": "b_1", "unique": true}]},
            doc! {"numIndexesBefore": 2, "numIndexesAfter": 2, "note": "all indexes already exist"},
        )
        .without("createdCollectionAutomatically"),
        good(
            doc! {
                "createIndexes": "c",
                "indexes": [
                    {"key": {"b": 1}, "name": "b_1", "unique": true},
                    {"key": {"passing": 1}, "name": "passing_1"},
                ],
            },
            doc! {
                "numIndexesBefore": 2, "numIndexesAfter": 3, "createdCollectionAutomatically": false,
                "note": "index already exists",
            },
        ),
        good(
            doc! {"dropIndexes": "c", "index": "passing_1"},
            doc! {"nIndexesWas": 3},
        ),
        bad(
            doc! {"createIndexes": "c", "indexes": [{"key": {"b": 1}, "name": "other", "unique": true}]},
            85,
            "already exists with a different name",
        ),
        bad(
            doc! {"createIndexes": "c", "indexes": [{"key": {"a": 1}, "name": "a_1", "unique": true}]},
            11_000,
            "duplicate key",
        ),
        bad(
            doc! {"createIndexes": "c", "indexes": [{"key": {"a": 0}, "name": "a_0"}]},
            67,
            "cannot be 0",
        ),
        good(
            doc! {"listIndexes": "c"},
            doc! {"cursor": {"id": 0_i64, "firstBatch": [
                {"v": 2, "key": {"_id": 1}, "name": "_id_"}, {"v": 2, "key": {"b": 1}, "name": "b_1", "unique": true},
            ]}},
        ),
        bad(
            doc! {"listIndexes": "nothing"},
            26,
            "ns does not exist: test.nothing",
        ),
        bad(
            doc! {"collMod": "c", "index": {"name": "b_1", "hidden": true}, "validator": {"$wrong": 1}},
            2,
            "unknown top level operator",
        ),
        good(
            doc! {"collMod": "c", "index": {"name": "b_1", "hidden": true}},
            doc! {"hidden_old": false, "hidden_new": true},
        ),
        good(
            doc! {"collMod": "c", "index": {"name": "b_1", "hidden": false}, "validator": {}},
            doc! {"hidden_old": true, "hidden_new": false},
        ),
        good(doc! {"reIndex": "c"}, doc! {"nIndexesWas": 2, "nIndexes": 2}),
        bad(doc! {"reIndex": "nothing"}, 26, "test.nothing"),
    ]
}

#[test]
fn a_hinted_index_finds_each_branch_of_a_disjunction() {
    let numbers = (0..100).map(|n| Value::from(doc! {"_id": n, "a": n, "b": {"c": n}}));
    let either = |filter: Document, hint: Document| {
        let find = doc! {"find": "many", "filter": filter, "hint": hint};
        doc! {"explain": find, "verbosity": "executionStats"}
    };
    let examined = |keys: i32| doc! {"executionStats": {"nReturned": 2, "totalKeysExamined": keys}};
    run(&[
        good(
            doc! {"insert": "many", "documents": Value::Array(numbers.collect())},
            doc! {},
        ),
        good(
            doc! {"createIndexes": "many", "indexes": [
                {"key": {"a": 1}, "name": "a"},
                {"key": {"$**": 1}, "name": "all"},
            ]},
            doc! {},
        ),
        good(
            either(doc! {"$or": [{"a": 1}, {"a": {"$gt": 98}}]}, doc! {"a": 1}),
            examined(2),
        ),
        good(
            either(doc! {"$or": [{"a": 1}, {"b.c": 7}]}, doc! {"$**": 1}),
            examined(2),
        ),
        bad(
            doc! {"find": "many", "hint": {"$**": 1}, "min": {"a": 1}},
            51_174,
            "not compatible with min/max",
        ),
    ]);
}

#[test]
fn a_find_shows_how_near_documents_are() {
    let near = |projection: Document| doc! {"find": "places", "filter": {"at": {"$near": [0, 0]}}, "projection": projection};
    run(&[
        good(
            doc! {"createIndexes": "places", "indexes": [{"key": {"at": "2d"}, "name": "at"}]},
            doc! {},
        ),
        good(
            doc! {"insert": "places", "documents": [{"_id": 1, "at": [3, 4]}, {"_id": 2, "at": [0, 1]}]},
            doc! {"n": 2},
        ),
        good(
            near(doc! {"_id": 1, "far": {"$meta": "geoNearDistance"}}),
            doc! {"cursor": {"firstBatch": [{"_id": 2, "far": 1.0}, {"_id": 1, "far": 5.0}]}},
        ),
        good(
            near(doc! {"_id": 1, "place": {"$meta": "geoNearPoint"}}),
            doc! {"cursor": {"firstBatch": [{"_id": 2, "place": [0, 1]}, {"_id": 1, "place": [3, 4]}]}},
        ),
        bad(
            doc! {"find": "places", "projection": {"far": {"$meta": "geoNearDistance"}}},
            40_218,
            "not available",
        ),
    ]);
}

fn plans() -> Vec<Case> {
    let between = |hint: Document, min: Document, max: Document| doc! {"find": "c", "hint": hint, "min": min, "max": max};
    vec![
        bad(
            between(doc! {"_id": 1}, doc! {"_id": 1}, doc! {"b": 2}),
            51_176,
            "the same field names",
        ),
        bad(
            between(doc! {"b": 1}, doc! {"b": 2}, doc! {"b": 1}),
            51_175,
            "does not come before",
        ),
        bad(
            between(doc! {"$natural": 1}, doc! {"b": 1}, doc! {"b": 2}),
            291,
            "incompatible with $natural",
        ),
        good(
            doc! {"planCacheSetFilter": "c", "query": {"b": 7}, "indexes": ["b_1"]},
            doc! {},
        ),
        bad(
            doc! {"planCacheSetFilter": "c", "query": {"b": 7}},
            2,
            "required field indexes missing",
        ),
        good(
            doc! {"planCacheListFilters": "c"},
            doc! {"filters": [{"query": {"b": 7}, "indexes": ["b_1"]}]},
        ),
        bad(
            doc! {"planCacheListFilters": 1},
            73,
            "collection name has invalid type",
        ),
        good(doc! {"planCacheClearFilters": "c", "query": {"b": 8}}, doc! {}),
        good(
            doc! {"planCacheListFilters": "c"},
            doc! {"filters": Value::Array(array![])},
        ),
        bad(
            doc! {"planCacheClearFilters": "c", "sort": {"b": 1}},
            2,
            "sort, projection or collation provided without query",
        ),
        good(doc! {"planCacheClear": "c"}, doc! {}),
        bad(
            doc! {"planCacheClear": "c", "query": 1},
            2,
            "required field query must be an object",
        ),
        bad(
            doc! {"dropIndexes": "c", "index": ["b_1", {"b": 1}]},
            14,
            "dropIndexes.index.1",
        ),
        good(doc! {"dropIndexes": "c", "index": "b_1"}, doc! {"nIndexesWas": 2}),
        good(
            doc! {"deleteIndexes": "c", "index": "*"},
            doc! {"nIndexesWas": 1, "msg": "non-_id indexes dropped for collection"},
        ),
        bad(
            doc! {"dropIndexes": "c", "index": "b_1"},
            27,
            "index not found with name [b_1]",
        ),
        bad(
            doc! {"dropIndexes": "c", "index": "_id_"},
            72,
            "cannot drop _id index",
        ),
        good(
            doc! {"profile": 2},
            doc! {"was": 0, "slowms": 100, "sampleRate": 1.0},
        ),
        good(doc! {"find": "c", "comment": "looked at"}, doc! {}),
        good(
            doc! {"count": "system.profile", "query": {"command.comment": "looked at"}},
            doc! {"n": 1},
        ),
        good(doc! {"profile": 0}, doc! {"was": 2}),
        bad(
            doc! {"profile": 1, "sampleRate": 2},
            2,
            "'sampleRate' must be between 0.0 and 1.0",
        ),
        bad(doc! {"profile": "x"}, 14, "'profile.profile' is the wrong type"),
    ]
}
