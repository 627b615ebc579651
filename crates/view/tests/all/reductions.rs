//! Reductions: built-in and in JavaScript, of all rows, by group and by key.
use crate::support::*;
use serde_json::{Value, json};
use view::{Error, Order, Query, ReduceLimit, ReduceOverflow};

const MAP: &str = "function (doc) { emit(doc.k, doc.v); }";

fn view(reduce: &str) -> Value {
    json!({"r": {"map": MAP, "reduce": reduce}})
}

fn grouped() -> Query {
    Query {
        group: Some(true),
        ..Query::default()
    }
}

/// The rows of a view with this reduction over documents of these keys and values.
async fn reduce(reduce: &str, rows: &[(Value, Value)], query: Query) -> view::Result<Value> {
    reduce_within(ReduceLimit::default(), reduce, rows, query).await
}

async fn reduce_within(
    limit: ReduceLimit,
    reduce: &str,
    rows: &[(Value, Value)],
    query: Query,
) -> view::Result<Value> {
    let database = Database::new().await;
    database.views.limit_reductions(limit);
    let documents = rows.iter().enumerate();
    let documents = documents.map(|(n, (k, v))| json!({"_id": n.to_string(), "k": k, "v": v}));
    database.put(&documents.collect::<Vec<_>>()).await;
    let group = database.group(view(reduce)).await;
    database.try_rows(&group, "r", query).await
}

fn values(values: &[Value]) -> Vec<(Value, Value)> {
    values.iter().map(|value| (json!(1), value.clone())).collect()
}

#[tokio::test]
async fn sums_of_numbers_arrays_and_objects() {
    let whole =
        |values: Vec<(Value, Value)>| async move { reduce("_sum", &values, Query::default()).await.unwrap() };
    assert_eq!(
        whole(values(&[json!(1), json!(2), json!(3.5)])).await,
        json!([[null, 6.5]])
    );
    assert_eq!(
        whole(values(&[json!([1, 2]), json!([3]), json!(4)])).await,
        json!([[null, [8, 2]]])
    );
    assert_eq!(
        whole(values(&[
            json!({"a": 1, "b": {"c": 2}}),
            json!({"b": {"c": 3}, "d": 4})
        ]))
        .await,
        json!([[null, {"a": 1, "b": {"c": 5}, "d": 4}]])
    );
    let refused = whole(values(&[json!("x"), json!(1)])).await;
    assert_eq!(refused[0][1]["error"], "builtin_reduce_error");
    assert_eq!(refused[0][1]["caused_by"], "x");
}

#[tokio::test]
async fn built_in_reductions_count_and_give_statistics() {
    let rows = values(&[json!(2), json!(4)]);
    assert_eq!(
        reduce("_count", &rows, Query::default()).await.unwrap(),
        json!([[null, 2]])
    );
    assert_eq!(
        reduce("_stats", &rows, Query::default()).await.unwrap(),
        json!([[null, {"sum": 6, "count": 2, "min": 2, "max": 4, "sumsqr": 20}]])
    );
    let refused = reduce("_stats", &values(&[json!("x")]), Query::default()).await;
    assert!(matches!(refused, Err(Error::InvalidValue(_))), "{refused:?}");
}

#[tokio::test]
async fn distinct_keys_are_counted_within_three_percent() {
    let rows: Vec<(Value, Value)> = (0..6000).map(|n| (json!(n % 3000), json!(null))).collect();
    let count = reduce("_approx_count_distinct", &rows, Query::default())
        .await
        .unwrap();
    let count = count[0][1].as_f64().unwrap();
    assert!((count / 3000.0 - 1.0).abs() < 0.03, "{count}");
}

#[tokio::test]
async fn groups_by_level_and_key_skip_and_limit() {
    let rows: Vec<(Value, Value)> = [("a", 1), ("a", 2), ("b", 1), ("b", 1), ("c", 1)]
        .map(|(first, second)| (json!([first, second]), json!(1)))
        .to_vec();
    let level = Query {
        group_level: Some(1),
        ..Query::default()
    };
    assert_eq!(
        reduce("_count", &rows, level.clone()).await.unwrap(),
        json!([[["a"], 2], [["b"], 2], [["c"], 1]])
    );
    assert_eq!(
        reduce("_count", &rows, grouped()).await.unwrap(),
        json!([[["a", 1], 1], [["a", 2], 1], [["b", 1], 2], [["c", 1], 1]])
    );
    let part = Query {
        skip: 1,
        limit: Some(1),
        ..level.clone()
    };
    assert_eq!(reduce("_count", &rows, part).await.unwrap(), json!([[["b"], 2]]));
    let backward = Query {
        order: Order::Backward,
        ..level
    };
    assert_eq!(
        reduce("_count", &rows, backward).await.unwrap(),
        json!([[["c"], 1], [["b"], 2], [["a"], 2]])
    );
    let keys = Query {
        keys: Some(vec![json!(["b", 1]), json!(["x"]), json!(["a", 1])]),
        ..grouped()
    };
    assert_eq!(
        reduce("_count", &rows, keys).await.unwrap(),
        json!([[["b", 1], 2], [["a", 1], 1]])
    );
}

#[tokio::test]
async fn a_key_that_is_asked_for_twice_is_two_groups() {
    let rows = [1, 1, 2].map(|key| (json!(key), json!(5)));
    for order in [Order::Forward, Order::Backward] {
        for reduction in ["_sum", "function (keys, values) { return sum(values); }"] {
            let query = Query {
                keys: Some(vec![json!(1), json!(1), json!(2), json!(1)]),
                order,
                ..grouped()
            };
            assert_eq!(
                reduce(reduction, &rows, query).await.unwrap(),
                json!([[1, 10], [1, 10], [2, 5], [1, 10]]),
                "{reduction}, {order:?}"
            );
        }
    }
    let part = Query {
        keys: Some(vec![json!(1), json!(1), json!(2)]),
        skip: 1,
        limit: Some(1),
        ..grouped()
    };
    assert_eq!(reduce("_sum", &rows, part).await.unwrap(), json!([[1, 10]]));
}

#[tokio::test]
async fn an_empty_range_has_no_reduction() {
    assert_eq!(reduce("_count", &[], Query::default()).await.unwrap(), json!([]));
}

#[tokio::test]
async fn functions_are_given_keys_with_ids_and_then_only_reductions() {
    let source = "function (keys, values, rereduce) {
        if (rereduce) return values.reduce(function (a, b) { return a.concat(b); }).slice(0, 3);
        return keys.map(function (pair, at) { return pair[1] + ':' + pair[0] + '=' + values[at]; }).slice(0, 3);
    }";
    let rows = [(json!(1), json!(5)), (json!(2), json!(6))];
    assert_eq!(
        reduce(source, &rows, Query::default()).await.unwrap(),
        json!([[null, ["0:1=5", "1:2=6"]]])
    );
    assert_eq!(
        reduce(source, &rows, grouped()).await.unwrap(),
        json!([[1, ["0:1=5"]], [2, ["1:2=6"]]])
    );
}

#[tokio::test]
async fn reductions_over_many_pages_are_those_of_all_rows() {
    let rows: Vec<(Value, Value)> = (0..20_000).map(|n| (json!([n % 7, n]), json!(n))).collect();
    let source = "function (keys, values) { return sum(values); }";
    for reduction in ["_sum", source] {
        let level = Query {
            group_level: Some(1),
            ..Query::default()
        };
        let groups = reduce(reduction, &rows, level).await.unwrap();
        for (group, row) in groups.as_array().unwrap().iter().enumerate() {
            let expected: usize = (0..20_000).filter(|n| n % 7 == group).sum();
            assert_eq!(*row, json!([[group], expected]));
        }
        let range = Query {
            start_key: Some(json!([3, 100])),
            end_key: Some(json!([4, 5_000])),
            ..Query::default()
        };
        let expected: usize = (0..20_000)
            .filter(|n| n % 7 == 3 && *n >= 100 || n % 7 == 4 && *n <= 5_000)
            .sum();
        assert_eq!(
            reduce(reduction, &rows, range).await.unwrap(),
            json!([[null, expected]])
        );
    }
}

#[tokio::test]
async fn a_reduction_that_does_not_shrink_is_an_error_in_its_place() {
    let rows: Vec<(Value, Value)> = (0..100).map(|n| (json!(n), json!("x".repeat(100)))).collect();
    let result = reduce(
        "function (keys, values) { return values; }",
        &rows,
        Query::default(),
    )
    .await
    .unwrap();
    let message = result[0][1]["reduce_overflow_error"].as_str().unwrap();
    assert!(
        message.starts_with("Reduce output must shrink more rapidly"),
        "{message}"
    );
}

#[tokio::test]
async fn a_reduction_that_does_not_shrink_is_taken_where_the_limit_says_so() {
    let rows: Vec<(Value, Value)> = (0..100).map(|n| (json!(n), json!("x".repeat(100)))).collect();
    let default = ReduceLimit::default();
    for limit in [
        ReduceLimit {
            overflow: ReduceOverflow::Taken,
            ..default
        },
        ReduceLimit {
            overflow: ReduceOverflow::Logged,
            ..default
        },
        ReduceLimit {
            bytes: 1_000_000,
            ..default
        },
        ReduceLimit {
            ratio: 0.1,
            ..default
        },
    ] {
        let function = "function (keys, values) { return values; }";
        let result = reduce_within(limit, function, &rows, Query::default())
            .await
            .unwrap();
        assert!(result[0][1].is_array(), "{limit:?}");
    }
}

#[tokio::test]
async fn a_function_that_throws_reduces_to_null() {
    let rows = [(json!(1), json!(5))];
    let thrown = reduce("function (keys, values) { throw 'no'; }", &rows, Query::default())
        .await
        .unwrap();
    assert_eq!(thrown, json!([[null, null]]));
}

#[tokio::test]
async fn ranks_are_the_extreme_different_values() {
    let rows: Vec<(Value, Value)> = (0..3_000).map(|n| (json!(n % 5), json!(n % 1_000))).collect();
    let whole = |function: &'static str| reduce(function, &rows, Query::default());
    assert_eq!(whole("_top_3").await.unwrap(), json!([[null, [999, 998, 997]]]));
    assert_eq!(whole("_bottom_2").await.unwrap(), json!([[null, [0, 1]]]));
    let groups = reduce("_top_1", &rows, grouped()).await.unwrap();
    assert_eq!(groups[0], json!([0, [995]]));
}

#[tokio::test]
async fn first_and_last_are_the_values_of_the_extreme_keys() {
    let rows: Vec<(Value, Value)> = (0..3_000).map(|n| (json!(2_999 - n), json!({"n": n}))).collect();
    for (function, expected) in [("_first", 2_999), ("_last", 0)] {
        let whole = reduce(function, &rows, Query::default()).await.unwrap();
        assert_eq!(whole, json!([[null, {"n": expected}]]), "{function}");
        let backward = Query {
            order: Order::Backward,
            ..Query::default()
        };
        let whole = reduce(function, &rows, backward).await.unwrap();
        assert_eq!(whole, json!([[null, {"n": expected}]]), "{function} backward");
    }
}

#[tokio::test]
async fn groups_over_many_pages_are_what_their_rows_come_to() {
    // Enough rows for many leaves, in which groups begin and end anywhere.
    let database = Database::new().await;
    let key = |n: i64| json!([n % 3, format!("k{:03}", n % 40), n]);
    let documents = (0..9_000_i64).map(|n| json!({"_id": format!("{n:05}"), "k": key(n), "v": n}));
    database.put(&documents.collect::<Vec<_>>()).await;
    let group = database.group(view("_sum")).await;
    for (level, order, start) in [
        (1, Order::Forward, None),
        (1, Order::Backward, None),
        (2, Order::Forward, Some(json!([1, "k017", 4_000]))),
        (2, Order::Backward, Some(json!([1, "k017", 4_000]))),
        (3, Order::Forward, Some(json!([2]))),
        (0, Order::Backward, Some(json!([1]))),
    ] {
        let mut rows: Vec<(Vec<Value>, i64)> = (0..9_000)
            .map(|n| (key(n).as_array().unwrap().clone(), n))
            .collect();
        rows.sort_by_key(|(key, n)| (key[0].as_i64(), key[1].as_str().unwrap().to_owned(), *n));
        let place = |key: &[Value]| {
            let text = |at: usize| key.get(at).and_then(Value::as_str).unwrap_or("").to_owned();
            (
                key[0].as_i64(),
                text(1),
                key.get(2).and_then(Value::as_i64).unwrap_or(-1),
            )
        };
        if let Some(start) = &start {
            let start = place(start.as_array().unwrap());
            rows.retain(|(key, _)| match order {
                Order::Forward => place(key) >= start,
                Order::Backward => place(key) <= start,
            });
        }
        if order == Order::Backward {
            rows.reverse();
        }
        let mut expected: Vec<(Value, i64)> = Vec::new();
        for (key, value) in rows {
            let key = if level == 0 {
                Value::Null
            } else {
                Value::from(key[..level].to_vec())
            };
            match expected.last_mut() {
                Some((last, sum)) if *last == key => *sum += value,
                _ => expected.push((key, value)),
            }
        }
        let query = Query {
            group_level: Some(level as u64),
            start_key: start,
            order,
            ..Query::default()
        };
        let found = database.rows(&group, "r", query).await;
        assert_eq!(found, json!(expected), "level {level}, {order:?}");
    }
}
