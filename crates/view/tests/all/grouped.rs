//! Grouped reductions, queried repeatedly while documents change, compared with a reduction of the rows themselves.
use crate::support::*;
use serde_json::{Value, json};
use testing::{Random, seeds};
use view::{Order, Query};

const SEEDS: u64 = 6;
const ROUNDS: u64 = 6;
const QUERIES: u64 = 30;
const DOCUMENTS: u64 = 900;

/// In every key, so that a leaf holds about a hundred rows.
const PADDING: usize = 200;

/// A reduction in JavaScript reads rows, the others read leaves as they lie.
const REDUCTIONS: [&str; 4] = [
    "_sum",
    "_count",
    "_stats",
    "function (keys, values) { return sum(values); }",
];

fn key(numbers: &mut Random) -> Value {
    let word = |number: u64| json!(format!("{number}{}", "x".repeat(PADDING)));
    match numbers.below(8) {
        0 => json!(numbers.below(6)),
        1 => word(numbers.below(6)),
        2 => json!([word(numbers.below(3))]),
        _ => json!([word(numbers.below(3)), numbers.below(4), numbers.below(9)]),
    }
}

fn documents(numbers: &mut Random, count: u64) -> Vec<Value> {
    let one = |_| match numbers.below(6) {
        0 => json!(numbers.below(DOCUMENTS).to_string()),
        _ => json!({"_id": numbers.below(DOCUMENTS).to_string(), "k": key(numbers), "v": numbers.below(50)}),
    };
    (0..count).map(one).collect()
}

fn query(numbers: &mut Random, keys: &[Value]) -> Query {
    let mut known = || keys[numbers.below(keys.len() as u64) as usize].clone();
    let (start, end, mut several) = (known(), known(), vec![known(), known(), known()]);
    several.dedup();
    let level = match numbers.below(4) {
        0 => None,
        level => Some(level),
    };
    let mut query = Query {
        order: [Order::Forward, Order::Backward][numbers.below(2) as usize],
        group: level.is_none().then_some(true),
        group_level: level,
        inclusive_end: numbers.below(3) > 0,
        ..Query::default()
    };
    match numbers.below(5) {
        0 => query.start_key = Some(start),
        1 => query.end_key = Some(end),
        2 => (query.start_key, query.end_key) = (Some(start), Some(end)),
        3 if level.is_none() => query.keys = Some(several),
        _ => {}
    }
    if numbers.below(3) == 0 {
        query.skip = numbers.below(5);
        query.limit = Some(numbers.below(20));
    }
    query
}

fn group_of(key: &Value, level: Option<u64>) -> Value {
    match (key, level) {
        (Value::Array(parts), Some(level)) => parts.iter().take(level as usize).cloned().collect(),
        _ => key.clone(),
    }
}

fn reduced(reduction: &str, values: &[u64]) -> Value {
    match reduction {
        "_count" => json!(values.len()),
        "_stats" => json!({
            "sum": values.iter().sum::<u64>(),
            "count": values.len(),
            "min": values.iter().min(),
            "max": values.iter().max(),
            "sumsqr": values.iter().map(|value| value * value).sum::<u64>(),
        }),
        _ => json!(values.iter().sum::<u64>()),
    }
}

/// What a query gives, of the rows that it reduces.
fn expected(rows: &Value, reduction: &str, query: &Query) -> Value {
    let mut groups: Vec<(Value, Vec<u64>)> = Vec::new();
    for row in rows.as_array().unwrap() {
        let (group, value) = (group_of(&row[1], query.group_level), row[2].as_u64().unwrap());
        match groups.last_mut() {
            Some((open, values)) if *open == group => values.push(value),
            _ => groups.push((group, vec![value])),
        }
    }
    let limit = query.limit.map_or(usize::MAX, |limit| limit as usize);
    let groups = groups.into_iter().skip(query.skip as usize).take(limit);
    groups
        .map(|(group, values)| json!([group, reduced(reduction, &values)]))
        .collect()
}

#[tokio::test]
async fn groups_are_what_their_rows_come_to_whatever_was_asked_before() {
    for seed in seeds(SEEDS) {
        let mut numbers = Random::new(seed);
        let database = Database::new().await;
        let views = REDUCTIONS.iter().enumerate().map(|(at, reduce)| {
            let map = "function (doc) { emit(doc.k, doc.v); }";
            (at.to_string(), json!({"map": map, "reduce": reduce}))
        });
        let group = database.group(Value::Object(views.collect())).await;
        for round in 0..ROUNDS {
            let count = if round == 0 {
                2 * DOCUMENTS
            } else {
                numbers.below(60)
            };
            database.put(&documents(&mut numbers, count)).await;
            let plain = Query {
                reduce: Some(false),
                ..Query::default()
            };
            let rows = database.rows(&group, "0", plain).await;
            let keys: Vec<Value> = rows
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row[1].clone())
                .collect();
            for _ in 0..QUERIES {
                let asked = query(&mut numbers, &keys);
                let at = numbers.below(REDUCTIONS.len() as u64) as usize;
                let plain = Query {
                    reduce: Some(false),
                    group: None,
                    group_level: None,
                    skip: 0,
                    limit: None,
                    ..asked.clone()
                };
                // A range that no row can be in is refused, grouped or not.
                let Ok(rows) = database.try_rows(&group, "0", plain).await else {
                    continue;
                };
                let wanted = expected(&rows, REDUCTIONS[at], &asked);
                let found = database.rows(&group, &at.to_string(), asked.clone()).await;
                assert_eq!(found, wanted, "seed {seed}, {} of {asked:?}", REDUCTIONS[at]);
            }
        }
    }
}
