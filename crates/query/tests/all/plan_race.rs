//! Without a hint a query examines at most about twice as much as under the best hint.
//!
//! `PLANS_DOCUMENTS=1000000 cargo test -p query --test all plan_race::` runs the experiment at its full size.

use language::filter::{Filter, FilterScope};
use query::execute::{FIRST_BATCH, FindSpec, Paused, Run, Task};
use query::plan::{Hint, Ordering};
use std::sync::Arc;
use store::{Collection, CommitOptions, IndexSpec, WriteOp};
use value::{Document, DocumentBuf, doc};

const LIMIT: u64 = 500;

#[derive(Debug)]
struct Cost {
    keys: u64,
    results: u64,
    kept: u64,
}

#[tokio::test]
async fn the_race_costs_at_most_about_twice_the_better_plan() {
    let documents: i32 = std::env::var("PLANS_DOCUMENTS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(20_000);
    let (_store, collection) = crate::support::new_collection().await;
    let specs = vec![
        IndexSpec::new("x_1_y_1", doc! {"x": 1, "y": 1}),
        IndexSpec::new("y_1_x_1", doc! {"y": 1, "x": 1}),
    ];
    collection.create_indexes(specs).await.expect("indexes");
    fill(&collection, documents).await;
    for query in [doc! {"y": {"$lt": 1000}}, doc! {"y": {"$gt": documents / 10 * 9}}] {
        let by_x = cost(&collection, &query, Some("x_1_y_1")).await;
        let by_y = cost(&collection, &query, Some("y_1_x_1")).await;
        let free = cost(&collection, &query, None).await;
        let better = by_x.keys.min(by_y.keys);
        assert_eq!(
            [by_x.results, by_y.results, free.results],
            [LIMIT; 3],
            "{query:?}"
        );
        assert!(by_y.kept <= LIMIT, "the sort kept {}", by_y.kept);
        // A round of the race is 64 keys at least.
        assert!(
            free.keys <= 2 * better + 64,
            "{query:?}: {} keys, {by_x:?}, {by_y:?}",
            free.keys
        );

        // What won is remembered: the second time there is no race.
        let again = cost(&collection, &query, None).await;
        assert!(
            again.keys <= better,
            "{query:?} again: {} keys, {by_x:?}, {by_y:?}",
            again.keys
        );
        query::plan::forget_plans(&collection);
    }
}

async fn fill(collection: &Arc<Collection>, documents: i32) {
    for begin in (0..documents).step_by(5000) {
        let operations = (begin..documents.min(begin + 5000))
            .map(|i| WriteOp::Insert(DocumentBuf::from(&doc! {"_id": i, "x": i, "y": i})))
            .collect();
        collection
            .commit(operations, CommitOptions::default())
            .await
            .expect("insert");
    }
}

/// What all plans that ran have examined until the query was answered.
async fn cost(collection: &Arc<Collection>, query: &Document, hint: Option<&str>) -> Cost {
    let filter = Filter::parse(query, &FilterScope::default()).expect("filter");
    let mut spec = FindSpec::new(Arc::new(filter));
    spec.ordering = Ordering::parse(&doc! {"x": 1}).expect("sort");
    spec.limit = Some(LIMIT);
    spec.hint = hint.map(|name| Hint::Name(name.to_owned()));
    let task = Task::new(spec);
    let snapshot = collection.snapshot().await.expect("snapshot");
    let run = Run {
        snapshot: &snapshot,
        task: &task,
        wanted: FIRST_BATCH,
    };
    let mut prepared = run.prepare(collection).await.expect("prepare");
    let all = Run {
        wanted: LIMIT as usize,
        ..run
    };
    let paused = prepared.execution.fill(&all).await.expect("run");
    assert!(matches!(paused, Paused::Filled | Paused::Exhausted));
    let losers: u64 = prepared
        .rejected
        .iter()
        .map(|execution| execution.counters.keys())
        .sum();
    Cost {
        keys: prepared.execution.counters.keys() + losers,
        results: prepared.execution.ready() as u64,
        kept: prepared.execution.counters.sorted.0,
    }
}
