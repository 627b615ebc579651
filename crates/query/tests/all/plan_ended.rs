//! Planning a filter with very many branches stops when its operation has to end.

use crate::support::new_collection;
use language::Interruption;
use language::filter::{Filter, FilterScope};
use language::interruption::within;
use query::Code;
use query::plan::catalog::whole_indexes;
use query::plan::hinted::plans;
use query::plan::{Ordering, Query};
use store::IndexSpec;
use value::{Value, doc};

#[tokio::test]
async fn planning_ends_when_its_operation_must() {
    let (_store, collection) = new_collection().await;
    let index = IndexSpec::new("a_1", doc! {"a": 1});
    collection.create_indexes(vec![index]).await.expect("index");
    let branches: Vec<Value> = (0..20_000)
        .map(|number| Value::from(doc! {"a": number, "b": number}))
        .collect();
    let query = doc! {"$or": branches};
    let filter = Filter::parse(&query, &FilterScope::default()).expect("filter");
    let snapshot = collection.snapshot().await.expect("snapshot");
    let indexes = whole_indexes(&collection, &snapshot);
    let query = Query::of(&filter, &Ordering::Any);
    assert!(plans(&query, &indexes).is_ok());
    let killed = Interruption::default();
    killed.kill.with(Code::INTERRUPTED);
    let error = within(&killed, || plans(&query, &indexes)).expect_err("an end");
    assert_eq!(error.code(), Code::INTERRUPTED);
}
