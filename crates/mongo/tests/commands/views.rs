//! Options of commands that read a view.

use crate::case::{Case, bad, good, run};
use value::{Document, Value, doc};

#[test]
fn options_of_collections_are_refused_for_views() {
    run(&refused());
}

#[test]
fn hints_go_to_the_pipeline() {
    run(&hinted());
}

#[test]
fn changes_of_views_are_not_explained() {
    run(&changes());
}

#[test]
fn explained_reads_are_refused_as_reads_are() {
    run(&explained());
}

fn explained() -> Vec<Case> {
    let other = |request: Document| {
        let asked = request.with("collation", doc! {"locale": "fr"});
        bad(doc! {"explain": asked}, 167, "default collation")
    };
    let mut cases = made();
    cases.extend([
        other(doc! {"find": "v"}),
        other(doc! {"count": "v"}),
        other(doc! {"distinct": "v", "key": "x"}),
        other(doc! {"aggregate": "v", "pipeline": [], "cursor": {}}),
        good(
            doc! {"explain": {"find": "v", "collation": {"locale": "simple"}}},
            doc! {"ok": 1.0},
        ),
        good(
            doc! {"explain": {"count": "v", "skip": 1}, "verbosity": "queryPlanner"},
            doc! {"stages": [{"$cursor": {"queryPlanner": {"namespace": "test.a"}}}, {"$count": "count"}]},
        ),
    ]);
    cases
}

#[test]
fn functions_are_run_on_collections_alone() {
    run(&map_reduced());
}

fn map_reduced() -> Vec<Case> {
    let request = |name: &str, out: Value| {
        let (map, reduce) = ("function() { emit(this.x, 1) }", "function(k, v) { return 1 }");
        doc! {"mapReduce": name, "map": map, "reduce": reduce, "query": {"x": {"$gt": 1}}, "out": out}
    };
    let inline = || Value::from(doc! {"inline": 1});
    let mut cases = made();
    for name in ["v", "s"] {
        cases.push(bad(request(name, inline()), 166, "is a view or a time series"));
    }
    for database in ["admin", "config", "local"] {
        let out = doc! {"merge": "out", "db": database};
        cases.push(bad(request("a", out.into()), 115, "internal DB"));
    }
    cases.push(good(
        doc! {"explain": request("a", inline()), "verbosity": "queryPlanner"},
        doc! {"ok": 1.0},
    ));
    cases.push(bad(doc! {"explain": request("v", inline())}, 166, "is a view"));
    cases
}

#[test]
fn indexes_and_plans_of_a_view_are_those_of_its_collection() {
    let first = |name: &str, stage: &str| {
        let stage = Document::new().with(stage, doc! {});
        doc! {"aggregate": name, "pipeline": [stage, {"$sort": {"name": -1}}], "cursor": {}}
    };
    let mut cases = made();
    cases.extend([
        good(doc! {"create": "all", "viewOn": "a"}, doc! {}),
        good(
            first("all", "$indexStats"),
            doc! {"cursor": {"firstBatch": [{"name": "x_1"}, {"name": "_id_"}]}},
        ),
        good(first("all", "$planCacheStats"), doc! {"ok": 1.0}),
        bad(first("v", "$indexStats"), 40_602, "only valid as the first stage"),
        good(
            doc! {"create": "counted", "viewOn": "a", "pipeline": [{"$collStats": {"count": {}}}]},
            doc! {},
        ),
        good(
            doc! {"find": "counted"},
            doc! {"cursor": {"firstBatch": [{"ns": "test.a", "count": 3}]}},
        ),
    ]);
    run(&cases);
}

#[test]
fn a_view_is_no_collection() {
    run(&told());
}

fn told() -> Vec<Case> {
    let statistics = |name: &str, wanted: Document| {
        let stage = Document::new().with("$collStats", wanted);
        doc! {"aggregate": name, "pipeline": [stage], "cursor": {}}
    };
    let renamed = |from: &str, to: &str, drop_target: bool| {
        doc! {"renameCollection": format!("test.{from}"), "to": format!("test.{to}"), "dropTarget": drop_target}
    };
    let rename = |drop_target: bool| renamed("a", "v", drop_target);
    let mut cases = made();
    cases.extend([
        good(
            statistics("v", doc! {"latencyStats": {}}),
            doc! {"cursor": {"firstBatch": [{"ns": "test.v"}]}},
        ),
        bad(statistics("v", doc! {"count": {}}), 166, "is a view"),
        bad(statistics("v", doc! {"storageStats": {}}), 166, "is a view"),
        good(
            statistics("s", doc! {"count": {}}),
            doc! {"cursor": {"firstBatch": [{"ns": "test.s", "count": 0}]}},
        ),
        bad(rename(false), 48, "a view already exists").of("admin"),
        bad(rename(true), 48, "a view already exists").of("admin"),
        bad(renamed("v", "w", false), 166, "is a view").of("admin"),
        bad(renamed("s", "w", false), 166, "cannot rename the time series").of("admin"),
        bad(renamed("s", "s", false), 20, "to itself").of("admin"),
        bad(renamed("a", "s", true), 48, "a time series already exists").of("admin"),
        bad(renamed("nothing", "s", true), 26, "does not exist").of("admin"),
        bad(doc! {"reIndex": "s"}, 166, "can't re-index a time series"),
        bad(doc! {"create": "w", "viewOn": ""}, 2, "empty"),
        bad(doc! {"create": "w", "viewOn": "x$y"}, 73, "'viewOn'"),
        bad(doc! {"create": "w", "viewOn": ".x"}, 73, "Invalid namespace"),
        bad(doc! {"collMod": "v", "viewOn": ""}, 2, "empty"),
        bad(doc! {"collMod": "v", "viewOn": "x$y"}, 73, "'viewOn'"),
        bad(doc! {"collMod": "v", "viewOn": ".x"}, 73, "Invalid namespace"),
        good(doc! {"count": "v"}, doc! {"n": 2}),
    ]);
    cases
}

fn made() -> Vec<Case> {
    vec![
        good(
            doc! {"insert": "a", "documents": [{"_id": 1, "x": 3}, {"_id": 2, "x": 2}, {"_id": 3, "x": 1}]},
            doc! {"n": 3},
        ),
        good(
            doc! {"createIndexes": "a", "indexes": [{"key": {"x": 1}, "name": "x_1"}]},
            doc! {},
        ),
        good(
            doc! {"create": "v", "viewOn": "a", "pipeline": [{"$match": {"x": {"$gt": 1}}}]},
            doc! {},
        ),
        good(doc! {"create": "s", "timeseries": {"timeField": "t"}}, doc! {}),
    ]
}

fn refused() -> Vec<Case> {
    let options = [
        ("min", Value::from(doc! {"x": 1})),
        ("max", doc! {"x": 1}.into()),
        ("returnKey", true.into()),
        ("showRecordId", true.into()),
        ("noCursorTimeout", true.into()),
    ];
    let mut cases = made();
    for name in ["v", "s"] {
        for (option, value) in &options {
            let find = doc! {"find": name}.with(*option, value.clone());
            cases.push(bad(
                doc! {"explain": find.clone()},
                168,
                "not supported in aggregation",
            ));
            cases.push(bad(find, 168, "not supported in aggregation"));
        }
        cases.push(good(
            doc! {"find": name, "returnKey": false, "noCursorTimeout": false},
            doc! {},
        ));
    }
    // Collections that are computed when they are read have cursors that can stay open.
    cases.push(good(
        doc! {"find": "system.buckets.s", "noCursorTimeout": true},
        doc! {},
    ));
    cases.push(bad(
        doc! {"find": "system.buckets.s", "showRecordId": true},
        168,
        "showRecordId",
    ));
    cases
}

fn hinted() -> Vec<Case> {
    let first = |request: Document, ids: Vec<Document>| {
        good(request, doc! {"cursor": {"firstBatch": Value::from(ids)}})
    };
    let wrong = |request: Document| bad(request.with("hint", "no"), 2, "hint");
    let mut cases = made();
    cases.extend([
        wrong(doc! {"find": "v"}),
        wrong(doc! {"count": "v"}),
        wrong(doc! {"distinct": "v", "key": "x"}),
        bad(doc! {"explain": {"find": "v", "hint": "no"}}, 2, "hint"),
        first(
            doc! {"find": "v", "hint": "x_1"},
            vec![doc! {"_id": 2}, doc! {"_id": 1}],
        ),
        good(doc! {"count": "v", "hint": "x_1"}, doc! {"n": 2}),
        good(
            doc! {"distinct": "v", "key": "x", "hint": {"x": 1}},
            doc! {"values": [2, 3]},
        ),
        first(
            doc! {"find": "v", "sort": {"$natural": (-1)}},
            vec![doc! {"_id": 2}, doc! {"_id": 1}],
        ),
        first(
            doc! {"find": "v", "sort": {"$natural": 1}, "hint": {"$natural": 1}},
            vec![doc! {"_id": 1}, doc! {"_id": 2}],
        ),
        bad(
            doc! {"find": "v", "sort": {"$natural": 1}, "hint": "x_1"},
            2,
            "one of them is $natural",
        ),
        good(
            doc! {"explain": {"find": "v", "filter": {"$expr": {"$eq": ["$x", "$$y"]}}, "let": {"y": 2}}},
            doc! {},
        ),
    ]);
    cases
}

fn changes() -> Vec<Case> {
    let refused = |request: Document| bad(doc! {"explain": request}, 166, "view");
    let mut cases = made();
    cases.extend([
        refused(doc! {"update": "v", "updates": [{"q": {}, "u": {"$set": {"x": 1}}}]}),
        refused(doc! {"delete": "v", "deletes": [{"q": {}, "limit": 1}]}),
        refused(doc! {"findAndModify": "v", "query": {}, "remove": true}),
    ]);
    cases
}
