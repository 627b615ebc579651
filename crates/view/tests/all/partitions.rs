//! Views whose rows are kept and queried by partition.
use crate::support::*;
use kv::Simulation;
use serde_json::{Value, json};
use store::CollectionOptions;
use value::doc;
use view::{Error, Order, Query, ScriptLimits};

/// A partitioned database.
async fn partitioned() -> Database {
    let options = CollectionOptions {
        properties: doc! {"partitioned": true},
        ..CollectionOptions::default()
    };
    Database::open_with(&Simulation::new(1), options, ScriptLimits::default()).await
}

fn counted() -> Value {
    json!({"all": {"map": "function (doc) { emit([doc.k % 3, doc.k], 1); }", "reduce": "_sum"}})
}

fn of(partition: &str) -> Query {
    Query {
        partition: Some(partition.to_owned()),
        reduce: Some(false),
        ..Query::default()
    }
}

/// Documents of three partitions, enough of each for a tree of many pages.
async fn filled() -> Database {
    let database = partitioned().await;
    for partition in ["a", "a!", "b"] {
        let document = |n: i32| json!({"_id": format!("{partition}:{n:05}"), "k": n});
        let documents: Vec<Value> = (0..3000).map(document).collect();
        database.put(&documents).await;
    }
    database
}

fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array()
        .unwrap()
        .iter()
        .map(|row| row[0].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn a_query_finds_the_rows_of_its_partition_alone() {
    let database = partitioned().await;
    database
        .put(&[
            json!({"_id": "a:1", "k": 1}),
            json!({"_id": "a:2", "k": 2}),
            json!({"_id": "b:1", "k": 1}),
            json!({"_id": "a;:1", "k": 1}),
            json!({"_id": "_design/d", "k": 1}),
        ])
        .await;
    let group = database.group(counted()).await;
    let rows = database.rows(&group, "all", of("a")).await;
    assert_eq!(ids(&rows), ["a:1", "a:2"]);
    let backward = Query {
        order: Order::Backward,
        start_key: Some(json!([2])),
        ..of("a")
    };
    let rows = database.rows(&group, "all", backward).await;
    assert_eq!(ids(&rows), ["a:1"]);
    let none = database.rows(&group, "all", of("c")).await;
    assert_eq!(none, json!([]));
}

#[tokio::test]
async fn groups_of_a_partition_hold_its_rows_alone() {
    let database = filled().await;
    let group = database.group(counted()).await;
    for partition in ["a", "a!", "b"] {
        let all = Query {
            reduce: None,
            ..of(partition)
        };
        let level = Query {
            group_level: Some(1),
            ..all.clone()
        };
        let range = Query {
            start_key: Some(json!([1])),
            end_key: Some(json!([1, {}])),
            ..all.clone()
        };
        let found = database.rows(&group, "all", all).await;
        assert_eq!(found[0][1], json!(3000), "{partition}");
        let found = database.rows(&group, "all", level).await;
        let sums: Vec<&Value> = found.as_array().unwrap().iter().map(|row| &row[1]).collect();
        assert_eq!(sums, [&json!(1000), &json!(1000), &json!(1000)], "{partition}");
        let found = database.rows(&group, "all", range).await;
        assert_eq!(found[0][1], json!(1000), "{partition}");
    }
}

#[tokio::test]
async fn changed_documents_lose_their_old_rows() {
    let database = partitioned().await;
    let group = database.group(counted()).await;
    database
        .put(&[json!({"_id": "a:1", "k": 1}), json!({"_id": "a:2", "k": 1})])
        .await;
    assert_eq!(ids(&database.rows(&group, "all", of("a")).await), ["a:1", "a:2"]);
    database.put(&[json!("a:1"), json!({"_id": "a:2", "k": 3})]).await;
    let rows = database.rows(&group, "all", of("a")).await;
    assert_eq!(rows, json!([["a:2", [0, 3], 1]]));
}

#[tokio::test]
async fn queries_and_views_must_agree_on_partitions() {
    let database = partitioned().await;
    let group = database.group(counted()).await;
    let global = database.try_rows(&group, "all", Query::default()).await;
    let message = "`partition` parameter is mandatory for queries to this view.";
    assert!(matches!(global, Err(Error::QueryParse(said)) if said == message));
    let elsewhere = Database::new().await;
    let group = elsewhere.group(counted()).await;
    let of_partition = elsewhere.try_rows(&group, "all", of("a")).await;
    let message = "`partition` parameter is not supported in this design doc";
    assert!(matches!(of_partition, Err(Error::QueryParse(said)) if said == message));
}
