//! Reading and writing documents.

use crate::case::{Case, bad, bad_statement, good, run};
use value::{Value, array, doc};

#[test]
fn commands_for_documents_get_mongodbs_answers() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let mut cases = writes();
    cases.extend(unacknowledged());
    cases.extend(reads());
    cases.extend(cursors());
    cases
}

fn writes() -> Vec<Case> {
    vec![
        good(
            doc! {"insert": "fruit", "documents": [{"_id": 1, "name": "apple", "n": 3}, {"_id": 2, "name": "pear", "n": 5}]},
            doc! {"n": 2},
        ),
        bad(
            doc! {"insert": "fruit", "documents": []},
            16,
            "between 1 and 100000",
        ),
        bad(doc! {"insert": "fruit"}, 40_414, "'insert.documents' is missing"),
        bad(doc! {"insert": "", "documents": [{}]}, 73, "Invalid namespace"),
        bad_statement(doc! {"insert": "fruit", "documents": [{"_id": 1}]}, 11_000),
        good(
            doc! {"update": "fruit", "updates": [{"q": {"_id": 1}, "u": {"$inc": {"n": 1}}}]},
            doc! {"n": 1, "nModified": 1},
        ),
        good(
            doc! {"update": "fruit", "updates": [{"q": {"_id": 3}, "u": {"name": "plum", "n": 9}, "upsert": true}]},
            doc! {"n": 1, "nModified": 0, "upserted": [{"index": 0, "_id": 3}]},
        ),
        bad_statement(
            doc! {"update": "fruit", "updates": [{"q": {}, "u": {"$no": {"n": 1}}}]},
            9,
        ),
        bad_statement(
            doc! {"update": "fruit", "updates": [
                {"q": {"$or": [{"$expr": true}]}, "u": {"$set": {"n": 1}}, "upsert": true},
            ]},
            224,
        ),
        bad(
            doc! {"findAndModify": "fruit", "query": {"$expr": true}, "update": {"$set": {"n": 1}}, "upsert": true},
            224,
            "for an upsert",
        ),
        bad(
            doc! {"update": "fruit", "updates": [{"q": {}}]},
            40_414,
            "'update.updates.u' is missing",
        ),
        good(
            doc! {"findAndModify": "fruit", "query": {"_id": 2}, "update": {"$set": {"n": 6}}, "new": true},
            doc! {"lastErrorObject": {"n": 1, "updatedExisting": true}, "value": {"_id": 2, "n": 6}},
        ),
        good(
            doc! {"findandmodify": "fruit", "query": {"_id": 99}, "remove": true},
            doc! {"lastErrorObject": {"n": 0}, "value": null},
        ),
        bad(
            doc! {"findAndModify": "fruit", "query": {"n": 6}, "fields": {"n.$": 1}, "update": {"$set": {"n": 6}}, "new": true},
            2,
            "cannot use a positional projection",
        ),
        bad(
            doc! {"findAndModify": "fruit", "query": {}, "update": {}, "remove": true},
            9,
            "Cannot specify both an update and remove=true",
        ),
        good(doc! {"insert": "fruit", "documents": [{"_id": 4}]}, doc! {"n": 1}),
        good(
            doc! {"delete": "fruit", "deletes": [{"q": {"_id": 4}, "limit": 1}]},
            doc! {"n": 1},
        ),
        bad(
            doc! {"delete": "fruit", "deletes": [{"q": {}, "limit": 2}]},
            9,
            "limit field in delete objects must be 0 or 1",
        ),
        good(
            doc! {
                "bulkWrite": 1,
                "ops": [{"insert": 0, "document": {"_id": 5, "n": 1}}, {"delete": 0, "filter": {"_id": 5}}],
                "nsInfo": [{"ns": "test.fruit"}],
            },
            doc! {"nInserted": 1, "nDeleted": 1, "nErrors": 0},
        )
        .of("admin"),
        good(doc! {"create": "seen_fruit", "viewOn": "fruit"}, doc! {}),
        good(
            doc! {
                "bulkWrite": 1,
                "ops": [
                    {"update": 0, "filter": {"_id": 5}, "updateMods": {"$set": {"n": 1}}, "upsert": true},
                    {"delete": 1, "filter": {"_id": 5}},
                    {"insert": 1, "document": {"_id": 6}},
                    {"delete": 0, "filter": {"_id": 5}},
                ],
                "nsInfo": [{"ns": "test.fruit"}, {"ns": "test.seen_fruit"}],
                "ordered": false,
                "errorsOnly": true,
            },
            doc! {
                "nUpserted": 1, "nDeleted": 1, "nErrors": 2,
                "cursor": {"firstBatch": [{"idx": 1, "code": 166}, {"idx": 2, "code": 166}]},
            },
        )
        .of("admin"),
        bad(
            doc! {"bulkWrite": 1, "ops": [{"insert": 0, "document": {}}], "nsInfo": [{"ns": "test.fruit"}]},
            13,
            "admin database",
        ),
        bad(
            doc! {"bulkWrite": 1, "ops": [{"insert": 1, "document": {}}], "nsInfo": [{"ns": "test.fruit"}]},
            2,
            "nsInfo",
        )
        .of("admin"),
        bad(
            doc! {"bulkWrite": 1, "ops": [{"document": {}, "insert": 0}], "nsInfo": [{"ns": "test.fruit"}]},
            40_415,
            "bulkWrite.document",
        )
        .of("admin"),
        bad(
            doc! {"bulkWrite": 1, "ops": [{"insert": 0, "document": 1}], "nsInfo": [{"ns": "test.fruit"}]},
            14,
            "bulkWrite.ops.document",
        )
        .of("admin"),
    ]
}

/// A client that does not ask for the results of the statements gets none.
fn unacknowledged() -> Vec<Case> {
    let silent = |request| good(request, doc! {"n": 0}).without("writeErrors");
    let concern = doc! {"w": 0};
    vec![
        silent(doc! {"insert": "silent", "documents": [{"_id": 1}], "writeConcern": concern.clone()}),
        silent(doc! {"insert": "silent", "documents": [{"_id": 1}], "writeConcern": concern.clone()}),
        silent(
            doc! {"update": "silent", "updates": [{"q": {}, "u": {"$set": {"a": 1}}}], "writeConcern": concern.clone()},
        ),
        good(doc! {"count": "silent", "query": {"a": 1}}, doc! {"n": 1}),
        silent(doc! {"delete": "silent", "deletes": [{"q": {}, "limit": 0}], "writeConcern": concern}),
        good(doc! {"count": "silent"}, doc! {"n": 0}),
        good(
            doc! {"insert": "silent", "documents": [{"_id": 2}], "writeConcern": {"w": 0, "j": true}},
            doc! {"n": 1},
        ),
        good(doc! {"drop": "silent"}, doc! {}),
    ]
}

/// Reads the documents that [`writes`] leaves.
fn reads() -> Vec<Case> {
    vec![
        good(
            doc! {"find": "fruit", "filter": {"n": {"$gt": 5}}, "sort": {"_id": 1}, "projection": {"_id": 0, "n": 1}},
            doc! {"cursor": {"id": 0_i64, "ns": "test.fruit", "firstBatch": [{"n": 6}, {"n": 9}]}},
        ),
        bad(
            doc! {"find": "fruit", "filter": {"n": {"$no": 1}}},
            2,
            "unknown operator: $no",
        ),
        bad(
            doc! {"find": "fruit", "no": 1},
            40_415,
            "'find.no' is an unknown field",
        ),
        good(
            doc! {"aggregate": "fruit", "pipeline": [{"$group": {"_id": null, "sum": {"$sum": "$n"}}}], "cursor": {}},
            doc! {"cursor": {"id": 0_i64, "firstBatch": [{"_id": null, "sum": 19}]}},
        ),
        bad(
            doc! {"aggregate": "fruit", "pipeline": [{"$no": 1}], "cursor": {}},
            40_324,
            "Unrecognized pipeline stage name: '$no'",
        ),
        bad(
            doc! {"aggregate": "fruit", "pipeline": []},
            9,
            "'cursor' option is required",
        ),
        good(doc! {"count": "fruit", "query": {"n": {"$lt": 9}}}, doc! {"n": 2}),
        bad(
            doc! {"count": "fruit", "limit": "x"},
            2,
            "limit value is not a valid number",
        ),
        good(
            doc! {"distinct": "fruit", "key": "name"},
            doc! {"values": ["apple", "pear", "plum"]},
        ),
        bad(doc! {"distinct": "fruit"}, 40_414, "'distinct.key' is missing"),
        good(
            doc! {
                "mapReduce": "fruit",
                "map": "function() { emit(this.n > 5, 1); }",
                "reduce": "function(key, values) { return Array.sum(values); }",
                "out": {"inline": 1},
            },
            doc! {"results": [{"_id": false, "value": 1.0}, {"_id": true, "value": 2.0}]},
        ),
        good(
            doc! {
                "mapReduce": "fruit",
                "map": "function() { emit(0, this.name); }",
                "reduce": "function(key, names) { return names.join(); }",
                "sort": {"name": 1},
                "out": {"inline": 1},
            },
            doc! {"results": [{"_id": 0.0, "value": "plum,pear,apple"}]},
        ),
        bad(
            doc! {"mapReduce": "fruit", "map": "function() {}", "reduce": "function() {}"},
            40_414,
            "'mapReduce.out' is missing",
        ),
        bad(
            doc! {"mapReduce": "fruit", "map": null, "reduce": "function() {}", "out": {"inline": 1}},
            2,
            "'map' must be of string or code type",
        ),
        bad(
            doc! {"mapReduce": "fruit", "map": "function() {}", "reduce": "function() {}", "out": {"inline": 1}, "jsMode": 1},
            14,
            "'mapReduce.jsMode'",
        ),
        good(
            doc! {"explain": {"find": "fruit", "filter": {"_id": 1}}, "verbosity": "executionStats"},
            doc! {"executionStats": {"nReturned": 1}},
        ),
        bad(
            doc! {"explain": {"find": "fruit"}, "verbosity": "x"},
            2,
            "'explain.verbosity'",
        ),
        bad(doc! {"explain": {"ping": 1}}, 20, "Cannot explain cmd: ping"),
    ]
}

fn cursors() -> Vec<Case> {
    let first = || {
        good(
            doc! {"find": "fruit", "sort": {"_id": 1}, "batchSize": 1},
            doc! {"cursor": {"firstBatch": [{"_id": 1}]}},
        )
    };
    vec![
        first(),
        good(
            doc! {"getMore": "<cursor>", "collection": "fruit", "batchSize": 1},
            doc! {"cursor": {"nextBatch": [{"_id": 2}]}},
        ),
        bad(
            doc! {"getMore": "<cursor>", "collection": "other"},
            13,
            "belongs to a different namespace",
        ),
        bad(
            doc! {"getMore": 1_i64, "collection": "fruit"},
            43,
            "cursor id 1 not found",
        ),
        bad(
            doc! {"getMore": 1, "collection": "fruit"},
            14,
            "'getMore.getMore' is the wrong type",
        ),
        first(),
        bad(
            doc! {"getMore": "<cursor>", "collection": "fruit", "maxTimeMS": 0},
            2,
            "non-awaitData cursor",
        ),
        // Which collection is named makes no difference.
        good(
            doc! {"killCursors": "other", "cursors": ["<cursor>"]},
            doc! {"cursorsNotFound": Value::Array(array![]), "cursorsAlive": Value::Array(array![])},
        ),
        good(
            doc! {"killCursors": "fruit", "cursors": [1_i64]},
            doc! {"cursorsKilled": Value::Array(array![]), "cursorsNotFound": [1_i64]},
        ),
        bad(
            doc! {"killCursors": "fruit", "cursors": ["x"]},
            14,
            "'killCursors.cursors.0' is the wrong type",
        ),
    ]
}
