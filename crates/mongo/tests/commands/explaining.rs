//! `explain` of writes: what it reports, and that it changes nothing.

use crate::case::{Case, bad, good, run};
use value::{Binary, Document, Value, array, doc};

#[test]
fn changes_are_tried_but_not_made() {
    run(&changes());
}

#[test]
fn a_plan_that_is_explained_is_not_remembered() {
    run(&plans());
}

#[test]
fn the_collation_of_a_query_is_told() {
    let collation = || doc! {"locale": "en_US", "strength": 2};
    let told = || doc! {"queryPlanner": {"collation": (collation())}};
    let find = doc! {"find": "a", "filter": {"x": "A"}, "collation": (collation())};
    let pipeline = doc! {"aggregate": "a", "pipeline": [{"$match": {"x": "A"}}], "cursor": {}, "collation": (collation())};
    let remove = doc! {"delete": "a", "deletes": [{"q": {"x": "A"}, "limit": 1, "collation": (collation())}]};
    run(&[
        good(doc! {"insert": "a", "documents": [{"x": "a"}]}, doc! {}),
        good(doc! {"explain": find}, told()),
        good(doc! {"explain": pipeline}, told()),
        good(doc! {"explain": remove}, told()),
    ]);
}

#[test]
fn a_command_is_explained_in_its_own_database() {
    let other = doc! {"find": "a", "$db": "other"};
    run(&[
        bad(doc! {"explain": other}, 73, "Mismatched $db in explain command"),
        good(doc! {"explain": {"find": "a", "$db": "test"}}, doc! {}),
        bad(doc! {"explain": {"find": "a", "$db": 1}}, 14, "'explain.$db'"),
    ]);
}

#[test]
fn a_pipeline_is_explained_once_and_without_a_write_concern() {
    let pipeline =
        |name: &str, value: Value| doc! {"aggregate": "a", "pipeline": [], "cursor": {}, (name): value};
    let concern = || pipeline("writeConcern", doc! {"w": 1}.into());
    let mut explained = concern();
    explained.push("explain", true);
    run(&[
        good(concern(), doc! {}),
        bad(doc! {"explain": (concern())}, 9, "writeConcern"),
        bad(explained, 9, "writeConcern"),
        bad(
            doc! {"explain": (pipeline("explain", true.into()))},
            9,
            "a explain verbosity",
        ),
    ]);
}

#[test]
fn the_options_of_an_explained_command_are_checked() {
    let update = |more: Document| {
        let mut request = doc! {"update": "a", "updates": [{"q": {}, "u": {"$set": {"x": 1}}}]};
        more.into_iter()
            .for_each(|(name, value)| request.push(name, value));
        doc! {"explain": request}
    };
    let remove = || doc! {"findAndModify": "a", "query": {}, "remove": true, "ordered": true};
    let uuid = || Binary {
        subtype: 4,
        bytes: vec![5; 16],
    };
    run(&[
        good(doc! {"insert": "a", "documents": [{"_id": 1}]}, doc! {}),
        good(update(doc! {"ordered": false, "stmtId": 1}), doc! {}),
        bad(update(doc! {"ordered": 1}), 14, "ordered"),
        bad(remove(), 40_415, "ordered"),
        bad(doc! {"explain": (remove())}, 40_415, "ordered"),
        bad(update(doc! {"collectionUUID": uuid()}), 361, "does not match"),
        bad(
            doc! {"explain": {"find": "a", "collectionUUID": uuid()}},
            361,
            "does not match",
        ),
        bad(
            doc! {"explain": {"find": "a", "ordered": true}},
            40_415,
            "ordered",
        ),
        bad(
            doc! {"explain": {"count": "a", "collectionUUID": uuid()}},
            40_415,
            "collectionUUID",
        ),
        bad(
            doc! {"explain": {"delete": "a", "deletes": [{"q": {}, "limit": 1}, {"q": {}, "limit": 1}]}},
            16,
            "must be of size 1",
        ),
    ]);
}

fn changes() -> Vec<Case> {
    let explain = |request: Document, returned: i32, stage: Document| {
        good(
            doc! {"explain": request, "verbosity": "executionStats"},
            doc! {"executionStats": {"nReturned": returned, "executionStages": stage}},
        )
    };
    let planned = |request: Document, plan: Document| {
        good(
            doc! {"explain": request, "verbosity": "queryPlanner"},
            doc! {"queryPlanner": {"winningPlan": plan}},
        )
    };
    let update = |filter: Document, options: Document| {
        let mut statement = doc! {"q": filter, "u": {"$set": {"x": 1}}};
        options
            .into_iter()
            .for_each(|(name, value)| statement.push(name, value));
        doc! {"update": "a", "updates": [statement]}
    };
    vec![
        good(
            doc! {"insert": "a", "documents": [{"_id": 1, "x": 1}, {"_id": 2, "x": 2}, {"_id": 3, "x": 3}]},
            doc! {"n": 3},
        ),
        explain(
            update(doc! {}, doc! {"multi": true}),
            0,
            doc! {"stage": "UPDATE", "nReturned": 0, "nMatched": 3, "nWouldModify": 2, "nWouldUpsert": 0},
        ),
        explain(
            update(doc! {"_id": 9}, doc! {"upsert": true}),
            0,
            doc! {"nMatched": 0, "nWouldModify": 0, "nWouldUpsert": 1},
        ),
        explain(
            doc! {"update": "none", "updates": [{"q": {}, "u": {"$set": {"x": 1}}}]},
            0,
            doc! {"stage": "EOF", "type": "nonExistentNamespace"},
        ),
        explain(
            doc! {"delete": "a", "deletes": [{"q": {"x": {"$gt": 1}}, "limit": 0}]},
            0,
            doc! {"stage": "DELETE", "nReturned": 0, "nWouldDelete": 2},
        ),
        explain(
            doc! {"findAndModify": "a", "query": {"x": 2}, "update": {"$inc": {"x": 1}}},
            1,
            doc! {"stage": "UPDATE", "nReturned": 1, "nWouldModify": 1},
        ),
        explain(
            doc! {"findAndModify": "a", "query": {"x": 2}, "remove": true},
            1,
            doc! {"stage": "DELETE", "nReturned": 1, "nWouldDelete": 1},
        ),
        explain(
            doc! {"findAndModify": "a", "query": {"x": 9}, "update": {"x": 9}, "upsert": true, "new": true},
            1,
            doc! {"nMatched": 0, "nWouldUpsert": 1},
        ),
        bad(
            doc! {"explain": (update(doc! {}, doc! {"arrayFilters": [{"e": 1}]})), "verbosity": "executionStats"},
            9,
            "",
        ),
        good(doc! {"distinct": "a", "key": "x"}, doc! {"values": [1, 2, 3]}),
        planned(
            update(doc! {"x": 1}, doc! {}),
            doc! {"stage": "UPDATE", "inputStage": {"stage": "COLLSCAN"}},
        ),
        planned(
            doc! {"delete": "a", "deletes": [{"q": {"x": 1}, "limit": 1}]},
            doc! {"stage": "DELETE", "inputStage": {"stage": "COLLSCAN"}},
        ),
        planned(
            update(doc! {"_id": 1}, doc! {}),
            doc! {"stage": "EXPRESS_UPDATE", "keyPattern": "{ _id: 1 }", "indexName": "_id_"},
        ),
        planned(
            update(doc! {"_id": 1}, doc! {"upsert": true}),
            doc! {"stage": "UPDATE"},
        ),
        explain(
            update(doc! {"_id": 2}, doc! {}),
            0,
            doc! {"stage": "EXPRESS_UPDATE", "nWouldModify": 1, "nWouldUpsert": 0, "nWouldDelete": 0, "docsExamined": 1},
        ),
        explain(
            doc! {"delete": "a", "deletes": [{"q": {"_id": {"$eq": 2}}, "limit": 1}]},
            0,
            doc! {"stage": "EXPRESS_DELETE", "nWouldModify": 0, "nWouldDelete": 1},
        ),
        explain(
            doc! {"findAndModify": "a", "query": {"_id": 2}, "remove": true},
            1,
            doc! {"stage": "EXPRESS_DELETE", "nReturned": 1, "nWouldDelete": 1},
        ),
        planned(
            doc! {"findAndModify": "a", "query": {"x": 1}, "sort": {"_id": 1}, "remove": true},
            doc! {"stage": "DELETE", "inputStage": {"stage": "LIMIT", "limitAmount": 1}},
        ),
    ]
}

fn plans() -> Vec<Case> {
    let query = || doc! {"find": "a", "filter": {"x": {"$gt": 0}, "y": {"$gt": 0}}};
    let statistics = |stage: Document| doc! {"aggregate": "a", "pipeline": [stage], "cursor": {}};
    let none = || doc! {"cursor": {"firstBatch": Value::Array(array![])}};
    vec![
        good(
            doc! {"insert": "a", "documents": [{"x": 1, "y": 1}, {"x": 2, "y": 2}]},
            doc! {},
        ),
        good(
            doc! {"createIndexes": "a", "indexes": [{"key": {"x": 1}, "name": "x"}, {"key": {"y": 1}, "name": "y"}]},
            doc! {},
        ),
        good(
            doc! {"explain": (query()), "verbosity": "executionStats"},
            doc! {"executionStats": {"nReturned": 2}},
        ),
        good(statistics(doc! {"$planCacheStats": {}}), none()),
        good(
            doc! {
                "aggregate": "a",
                "pipeline": [{"$indexStats": {}}, {"$match": {"accesses.ops": {"$gt": 0}}}],
                "cursor": {},
            },
            none(),
        ),
        good(query(), doc! {}),
        good(
            statistics(doc! {"$planCacheStats": {}}),
            doc! {"cursor": {"firstBatch": [{"isActive": true}]}},
        ),
        bad(
            doc! {"planCacheClear": "a", "query": {"$nothing": 1}},
            2,
            "unknown top level operator",
        ),
        good(doc! {"planCacheClear": "a", "query": {"x": 1, "y": 1}}, doc! {}),
        good(
            statistics(doc! {"$planCacheStats": {}}),
            doc! {"cursor": {"firstBatch": [{"isActive": true}]}},
        ),
        good(
            doc! {"planCacheClear": "a", "query": {"y": {"$gt": 8}, "x": {"$gt": 9}}},
            doc! {},
        ),
        good(statistics(doc! {"$planCacheStats": {}}), none()),
    ]
}
