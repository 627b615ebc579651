//! After a crash at any moment a view continues from what it had, and ends with the rows of a new view.
use crate::support::*;
use kv::Simulation;
use serde_json::{Value, json};
use testing::{Random, seeds};
use view::{Query, ScriptLimits};

const SEEDS: u64 = 25;
const ROUNDS: usize = 5;

fn changes(numbers: &mut Random) -> Vec<Value> {
    let mut ids: Vec<u64> = (0..1 + numbers.below(30)).map(|_| numbers.below(60)).collect();
    ids.sort_unstable();
    ids.dedup();
    let change = |id| {
        let id = format!("d{id}");
        if numbers.below(4) == 0 {
            return json!(id);
        }
        let keys: Vec<u64> = (0..numbers.below(4)).map(|_| numbers.below(9)).collect();
        json!({"_id": id, "ks": keys, "pad": "x".repeat(numbers.below(3000) as usize)})
    };
    ids.into_iter().map(change).collect()
}

fn views(name: &str) -> Value {
    json!({(name): {"map": "function (doc) { doc.ks.forEach(function (k) { emit([k, doc._id], doc.pad); }); }", "reduce": "_count"}})
}

async fn all(database: &Database, name: &str) -> (Value, Value) {
    let group = database.group(views(name)).await;
    let rows = Query {
        reduce: Some(false),
        ..Query::default()
    };
    let groups = Query {
        group_level: Some(1),
        ..Query::default()
    };
    (
        database.rows(&group, name, rows).await,
        database.rows(&group, name, groups).await,
    )
}

#[tokio::test]
async fn after_a_crash_at_any_step_a_view_is_what_a_rebuilt_one_is() {
    for seed in seeds(SEEDS) {
        let simulation = Simulation::new(seed);
        let mut numbers = Random::new(seed);
        drop(Database::open(&simulation, ScriptLimits::default()).await);
        for round in 0..ROUNDS {
            let database = Database::open(&simulation, ScriptLimits::default()).await;
            let group = database.group(views("kept")).await;
            simulation.crash_at_step(simulation.steps() + 5 + numbers.below(25));
            loop {
                let documents = changes(&mut numbers);
                let written = database.try_put(&documents).await;
                let updated = database.try_rows(&group, "kept", Query::default()).await;
                if written.is_err() || updated.is_err() {
                    break;
                }
            }
            drop((database, group));
            let database = Database::open(&simulation, ScriptLimits::default()).await;
            let kept = all(&database, "kept").await;
            let fresh = all(&database, &format!("fresh{round}")).await;
            assert_eq!(kept, fresh, "LARDER_SEED={seed}, round {round}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_during_an_update_are_taken_in_their_order() {
    let database = std::sync::Arc::new(Database::new().await);
    let group = database.group(views("kept")).await;
    let writer = database.clone();
    let writing = tokio::spawn(async move {
        let mut numbers = Random::new(7);
        for _ in 0..150 {
            writer.put(&changes(&mut numbers)).await;
        }
    });
    while !writing.is_finished() {
        group.update(database.head()).await.unwrap();
        tokio::task::yield_now().await;
    }
    writing.await.unwrap();
    assert_eq!(all(&database, "kept").await, all(&database, "fresh").await);
}

#[tokio::test]
async fn an_unchanged_definition_keeps_its_rows_and_a_new_one_is_built_beside_the_old() {
    let database = Database::new().await;
    database.put(&[json!({"_id": "a", "ks": [1]})]).await;
    let old = database.group(views("v")).await;
    database.rows(&old, "v", Query::default()).await;
    let same = database.group(views("v")).await;
    assert_eq!(same.info().await.unwrap().sequence, database.head());
    let changed = json!({"v": {"map": "function (doc) { emit('new', null); }"}});
    let new = database.group(changed.clone()).await;
    let serving = database.views.standing_in(new.clone(), "v").await.unwrap();
    assert_eq!(serving.definition().signature, old.definition().signature);
    database.rows(&new, "v", Query::default()).await;
    let serving = database.views.standing_in(new.clone(), "v").await.unwrap();
    assert_eq!(serving.definition().signature, new.definition().signature);
    let body = fields(json!({"views": changed}));
    database
        .views
        .clean_up(&database.collection, &[("_design/d".to_owned(), body)])
        .await
        .unwrap();
    assert_eq!(database.collection.derived().len(), 1);
}
