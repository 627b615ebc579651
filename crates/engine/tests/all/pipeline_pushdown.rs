//! Which stages of a pipeline the query at its front executes, according to `explain`.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::{AggregateRequest, AggregateSource, Context, Engine, Explained, Verbosity};
use value::{Document, Value, array, doc};

const DOCUMENTS: i32 = 60;

/// Documents with `a` from 0 to 2 and an index on it.
async fn with_index() -> Engine {
    let engine = new_engine().await;
    let documents: Vec<Document> = (0..DOCUMENTS)
        .map(|number| doc! {"_id": number, "a": (number % 3), "b": (number * 7 % DOCUMENTS), "c": [1, 2]})
        .collect();
    insert(&engine, "coll", &documents).await;
    let index = [doc! {"key": {"a": 1}, "name": "a_1"}];
    engine.create_indexes(&namespace("coll"), &index).await.unwrap();
    engine
}

async fn explained(engine: &Engine, pipeline: Vec<Value>) -> Document {
    explained_as(engine, pipeline, Verbosity::ExecutionStats).await
}

async fn explained_as(engine: &Engine, pipeline: Vec<Value>, verbosity: Verbosity) -> Document {
    let request = AggregateRequest {
        pipeline,
        ..AggregateRequest::default()
    };
    let what = Explained::Aggregate(AggregateSource::Collection(namespace("coll")), request);
    engine
        .explain(&Context::default(), &what, verbosity)
        .await
        .unwrap()
}

fn document<'d>(of: &'d Document, name: &str) -> &'d Document {
    match of.get(name) {
        Some(Value::Document(inner)) => inner,
        other => panic!("{name} is {other:?}"),
    }
}

fn number(of: &Document, name: &str) -> i64 {
    match of.get(name) {
        Some(Value::Int32(number)) => i64::from(*number),
        Some(Value::Int64(number)) => *number,
        other => panic!("{name} is {other:?}"),
    }
}

/// The query at the front of a pipeline, and the names of the stages behind it.
fn parts(explained: &Document) -> (&Document, Vec<String>) {
    let Some(Value::Array(stages)) = explained.get("stages") else {
        return (explained, Vec::new());
    };
    let names = stages.iter().skip(1).map(|stage| match stage {
        Value::Document(stage) => stage.iter().next().unwrap().0.to_owned(),
        other => panic!("a stage is {other:?}"),
    });
    match &stages[0] {
        Value::Document(first) => (document(first, "$cursor"), names.collect()),
        other => panic!("a stage is {other:?}"),
    }
}

/// The stages of the winning plan from the top down.
fn plan(query: &Document) -> Vec<Document> {
    let mut at = document(document(query, "queryPlanner"), "winningPlan").clone();
    if let Some(Value::Document(query_plan)) = at.remove("queryPlan") {
        at = query_plan;
    }
    let mut stages = Vec::new();
    loop {
        let input = at.remove("inputStage");
        stages.push(at);
        match input {
            Some(Value::Document(input)) => at = input,
            _ => return stages,
        }
    }
}

fn names(plan: &[Document]) -> Vec<&str> {
    plan.iter()
        .map(|stage| match stage.get("stage") {
            Some(Value::String(name)) => name.as_str(),
            other => panic!("a stage's name is {other:?}"),
        })
        .collect()
}

#[tokio::test]
async fn a_group_that_an_index_covers_reads_the_index_alone() {
    let engine = with_index().await;
    let stages = array![{"$group": {"_id": "$a", "sum": {"$sum": "$a"}}}];
    let shown = explained(&engine, stages.clone()).await;
    let (query, rest) = parts(&shown);
    assert!(rest.is_empty());
    assert_eq!(names(&plan(query)).last(), Some(&"IXSCAN"));
    let stats = document(query, "executionStats");
    assert_eq!(number(stats, "totalDocsExamined"), 0);
    assert_eq!(number(stats, "totalKeysExamined"), i64::from(DOCUMENTS));
    assert_eq!(number(stats, "nReturned"), 3);
    let group = document(stats, "executionStages");
    assert_eq!(group.get("stage"), Some(&Value::from("GROUP")));
    assert_eq!(number(group, "nReturned"), 3);
    let read = document(group, "inputStage");
    assert_eq!(number(read, "nReturned"), i64::from(DOCUMENTS));

    let mut sorted = stages;
    sorted.extend(array![{"$sort": {"_id": 1}}]);
    let groups = aggregate(&engine, "coll", sorted).await.unwrap();
    let expected = [0, 1, 2].map(|a| doc! {"_id": a, "sum": (a * DOCUMENTS / 3)});
    assert_eq!(groups, expected);
}

#[tokio::test]
async fn a_group_behind_the_query_is_shown_as_its_uppermost_stage() {
    let engine = with_index().await;
    let group = array![{"$group": {"_id": "$a", "sum": {"$sum": "$b"}}}];
    let shown = explained_as(&engine, group.clone(), Verbosity::QueryPlanner).await;
    assert_eq!(shown.get("explainVersion"), Some(&Value::from("2")));
    assert_eq!(shown.get("stages"), None);
    let winner = document(document(&shown, "queryPlanner"), "winningPlan");
    let grouping = document(winner, "queryPlan");
    assert_eq!(grouping.get("stage"), Some(&Value::from("GROUP")));
    assert_eq!(
        document(grouping, "inputStage").get("stage"),
        Some(&Value::from("COLLSCAN"))
    );

    let mut sorted = group;
    sorted.extend(array![{"$sort": {"_id": 1}}]);
    let shown = explained_as(&engine, sorted, Verbosity::QueryPlanner).await;
    let (query, rest) = parts(&shown);
    assert_eq!(rest, ["$sort"]);
    assert!(
        document(document(query, "queryPlanner"), "winningPlan")
            .get("queryPlan")
            .is_some()
    );
}

#[tokio::test]
async fn a_group_that_needs_more_than_an_index_has_reads_the_documents() {
    let engine = with_index().await;
    let shown = explained(&engine, array![{"$group": {"_id": "$a", "sum": {"$sum": "$b"}}}]).await;
    let (query, _) = parts(&shown);
    assert_eq!(names(&plan(query)), ["GROUP", "COLLSCAN"]);
}

#[tokio::test]
async fn a_group_behind_what_is_not_planned_is_a_stage_of_its_own() {
    let engine = with_index().await;
    let shown = explained(&engine, array![{"$match": {"_id": 3}}, {"$group": {"_id": "$a"}}]).await;
    let (query, rest) = parts(&shown);
    assert_eq!(rest, ["$group"]);
    assert_eq!(names(&plan(query)), ["EXPRESS_IXSCAN"]);
}

#[tokio::test]
async fn match_sort_limit_and_project_are_pushed_down_and_the_rest_is_named() {
    let engine = with_index().await;
    let stages = array![
        {"$match": {"a": 1}}, {"$sort": {"b": 1}}, {"$limit": 5}, {"$project": {"b": 1, "c": 1}},
        {"$unwind": "$c"}, {"$count": "n"},
    ];
    let shown = explained(&engine, stages.clone()).await;
    let (query, rest) = parts(&shown);
    assert_eq!(rest[0], "$unwind");
    let plan = plan(query);
    assert_eq!(names(&plan), ["PROJECTION_SIMPLE", "SORT", "FETCH", "IXSCAN"]);
    assert_eq!(number(document(query, "executionStats"), "nReturned"), 5);
    let counted = aggregate(&engine, "coll", stages).await.unwrap();
    assert_eq!(counted, [doc! {"n": 10}]);
}

#[tokio::test]
async fn a_sort_before_a_limit_keeps_only_so_many() {
    let engine = with_index().await;
    let shown = explained(&engine, array![{"$sort": {"b": 1}}, {"$limit": 4}]).await;
    let (query, rest) = parts(&shown);
    assert!(rest.is_empty());
    let sort = document(document(query, "executionStats"), "executionStages");
    assert_eq!(sort.get("stage"), Some(&Value::from("SORT")));
    assert_eq!(number(sort, "limitAmount"), 4);
    assert_eq!(number(sort, "documentsKept"), 4);
}

#[tokio::test]
async fn a_sort_in_the_middle_takes_the_limit_behind_it() {
    let engine = with_index().await;
    let stages = array![{"$unwind": "$c"}, {"$sort": {"b": 1}}, {"$limit": 4}];
    let shown = explained(&engine, stages).await;
    let (_, rest) = parts(&shown);
    assert_eq!(rest[..2], ["$unwind", "$sort"]);
    let Some(Value::Array(stages)) = shown.get("stages") else {
        panic!("a pipeline has stages");
    };
    let Value::Document(sort) = &stages[2] else {
        panic!("a stage is a document");
    };
    assert_eq!(number(document(sort, "$sort"), "limit"), 4);
}

#[tokio::test]
async fn a_filter_after_a_sort_is_one_of_the_query_although_the_sorts_key_is_asked_for() {
    let engine = with_index().await;
    let key = doc! {"$project": {"a": 1, "key": {"$meta": "sortKey"}}};
    let stages = array![{"$sort": {"b": 1}}, {"$match": {"a": 1}}, {"$limit": 2}, key];
    let explained = explained(&engine, stages.clone()).await;
    let (query, after) = parts(&explained);
    let plan = plan(query);
    assert!(names(&plan).contains(&"IXSCAN"), "{plan:?}");
    assert_eq!(after, ["$project"]);
    let found = aggregate(&engine, "coll", stages).await.unwrap();
    let shown = |id: i32, key: i32| doc! {"_id": id, "a": 1, "key": [key]};
    assert_eq!(found, [shown(43, 1), shown(52, 4)]);
}
