//! Rights for pipelines, by what their stages read and write.

use super::{OK, REFUSED, Right, check};
use value::{Document, Value, array, doc};

#[test]
fn a_pipeline_asks_for_what_its_stages_read_and_write() {
    let piped = |stages: Value| doc! {"aggregate": "a", "pipeline": stages, "cursor": {}};
    let on_a = |actions| -> Vec<Right<'_>> { vec![("test", "a", actions)] };
    let and_on = |actions| -> Vec<Right<'_>> { vec![("test", "a", &["find"]), ("test", "made", actions)] };
    let merge = |matched: &str, not_matched: &str| {
        piped(Value::Array(
            array![{"$merge": {"into": "made", "whenMatched": matched, "whenNotMatched": not_matched}}],
        ))
    };
    let out = || piped(Value::Array(array![{"$out": "made"}]));
    let one = |stage: Document| piped(Value::Array(array![stage]));
    let nested = doc! {"$lookup": {"from": {"db": "other", "coll": "b"}, "pipeline": [{"$unionWith": "secret"}], "as": "x"}};
    let twice = Document::new()
        .with("from", "a")
        .with("startWith", "$_id")
        .with("connectFromField", "_id")
        .with("connectToField", "_id")
        .with("as", "x");
    let mut twice_named = twice.clone();
    twice_named.push("from", "secret");
    let reduced = |more: Document| {
        let mut request = doc! {"mapReduce": "a", "map": "function() { emit(1, 1) }", "reduce": "function(k, v) { return 1 }"};
        more.into_iter()
            .for_each(|(name, value)| request.push(name, value));
        request
    };
    let settings = || doc! {"aggregate": 1, "pipeline": [{"$querySettings": {}}], "cursor": {}};
    let cases: Vec<(Vec<Right<'_>>, Document, i32)> = vec![
        (on_a(&["find"]), one(doc! {"$indexStats": {}}), REFUSED),
        (on_a(&["indexStats"]), one(doc! {"$indexStats": {}}), OK),
        (on_a(&["find"]), one(doc! {"$collStats": {"count": {}}}), REFUSED),
        (on_a(&["collStats"]), one(doc! {"$collStats": {"count": {}}}), OK),
        (on_a(&["find"]), one(doc! {"$planCacheStats": {}}), REFUSED),
        (on_a(&["planCacheRead"]), one(doc! {"$planCacheStats": {}}), OK),
        (
            on_a(&["find"]),
            one(doc! {"$unionWith": {"coll": "secret", "pipeline": [{"$collStats": {"count": {}}}]}}),
            REFUSED,
        ),
        (and_on(&["insert"]), merge("fail", "insert"), OK),
        (and_on(&["insert"]), merge("merge", "insert"), REFUSED),
        (and_on(&["update"]), merge("merge", "insert"), REFUSED),
        (and_on(&["update"]), merge("replace", "discard"), OK),
        (and_on(&["insert", "update"]), merge("replace", "insert"), OK),
        (and_on(&["insert", "remove"]), out(), OK),
        (
            and_on(&["insert", "remove"]),
            out().with("bypassDocumentValidation", true),
            REFUSED,
        ),
        (
            and_on(&["insert", "remove", "bypassDocumentValidation"]),
            out().with("bypassDocumentValidation", true),
            OK,
        ),
        (and_on(&["insert", "remove"]), reduced(doc! {"out": "made"}), OK),
        (
            and_on(&["insert", "remove"]),
            reduced(doc! {"out": "made", "bypassDocumentValidation": true}),
            REFUSED,
        ),
        (on_a(&["find"]), one(doc! {"$graphLookup": twice}), OK),
        (on_a(&["find"]), one(doc! {"$graphLookup": twice_named}), REFUSED),
        // A collection within a pipeline is one of the database that the pipeline is on.
        (
            vec![("test", "", &["find"]), ("other", "b", &["find"])],
            one(nested),
            REFUSED,
        ),
        (
            on_a(&["find"]),
            one(doc! {"$unionWith": {"pipeline": [{"$documents": [{"n": 1}]}]}}),
            OK,
        ),
        (
            vec![("test", "", &["listCollections"])],
            doc! {"aggregate": 1, "pipeline": [{"$listClusterCatalog": {}}], "cursor": {}},
            OK,
        ),
        (
            on_a(&["find"]),
            doc! {"aggregate": 1, "pipeline": [{"$listClusterCatalog": {}}], "cursor": {}},
            REFUSED,
        ),
        (on_a(&["find"]), settings(), REFUSED),
        (vec![("", "$server", &["querySettings"])], settings(), OK),
    ];
    let cases: Vec<_> = cases
        .iter()
        .map(|(rights, request, code)| (rights.as_slice(), request.clone(), *code))
        .collect();
    check(&cases);
}
