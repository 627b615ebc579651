//! What `apiStrict: true` refuses.

use crate::case::{Case, bad, good, run};
use value::{Document, Value, doc};

#[test]
fn fields_that_the_stable_api_does_not_have_are_refused() {
    run(&refused());
}

#[test]
fn fields_that_the_stable_api_has_are_not_refused() {
    run(&taken());
}

#[test]
fn what_the_stable_api_does_not_have_of_views_and_indexes_is_told() {
    let ask = |more: Document, strict: bool| {
        let mut request = doc! {"validateDBMetadata": 1, "apiParameters": {"version": "1", "strict": strict}};
        more.into_iter()
            .for_each(|(name, value)| request.push(name, value));
        request
    };
    let told = |errors: Value| doc! {"apiVersionErrors": errors};
    let of = |namespace: &str, errmsg: &str| {
        Value::from(doc! {"ns": namespace, "code": 323, "codeName": "APIStrictError", "errmsg": errmsg})
    };
    let of_view = || {
        let message = "stage $indexStats is not allowed with 'apiStrict: true' in API Version 1";
        of("test.seen", message)
    };
    let of_index = |collection: &str, name: &str| {
        let message = format!("The index with name {name} is not allowed in API version 1.");
        of(&format!("test.{collection}"), &message)
    };
    let within = doc! {"$unionWith": {"coll": "b", "pipeline": [{"$indexStats": {}}]}};
    let plain = doc! {"key": {"x": 1}, "name": "x"};
    let sparse = doc! {"key": {"y": 1}, "name": "y", "sparse": true};
    let text = doc! {"key": {"t": "text"}, "name": "t"};
    let all = || Value::Array(vec![of_view(), of_index("a", "y"), of_index("b", "t")]);
    run(&[
        good(doc! {"createIndexes": "a", "indexes": [plain, sparse]}, doc! {}),
        good(doc! {"createIndexes": "b", "indexes": [text]}, doc! {}),
        good(
            doc! {"create": "seen", "viewOn": "a", "pipeline": [within]},
            doc! {},
        ),
        good(ask(doc! {"db": "test"}, true), told(all())),
        good(ask(doc! {}, true), told(all())),
        good(
            ask(doc! {"db": "test", "collection": "seen"}, true),
            told(Value::Array(vec![of_view()])),
        ),
        good(ask(doc! {"db": "other"}, true), told(Value::Array(Vec::new()))),
        good(ask(doc! {"db": "test"}, false), told(Value::Array(Vec::new()))).without("hasMoreErrors"),
    ]);
}

fn strict(request: Document) -> Document {
    request.with("apiVersion", "1").with("apiStrict", true)
}

fn refused() -> Vec<Case> {
    let refused = |request: Document| bad(strict(request), 323, "");
    let find = [
        ("min", Value::from(doc! {"x": 1})),
        ("max", doc! {"x": 1}.into()),
        ("returnKey", true.into()),
        ("showRecordId", true.into()),
        ("tailable", true.into()),
        ("oplogReplay", true.into()),
        ("noCursorTimeout", true.into()),
        ("awaitData", false.into()),
        ("term", 1.into()),
    ];
    let index = [
        ("sparse", Value::from(true)),
        ("background", true.into()),
        ("storageEngine", doc! {}.into()),
        ("prepareUnique", true.into()),
    ];
    let stages = [
        doc! {"$facet": {"f": [{"$listSessions": {}}]}},
        doc! {"$lookup": {"from": "b", "as": "b", "pipeline": [{"$indexStats": {}}]}},
        doc! {"$unionWith": {"coll": "b", "pipeline": [{"$planCacheStats": {}}]}},
    ];
    let mut cases = Vec::new();
    for (name, value) in find {
        let find = doc! {"find": "a"}.with(name, value);
        cases.push(refused(find.clone()));
        cases.push(refused(doc! {"explain": find}));
    }
    for (name, value) in index {
        let spec = doc! {"key": {"x": 1}, "name": "x"}.with(name, value);
        cases.push(refused(doc! {"createIndexes": "a", "indexes": [spec]}));
    }
    for stage in stages {
        let aggregate = doc! {"aggregate": "a", "pipeline": [stage], "cursor": {}};
        cases.push(refused(aggregate.clone()));
        cases.push(refused(doc! {"explain": aggregate}));
    }
    cases.extend([
        refused(doc! {"create": "c", "capped": true, "size": 4096}),
        refused(doc! {"create": "c", "capped": true, "size": 4096, "max": 1}),
        refused(doc! {"createIndexes": "a", "indexes": [{"key": {"x": "text"}, "name": "x"}]}),
        refused(doc! {
            "createIndexes": "a",
            "indexes": [{"key": {"x": 1}, "name": "x"}],
            "ignoreUnknownIndexOptions": true,
        }),
        refused(doc! {"update": "a", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "sort": {"x": 1}}]}),
        refused(doc! {"collMod": "a", "index": {"name": "x", "prepareUnique": true}}),
        refused(doc! {"collMod": "a", "dryRun": true}),
        refused(doc! {"listIndexes": "a", "includeBuildUUIDs": false}),
    ]);
    cases
}

fn taken() -> Vec<Case> {
    let taken = |request: Document| good(strict(request), doc! {});
    vec![
        taken(doc! {"insert": "a", "documents": [{"_id": 1, "x": 1}]}),
        taken(
            doc! {"find": "a", "filter": {}, "sort": {"x": 1}, "projection": {"x": 1}, "batchSize": 1, "singleBatch": true},
        ),
        taken(doc! {"createIndexes": "a", "indexes": [{"key": {"x": 1}, "name": "x", "unique": true}]}),
        taken(doc! {"update": "a", "updates": [{"q": {}, "u": {"$set": {"x": 1}}, "hint": "x"}]}),
        taken(doc! {"explain": {"find": "a", "filter": {"x": 1}}}),
        taken(doc! {"aggregate": "a", "pipeline": [{"$facet": {"f": [{"$match": {}}]}}], "cursor": {}}),
        // Without it all is allowed.
        good(
            doc! {"find": "a", "showRecordId": true, "apiVersion": "1"},
            doc! {},
        ),
    ]
}
