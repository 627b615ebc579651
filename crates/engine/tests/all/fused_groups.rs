//! Stages that run as one with the `$group` behind them return what they return one after the other. Random pipelines over
//! random documents run as they are, and behind a stage that prevents the fusion.

use crate::support::{aggregate, insert, namespace, new_engine};
use engine::Engine;
use testing::{Random, seeds};
use value::{Document, Value, array, doc};

const SEEDS: u64 = 30;
const DOCUMENTS: i32 = 40;
const PIPELINES: usize = 40;

fn one_of<T: Clone>(numbers: &mut Random, of: &[T]) -> T {
    of[numbers.below(of.len() as u64) as usize].clone()
}

/// What a field may hold; none is missing.
fn value(numbers: &mut Random) -> Option<Value> {
    Some(match numbers.below(9) {
        0 => return None,
        1 => Value::Null,
        2 => Value::Double(numbers.below(6) as f64 / 2.0),
        3 => Value::from(one_of(numbers, &["", "a", "b2", "2b"])),
        4 => Value::Array(Vec::new()),
        5 => Value::Array(array![1, {"x": (numbers.below(3) as i32)}, null]),
        6 => Value::Document(doc! {"x": (numbers.below(4) as i32), "y": [{"x": 1}]}),
        _ => Value::Int32(numbers.below(5) as i32),
    })
}

fn document(numbers: &mut Random, id: i32) -> Document {
    let mut document = doc! {"_id": id};
    for name in ["a", "b", "c", "d"] {
        if let Some(value) = value(numbers) {
            document.push(name, value);
        }
    }
    document
}

fn stage(numbers: &mut Random) -> Value {
    let name = one_of(numbers, &["a", "b", "c", "e"]);
    let path = format!("${name}");
    let number = numbers.below(4) as i32;
    let stages = [
        doc! {"$match": {name: {"$gte": number}}},
        doc! {"$match": {"$or": [{name: null}, {"b.x": number}, {"$expr": {"$eq": ["$a", "$b"]}}]}},
        doc! {"$match": {"c.y.x": {"$exists": (number > 1)}}},
        doc! {"$unwind": path.as_str()},
        doc! {"$unwind": {"path": path.as_str(), "preserveNullAndEmptyArrays": true}},
        doc! {"$unwind": {"path": path.as_str(), "includeArrayIndex": "e"}},
        doc! {"$project": {"a": 1, "e": {"$ifNull": [path.as_str(), "none"]}}},
        doc! {"$project": {"_id": 0, "b": 1, "c": path.as_str()}},
        doc! {"$project": {"a": 0, "d": 0}},
        doc! {"$project": {"c.y": 0}},
        doc! {"$addFields": {name: {"$type": "$b"}, "e": "$c.x"}},
        doc! {"$set": {"e": {"$cond": [{"$isNumber": path.as_str()}, {"$multiply": [path.as_str(), 2]}, "$$REMOVE"]}}},
        doc! {"$set": {"d": {"$add": [path.as_str(), 1]}}},
        doc! {"$unset": name},
        doc! {"$sort": {"_id": -1}},
        doc! {"$limit": 20},
    ];
    Value::Document(one_of(numbers, &stages))
}

fn group(numbers: &mut Random) -> Value {
    let path = one_of(numbers, &["$a", "$b.x", "$c", "$d", "$e", "$_id"]);
    let id = [
        Value::Null,
        Value::from(path),
        Value::Document(doc! {"x": path, "y": "$a"}),
    ];
    let accumulated = one_of(numbers, &["$a", "$c.y.x", "$e", "$d", "$b"]);
    let groups = [
        doc! {"n": {"$sum": 1}, "sum": {"$sum": accumulated}},
        doc! {"all": {"$push": accumulated}, "first": {"$first": accumulated}},
        doc! {"most": {"$max": accumulated}, "mean": {"$avg": accumulated}, "n": {"$count": {}}},
        doc! {"whole": {"$last": "$$ROOT"}},
    ];
    let mut operand = Document::new().with("_id", one_of(numbers, &id));
    for (name, accumulator) in one_of(numbers, &groups).iter() {
        operand.push(name, accumulator.clone());
    }
    Value::Document(Document::new().with("$group", operand))
}

/// Results, or the code of the error.
async fn results(engine: &Engine, stages: Vec<Value>) -> Result<Vec<Document>, String> {
    aggregate(engine, "coll", stages)
        .await
        .map_err(|error| format!("{:?}", error.code))
}

#[tokio::test]
async fn stages_that_run_as_one_with_a_group_give_what_they_give_one_by_one() {
    let mut answered = 0;
    for seed in seeds(SEEDS) {
        let mut numbers = Random::new(seed);
        let engine = new_engine().await;
        let documents: Vec<Document> = (0..DOCUMENTS).map(|id| document(&mut numbers, id)).collect();
        insert(&engine, "coll", &documents).await;
        let indexed = numbers.below(2) == 0;
        if indexed {
            let index = [doc! {"key": {"a": 1}, "name": "a_1"}];
            engine.create_indexes(&namespace("coll"), &index).await.unwrap();
        }
        for _ in 0..PIPELINES {
            let count = numbers.below(4);
            let mut stages: Vec<Value> = (0..count).map(|_| stage(&mut numbers)).collect();
            stages.push(group(&mut numbers));
            let apart = array![{"$sort": {"_id": 1}}, {"$replaceRoot": {"newRoot": "$$ROOT"}}];
            let apart = apart.into_iter().chain(stages.clone()).collect();
            let (mut found, mut expected) = (
                results(&engine, stages.clone()).await,
                results(&engine, apart).await,
            );
            // An index may return documents in another order.
            for results in [&mut found, &mut expected].into_iter().flatten() {
                results.sort_by_key(|result| format!("{:?}", result.get("_id")));
            }
            if !(indexed && depends_on_order(&stages)) {
                assert_eq!(found, expected, "seed {seed}: {stages:?} of {documents:?}");
                answered += usize::from(found.is_ok());
            }
        }
    }
    assert!(answered > 300, "{answered}");
}

/// Whether the results depend on the order in which documents are found.
fn depends_on_order(stages: &[Value]) -> bool {
    let written = format!("{stages:?}");
    ["$limit", "$push", "$first", "$last"]
        .iter()
        .any(|name| written.contains(name))
}
