//! Which plan a query gets, and with which bounds, according to `explain`.

use crate::support::{insert_all, new_collection};
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use query::execute::FindSpec;
use query::explain::{Purpose, Verbosity, explain};
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::{Collection, IndexSpec};
use value::{Document, Value, doc};

async fn collection(keys: &[Document], documents: &[Document]) -> (store::Store, Arc<Collection>) {
    let (store, collection) = new_collection().await;
    for (at, key) in keys.iter().enumerate() {
        let spec = IndexSpec::new(format!("index_{at}"), key.clone());
        collection.create_indexes(vec![spec]).await.expect("index");
    }
    insert_all(&collection, documents).await;
    (store, collection)
}

fn spec(query: &Document) -> FindSpec {
    FindSpec::new(Arc::new(
        Filter::parse(query, &FilterScope::default()).expect("filter"),
    ))
}

async fn explained(collection: &Arc<Collection>, spec: FindSpec) -> Document {
    explain(
        Some(collection),
        "db.coll",
        spec,
        Purpose::Find,
        Verbosity::ExecutionStats,
    )
    .await
    .expect("explain")
    .shown
}

/// The names of the stages from the top down the first inputs, and the lowest stage.
fn stages(explained: &Document) -> (Vec<String>, Document) {
    let mut at = document(document(explained, "queryPlanner"), "winningPlan").clone();
    let mut names = Vec::new();
    loop {
        if let Some(Value::String(name)) = at.get("stage") {
            names.push(name.clone());
        }
        match at.get("inputStage") {
            Some(Value::Document(input)) => at = input.clone(),
            _ => return (names, at),
        }
    }
}

fn document<'d>(of: &'d Document, name: &str) -> &'d Document {
    match of.get(name) {
        Some(Value::Document(inner)) => inner,
        other => panic!("{name} is {other:?}"),
    }
}

fn number(of: &Document, name: &str) -> i32 {
    match of.get(name) {
        Some(Value::Int32(number)) => *number,
        other => panic!("{name} is {other:?}"),
    }
}

fn numbered(count: i32) -> Vec<Document> {
    (0..count)
        .map(|i| doc! {"_id": i, "a": i % 5, "b": i, "s": format!("s{i}")})
        .collect()
}

#[tokio::test]
async fn conditions_become_bounds_of_the_index() {
    let (_store, collection) = collection(&[doc! {"a": 1}], &numbered(20)).await;
    let cases = [
        (doc! {"a": 3}, vec!["[3, 3]"]),
        (doc! {"a": {"$gt": 1, "$lte": 3}}, vec!["(1, 3]"]),
        (doc! {"a": {"$lt": 2.5}}, vec!["[-inf.0, 2.5)"]),
        (doc! {"a": {"$in": [1, 4]}}, vec!["[1, 1]", "[4, 4]"]),
        (doc! {"a": {"$ne": 2}}, vec!["[MinKey, 2)", "(2, MaxKey]"]),
        (
            doc! {"a": {"$not": {"$gte": 2}}},
            vec!["[MinKey, 2)", "(inf.0, MaxKey]"],
        ),
        (doc! {"a": null}, vec!["[undefined, undefined]", "[null, null]"]),
        (
            doc! {"a": {"$regex": "^ab"}},
            vec!["[\"ab\", \"ac\")", "[/^ab/, /^ab/]"],
        ),
        (doc! {"a": {"$gte": "m"}}, vec!["[\"m\", {})"]),
        (doc! {"a": {"$exists": true}}, vec!["[MinKey, MaxKey]"]),
    ];
    for (query, expected) in cases {
        let (_, scan) = stages(&explained(&collection, spec(&query)).await);
        let expected: Value = expected.into_iter().map(Value::from).collect();
        assert_eq!(
            document(&scan, "indexBounds").get("a"),
            Some(&expected),
            "{query:?}"
        );
    }
}

#[tokio::test]
async fn an_array_is_met_by_one_condition_unless_one_element_must_meet_both() {
    let documents: Vec<Document> = (0..9).map(|i| doc! {"_id": i, "a": [i, i + 10]}).collect();
    let (_store, collection) = collection(&[doc! {"a": 1}], &documents).await;
    let (_, scan) = stages(&explained(&collection, spec(&doc! {"a": {"$gt": 3, "$lt": 12}})).await);
    let one: Value = vec!["(3, inf.0]"].into_iter().map(Value::from).collect();
    assert_eq!(document(&scan, "indexBounds").get("a"), Some(&one));
    assert_eq!(scan.get("isMultiKey"), Some(&Value::Bool(true)));
    let element = doc! {"a": {"$elemMatch": {"$gt": 3, "$lt": 12}}};
    let (_, scan) = stages(&explained(&collection, spec(&element)).await);
    let both: Value = vec!["(3, 12)"].into_iter().map(Value::from).collect();
    assert_eq!(document(&scan, "indexBounds").get("a"), Some(&both));
}

#[tokio::test]
async fn keys_out_of_bounds_are_jumped_over() {
    let (_store, collection) = collection(&[doc! {"a": 1, "b": 1}], &numbered(2000)).await;
    let shown = explained(
        &collection,
        spec(&doc! {"a": {"$gte": 1, "$lte": 3}, "b": {"$gt": 1990}}),
    )
    .await;
    let stats = document(&shown, "executionStats");
    assert_eq!(number(stats, "nReturned"), 6);
    assert!(number(stats, "totalKeysExamined") < 20, "{stats:?}");
}

/// The winning plan of a count, and what came of it.
async fn counted(collection: Option<&Arc<Collection>>, spec: FindSpec) -> (Document, Document) {
    let shown = explain(
        collection,
        "db.coll",
        spec,
        Purpose::Count,
        Verbosity::ExecutionStats,
    )
    .await
    .expect("explain")
    .shown;
    let plan = document(document(&shown, "queryPlanner"), "winningPlan").clone();
    let stats = document(document(&shown, "executionStats"), "executionStages").clone();
    assert_eq!(number(document(&shown, "executionStats"), "nReturned"), 0);
    (plan, stats)
}

#[tokio::test]
async fn a_count_of_one_range_of_an_index_is_a_scan_of_its_own() {
    let (_store, collection) = collection(&[doc! {"a": 1, "b": -1}], &numbered(20)).await;
    let all = (
        doc! {"a": 3, "b": Value::MaxKey},
        doc! {"a": 3, "b": Value::MinKey},
    );
    let above = (
        doc! {"a": 3, "b": Value::MinKey},
        doc! {"a": (f64::INFINITY), "b": Value::MinKey},
    );
    let cases = [
        (doc! {"a": 3}, all, (true, true), 4),
        (doc! {"a": {"$gt": 3}}, above, (false, true), 4),
    ];
    for (query, (start, end), (starts, ends), found) in cases {
        let (plan, stats) = counted(Some(&collection), spec(&query)).await;
        assert_eq!(plan.get("stage"), Some(&Value::from("COUNT")), "{query:?}");
        assert_eq!(number(&stats, "nCounted"), found);
        let scan = document(&plan, "inputStage");
        assert_eq!(scan.get("stage"), Some(&Value::from("COUNT_SCAN")), "{query:?}");
        let bounds = doc! {
            "startKey": start,
            "startKeyInclusive": starts,
            "endKey": end,
            "endKeyInclusive": ends,
        };
        assert_eq!(document(scan, "indexBounds"), &bounds);
    }
    let several = doc! {"a": {"$in": [1, 3]}};
    let (plan, _) = counted(Some(&collection), spec(&several)).await;
    let scan = document(&plan, "inputStage");
    assert_eq!(scan.get("stage"), Some(&Value::from("IXSCAN")));
}

#[tokio::test]
async fn a_count_of_all_documents_reads_none() {
    let (_store, collection) = collection(&[doc! {"a": 1}], &numbered(20)).await;
    let mut query = spec(&doc! {});
    (query.skip, query.limit) = (3, Some(50));
    let (plan, stats) = counted(Some(&collection), query).await;
    assert_eq!(plan.get("stage"), Some(&Value::from("RECORD_STORE_FAST_COUNT")));
    assert_eq!((number(&stats, "nCounted"), number(&stats, "nSkipped")), (17, 3));
}

#[tokio::test]
async fn the_plan_of_a_missing_collection_says_so() {
    let (plan, stats) = counted(None, spec(&doc! {"a": 1})).await;
    assert_eq!(plan.get("stage"), Some(&Value::from("COUNT")));
    assert_eq!(number(&stats, "nCounted"), 0);
    let shown = explain(
        None,
        "db.coll",
        spec(&doc! {}),
        Purpose::Find,
        Verbosity::QueryPlanner,
    );
    let shown = shown.await.expect("explain").shown;
    for end in [stages(&shown).1, document(&plan, "inputStage").clone()] {
        assert_eq!(end.get("stage"), Some(&Value::from("EOF")));
        assert_eq!(end.get("type"), Some(&Value::from("nonExistentNamespace")));
    }
}

#[tokio::test]
async fn between_min_and_max_no_bounds_of_fields_are_told() {
    let (_store, collection) = collection(&[doc! {"a": 1}], &numbered(20)).await;
    let mut query = spec(&doc! {});
    query.hint = Some(Hint::Key(doc! {"a": 1}));
    query.min = Some(doc! {"a": 2});
    let (_, scan) = stages(&explained(&collection, query).await);
    assert_eq!(document(&scan, "indexBounds"), &Document::new());
}

#[tokio::test]
async fn an_index_that_has_all_fields_answers_alone() {
    let (_store, collection) = collection(&[doc! {"a": 1, "b": 1}], &numbered(20)).await;
    let mut query = spec(&doc! {"a": 3});
    let shown = doc! {"_id": 0, "b": 1};
    let projection = Projection::parse_find(&shown, None, &Default::default()).expect("projection");
    query.projection = Some(Arc::new(projection));
    let shown = explained(&collection, query).await;
    assert_eq!(stages(&shown).0, ["PROJECTION_COVERED", "IXSCAN"]);
    assert_eq!(number(document(&shown, "executionStats"), "totalDocsExamined"), 0);
}

#[tokio::test]
async fn an_index_gives_the_order_behind_single_values() {
    let (_store, collection) = collection(&[doc! {"a": 1, "b": -1}], &numbered(50)).await;
    for (query, sort, expected) in [
        (doc! {"a": 3}, doc! {"b": 1}, vec!["FETCH", "IXSCAN"]),
        (doc! {"a": 3}, doc! {"b": -1}, vec!["FETCH", "IXSCAN"]),
        (
            doc! {"a": {"$in": [1, 2]}},
            doc! {"b": 1},
            vec!["FETCH", "SORT_MERGE"],
        ),
        (
            doc! {"a": {"$gt": 1}},
            doc! {"b": 1},
            vec!["SORT", "FETCH", "IXSCAN"],
        ),
        (doc! {}, doc! {"a": -1, "b": 1}, vec!["FETCH", "IXSCAN"]),
        (doc! {}, doc! {"a": 1, "b": 1}, vec!["SORT", "COLLSCAN"]),
    ] {
        let mut wanted = spec(&query);
        wanted.ordering = Ordering::parse(&sort).expect("sort");
        assert_eq!(
            stages(&explained(&collection, wanted).await).0,
            expected,
            "{query:?} {sort:?}"
        );
    }
}

#[tokio::test]
async fn each_branch_of_a_disjunction_has_its_index() {
    let (_store, collection) = collection(&[doc! {"a": 1}, doc! {"b": 1}], &numbered(50)).await;
    let indexed = doc! {"$or": [{"a": 1}, {"b": {"$lt": 3}}]};
    assert_eq!(
        stages(&explained(&collection, spec(&indexed)).await).0,
        ["FETCH", "OR"]
    );
    let not_all = doc! {"$or": [{"a": 1}, {"s": "s3"}]};
    assert_eq!(
        stages(&explained(&collection, spec(&not_all)).await).0,
        ["COLLSCAN"]
    );
}

#[tokio::test]
async fn an_index_that_is_not_chosen_is_named_with_the_reason() {
    let (_store, collection) = new_collection().await;
    let mut partial = IndexSpec::new("partial", doc! {"a": 1});
    partial.partial_filter = Some(doc! {"b": {"$gt": 10}});
    collection.create_indexes(vec![partial]).await.expect("index");
    insert_all(&collection, &numbered(30)).await;
    let shown = explained(&collection, spec(&doc! {"a": 1})).await;
    assert!(document(document(&shown, "queryPlanner"), "indexesNotUsed").contains("partial"));
    let shown = explained(&collection, spec(&doc! {"a": 1, "b": {"$gt": 20}})).await;
    assert_eq!(stages(&shown).0, ["FETCH", "IXSCAN"]);
}

#[tokio::test]
async fn a_wildcard_index_is_an_index_on_the_path_asked_for() {
    let documents = [doc! {"_id": 1, "a": {"b": 1}}, doc! {"_id": 2, "a": {"b": 2}}];
    let (_store, collection) = collection(&[doc! {"$**": 1}], &documents).await;
    let explained = explained(&collection, spec(&doc! {"a.b": 2})).await;
    let (names, scan) = stages(&explained);
    assert_eq!(names, ["FETCH", "IXSCAN"]);
    assert_eq!(document(&scan, "keyPattern"), &doc! {"$_path": 1, "a.b": 1});
    let bounds = document(&scan, "indexBounds");
    assert_eq!(
        bounds.get("$_path"),
        Some(&Value::from(value::array!["[\"a.b\", \"a.b\"]"]))
    );
    assert_eq!(bounds.get("a.b"), Some(&Value::from(value::array!["[2, 2]"])));
}

#[tokio::test]
async fn existence_is_found_on_a_path_and_all_below_it() {
    let documents = [
        doc! {"_id": 1, "a": {"b": 1}},
        doc! {"_id": 2, "ab": 2},
        doc! {"_id": 3, "a": 3},
    ];
    let (_store, collection) = collection(&[doc! {"$**": 1}], &documents).await;
    let explained = explained(&collection, spec(&doc! {"a": {"$exists": true}})).await;
    assert_eq!(stages(&explained).0, ["FETCH", "IXSCAN"]);
    assert_eq!(number(document(&explained, "executionStats"), "nReturned"), 2);
}

#[tokio::test]
async fn a_wildcard_index_does_not_serve_what_it_lacks() {
    let (_store, collection) = collection(&[doc! {"$**": 1}], &[doc! {"_id": 1, "a": 1}]).await;
    for query in [
        doc! {"a": Value::Null},
        doc! {"a": doc! {"x": 1}},
        doc! {"a": {"$ne": 1}},
        doc! {"a.0": 1},
        doc! {},
    ] {
        let explained = explained(&collection, spec(&query)).await;
        assert_eq!(stages(&explained).0, ["COLLSCAN"], "{query:?}");
    }
}

#[tokio::test]
async fn an_area_reads_the_cells_that_it_touches() {
    let places: Vec<Document> = (0..400)
        .map(|id| doc! {"_id": id, "at": [(f64::from(id % 20)), (f64::from(id / 20))]})
        .collect();
    let around = doc! {"$geoWithin": {"$centerSphere": [[5, 5], 0.02]}};
    for (kind, stage) in [("2dsphere", "GEO_NEAR_2DSPHERE"), ("2d", "GEO_NEAR_2D")] {
        let (_store, collection) = collection(&[doc! {"at": kind}], &places).await;
        let shown = explained(&collection, spec(&doc! {"at": (around.clone())})).await;
        assert_eq!(stages(&shown).0, ["FETCH", "IXSCAN"]);
        let statistics = document(&shown, "executionStats");
        assert_eq!(number(statistics, "nReturned"), 5);
        assert!(number(statistics, "totalKeysExamined") < 40, "{statistics:?}");

        let mut nearest = spec(&doc! {"at": {"$nearSphere": [5, 5]}});
        nearest.limit = Some(3);
        let shown = explained(&collection, nearest).await;
        assert_eq!(stages(&shown).0, ["LIMIT", stage, "IXSCAN"]);
        assert!(number(document(&shown, "executionStats"), "totalDocsExamined") < 100);
    }
}

#[tokio::test]
async fn a_search_of_texts_tells_its_terms() {
    let (_store, collection) = new_collection().await;
    let index = IndexSpec {
        kept: doc! {"weights": {"t": 1}, "default_language": "english", "language_override": "language"},
        ..IndexSpec::new("texts", doc! {"shelf": 1, "_fts": "text", "_ftsx": 1})
    };
    collection.create_indexes(vec![index]).await.expect("index");
    insert_all(&collection, &[doc! {"_id": 1, "shelf": 2, "t": "red foxes"}]).await;
    let search = doc! {"shelf": 2, "$text": {"$search": "fox \"red fox\" -cat"}};
    let shown = explained(&collection, spec(&search)).await;
    assert_eq!(stages(&shown).0, ["TEXT_MATCH", "FETCH", "IXSCAN"]);
    assert_eq!(number(document(&shown, "executionStats"), "nReturned"), 1);
    let plan = document(document(&shown, "queryPlanner"), "winningPlan");
    assert_eq!(document(plan, "indexPrefix"), &doc! {"shelf": 2});
    assert_eq!(
        document(plan, "parsedTextQuery"),
        &doc! {
            "terms": ["fox", "red"],
            "negatedTerms": ["cat"],
            "phrases": ["red fox"],
            "negatedPhrases": Value::Array(Vec::new()),
        }
    );
}
