//! Which stages `explain` shows, and what it tells of each.

use crate::support::{insert_all, new_collection, options};
use kv::{Kv, Simulation};
use language::filter::{Filter, FilterScope};
use language::projection::Projection;
use query::execute::FindSpec;
use query::explain::{Purpose, Verbosity, explain};
use query::plan::Ordering;
use std::sync::Arc;
use store::{Collection, CollectionOptions, IndexSpec, Namespace, Store};
use value::{Document, Value, array, doc};

fn spec(query: &Document) -> FindSpec {
    FindSpec::new(Arc::new(Filter::parse(query, &FilterScope::default()).unwrap()))
}

async fn told(
    collection: &Arc<Collection>,
    spec: FindSpec,
    purpose: Purpose,
    verbosity: Verbosity,
) -> Document {
    let explained = explain(Some(collection), "db.coll", spec, purpose, verbosity).await;
    explained.unwrap().shown
}

fn document<'d>(of: &'d Document, name: &str) -> &'d Document {
    match of.get(name) {
        Some(Value::Document(inner)) => inner,
        other => panic!("{name} is {other:?}"),
    }
}

fn winner(told: &Document) -> &Document {
    document(document(told, "queryPlanner"), "winningPlan")
}

fn ran(told: &Document) -> &Document {
    document(document(told, "executionStats"), "executionStages")
}

async fn numbered(keys: &[Document]) -> (Store, Arc<Collection>) {
    let (store, collection) = new_collection().await;
    for (at, key) in keys.iter().enumerate() {
        let index = IndexSpec::new(format!("index_{at}"), key.clone());
        collection.create_indexes(vec![index]).await.unwrap();
    }
    let documents: Vec<Document> = (0..60)
        .map(|i| doc! {"_id": i, "a": i % 5, "b": i, "c": {"d": i}})
        .collect();
    insert_all(&collection, &documents).await;
    (store, collection)
}

#[tokio::test]
async fn a_projection_tells_what_it_shows() {
    let (_store, collection) = numbered(&[doc! {"a": 1}]).await;
    let shown = doc! {"b": true, "_id": 0};
    let mut query = spec(&doc! {"a": 3});
    query.projection = Some(Arc::new(
        Projection::parse_find(&shown, None, &Default::default()).unwrap(),
    ));
    let made = told(&collection, query.clone(), Purpose::Find, Verbosity::QueryPlanner).await;
    assert_eq!(
        document(winner(&made), "transformBy"),
        &doc! {"b": 1, "_id": 0},
        "that of a pipeline was never written"
    );
    query.given_projection = Some(shown.clone());
    let given = told(&collection, query.clone(), Purpose::Find, Verbosity::QueryPlanner).await;
    assert_eq!(document(winner(&given), "transformBy"), &shown);

    query.return_key = true;
    let keys = told(&collection, query, Purpose::Find, Verbosity::QueryPlanner).await;
    assert_eq!(winner(&keys).get("stage"), Some(&Value::from("RETURN_KEY")));
    assert_eq!(winner(&keys).get("transformBy"), None);
}

#[tokio::test]
async fn only_a_sort_that_ran_tells_whether_it_used_files() {
    let (_store, collection) = numbered(&[]).await;
    let mut query = spec(&doc! {});
    query.ordering = Ordering::parse(&doc! {"b": -1}).unwrap();
    let sorted = told(&collection, query, Purpose::Find, Verbosity::ExecutionStats).await;
    assert_eq!(winner(&sorted).get("stage"), Some(&Value::from("SORT")));
    assert_eq!(winner(&sorted).get("usedDisk"), None);
    assert_eq!(ran(&sorted).get("usedDisk"), Some(&Value::Bool(false)));
}

#[tokio::test]
async fn the_plans_that_ran_against_each_other_are_told_with_the_winner_first() {
    let (_store, collection) = numbered(&[doc! {"a": 1}, doc! {"b": 1}]).await;
    let query = || spec(&doc! {"a": 3, "b": {"$gte": 0}});
    let all = told(&collection, query(), Purpose::Find, Verbosity::AllPlansExecution).await;
    let stats = document(&all, "executionStats");
    let Some(Value::Array(plans)) = stats.get("allPlansExecution") else {
        panic!("no plans in {stats:?}");
    };
    let Some(Value::Array(rejected)) = document(&all, "queryPlanner").get("rejectedPlans") else {
        panic!("no rejected plans in {all:?}");
    };
    assert_eq!(plans.len(), rejected.len() + 1);
    for plan in plans {
        let Value::Document(plan) = plan else {
            panic!("{plan:?} is a plan");
        };
        assert!(plan.contains("executionTimeMillisEstimate") && plan.contains("executionStages"));
        assert!(!plan.contains("executionSuccess"));
    }
    let one = told(
        &collection,
        spec(&doc! {"a": 3}),
        Purpose::Find,
        Verbosity::AllPlansExecution,
    )
    .await;
    assert_eq!(
        document(&one, "executionStats").get("allPlansExecution"),
        Some(&Value::Array(Vec::new()))
    );
}

#[tokio::test]
async fn distinct_values_of_an_index_are_read_once_each() {
    let (_store, collection) = numbered(&[doc! {"a": 1, "b": 1}, doc! {"c.d": 1}]).await;
    let distinct = async |field: &str, query: Document| {
        let purpose = Purpose::Distinct(field.to_owned());
        told(&collection, spec(&query), purpose, Verbosity::ExecutionStats).await
    };
    for (query, bounds, found) in [
        (doc! {}, "[MinKey, MaxKey]", 5),
        (doc! {"a": {"$gte": 3}}, "[3, inf.0]", 2),
    ] {
        let told = distinct("a", query.clone()).await;
        let plan = winner(&told);
        assert_eq!(
            plan.get("stage"),
            Some(&Value::from("PROJECTION_COVERED")),
            "{query:?}"
        );
        assert_eq!(document(plan, "transformBy"), &doc! {"_id": 0, "a": 1});
        let scan = document(plan, "inputStage");
        assert_eq!(scan.get("stage"), Some(&Value::from("DISTINCT_SCAN")));
        assert_eq!(
            document(scan, "indexBounds").get("a"),
            Some(&Value::from(array![bounds]))
        );
        let stats = document(&told, "executionStats");
        assert_eq!(stats.get("nReturned"), Some(&Value::Int32(found)));
        assert_eq!(stats.get("totalDocsExamined"), Some(&Value::Int32(0)));
    }
    let below = distinct("c.d", doc! {}).await;
    assert_eq!(
        winner(&below).get("stage"),
        Some(&Value::from("PROJECTION_DEFAULT"))
    );
}

#[tokio::test]
async fn a_clustered_collection_is_read_between_ids() {
    let store = Store::open(Kv::simulated(&Simulation::new(1)), options())
        .await
        .unwrap();
    let clustered = CollectionOptions {
        kept: doc! {"clusteredIndex": {"v": 2, "key": {"_id": 1}, "name": "_id_", "unique": true}},
        ..CollectionOptions::default()
    };
    let namespace = Namespace::new("db", "clustered");
    let collection = store.create(&namespace, clustered).await.unwrap();
    let documents: Vec<Document> = (0..20).map(|i| doc! {"_id": i, "a": i}).collect();
    insert_all(&collection, &documents).await;
    let found = async |query: Document| {
        told(
            &collection,
            spec(&query),
            Purpose::Find,
            Verbosity::ExecutionStats,
        )
        .await
    };

    let one = found(doc! {"_id": 3}).await;
    assert_eq!(
        winner(&one).get("stage"),
        Some(&Value::from("EXPRESS_CLUSTERED_IXSCAN"))
    );
    assert_eq!(winner(&one).get("indexName"), None);
    let some = found(doc! {"_id": {"$gte": 5, "$lt": 9}}).await;
    let plan = winner(&some);
    assert_eq!(plan.get("stage"), Some(&Value::from("CLUSTERED_IXSCAN")));
    assert_eq!(
        (plan.get("minRecord"), plan.get("maxRecord")),
        (Some(&Value::Int32(5)), Some(&Value::Int32(9)))
    );
    assert!(plan.contains("filter") && !plan.contains("inputStage"));
    let stats = document(&some, "executionStats");
    assert_eq!(stats.get("nReturned"), Some(&Value::Int32(4)));
    assert_eq!(stats.get("totalKeysExamined"), Some(&Value::Int32(0)));
    let all = found(doc! {"a": 1}).await;
    assert_eq!(winner(&all).get("stage"), Some(&Value::from("COLLSCAN")));
}

#[tokio::test]
async fn one_document_that_an_index_finds_is_a_single_stage() {
    let (_store, collection) = numbered(&[doc! {"a": 1}, doc! {"a": 1, "b": 1}]).await;
    let unique = IndexSpec {
        unique: true,
        ..IndexSpec::new("only", doc! {"b": 1})
    };
    collection.create_indexes(vec![unique]).await.unwrap();
    let found =
        async |query: FindSpec| told(&collection, query, Purpose::Find, Verbosity::AllPlansExecution).await;
    let one = found(spec(&doc! {"b": 7})).await;
    assert_eq!(
        winner(&one),
        &doc! {"isCached": false, "stage": "EXPRESS_IXSCAN", "keyPattern": "{ b: 1 }", "indexName": "only"}
    );
    assert_eq!(ran(&one).get("nReturned"), Some(&Value::Int32(1)));
    assert_eq!(ran(&one).get("docsExamined"), Some(&Value::Int32(1)));
    assert!(!document(&one, "queryPlanner").contains("planCacheKey"));

    let limited = |query: Document| {
        let mut limited = spec(&query);
        limited.limit = Some(1);
        limited
    };
    let first = found(limited(doc! {"a": 3})).await;
    assert_eq!(winner(&first).get("stage"), Some(&Value::from("EXPRESS_IXSCAN")));
    let queries = document(&first, "queryPlanner");
    assert_eq!(queries.get("rejectedPlans"), Some(&Value::Array(Vec::new())));

    let mut sorted = limited(doc! {"a": 3});
    sorted.ordering = Ordering::parse(&doc! {"b": 1}).unwrap();
    let mut later = spec(&doc! {"b": 7});
    later.skip = 1;
    for planned in [
        sorted,
        later,
        spec(&doc! {"a": 3}),
        spec(&doc! {"b": Value::Null}),
        limited(doc! {"a": 3, "b": 3}),
    ] {
        let told = found(planned.clone()).await;
        let stage = winner(&told).get("stage");
        assert_ne!(
            stage,
            Some(&Value::from("EXPRESS_IXSCAN")),
            "{:?}",
            planned.filter
        );
    }
}
