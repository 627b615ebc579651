//! `$graphLookup`: which documents it reaches, and by which values.

use crate::support::{aggregate, insert, new_engine};
use code::Code;
use value::{Regex, Value, array, doc};

#[tokio::test]
async fn a_graph_is_followed_once_through_its_circles() {
    let engine = new_engine().await;
    insert(
        &engine,
        "people",
        &[
            doc! {"_id": "a", "knows": ["b"]},
            doc! {"_id": "b", "knows": ["c"]},
            doc! {"_id": "c", "knows": ["a"]},
        ],
    )
    .await;
    let stages = array![
        {"$match": {"_id": "a"}},
        {"$graphLookup": {"from": "people", "startWith": "$knows", "connectFromField": "knows",
            "connectToField": "_id", "as": "reached", "depthField": "depth"}},
        {"$unwind": "$reached"}, {"$replaceRoot": {"newRoot": "$reached"}}, {"$project": {"depth": 1}},
        {"$sort": {"depth": 1}},
    ];
    let reached = aggregate(&engine, "people", stages).await.unwrap();
    let expected = [("b", 0i64), ("c", 1), ("a", 2)].map(|(id, depth)| doc! {"_id": id, "depth": depth});
    assert_eq!(reached, expected);
}

/// Unlike in a query, a document without the field is connected to nothing.
#[tokio::test]
async fn a_graph_lookup_takes_null_for_null_alone() {
    let engine = new_engine().await;
    let rows = [
        doc! {"_id": 1, "to": null},
        doc! {"_id": 2},
        doc! {"_id": 3, "to": 5},
    ];
    insert(&engine, "nodes", &rows).await;
    let graph = |start: Value| {
        let operand = doc! {
            "from": "nodes", "startWith": start, "connectFromField": "none", "connectToField": "to", "as": "found",
        };
        array![
            {"$match": {"_id": 1}}, {"$graphLookup": operand}, {"$unwind": "$found"},
            {"$replaceRoot": {"newRoot": "$found"}}, {"$sort": {"_id": 1}}, {"$project": {"_id": 1}},
        ]
    };
    for (start, expected) in [
        (Value::Null, vec![doc! {"_id": 1}]),
        (array![null, 5].into(), vec![doc! {"_id": 1}, doc! {"_id": 3}]),
        ("$none".into(), vec![]),
    ] {
        let found = aggregate(&engine, "nodes", graph(start.clone())).await.unwrap();
        assert_eq!(found, expected, "{start:?}");
    }
}

/// In the `$in` that MongoDB makes of values too a regular expression is a pattern, and operators may not stand.
#[tokio::test]
async fn a_graph_lookup_takes_regular_expressions_for_patterns() {
    let engine = new_engine().await;
    let pattern = Regex {
        pattern: "^a".to_owned(),
        options: "i".to_owned(),
    };
    let rows = [
        doc! {"_id": 1, "from": (Value::Regex(pattern.clone())), "to": "x"},
        doc! {"_id": 2, "from": "b", "to": "Apple"},
        doc! {"_id": 3, "to": "b"},
        doc! {"_id": 4, "to": "c"},
        doc! {"_id": 5, "to": (Value::Regex(pattern))},
        doc! {"_id": 6, "from": {"$x": 1}, "to": "y"},
    ];
    insert(&engine, "nodes", &rows).await;
    let graph = |id: i32| {
        let operand = doc! {
            "from": "nodes", "startWith": "$from", "connectFromField": "from", "connectToField": "to", "as": "found",
        };
        array![
            {"$match": {"_id": id}}, {"$graphLookup": operand}, {"$unwind": "$found"},
            {"$replaceRoot": {"newRoot": "$found"}}, {"$sort": {"_id": 1}}, {"$project": {"_id": 1}},
        ]
    };
    let found = aggregate(&engine, "nodes", graph(1)).await.unwrap();
    assert_eq!(found, [doc! {"_id": 2}, doc! {"_id": 3}, doc! {"_id": 5}]);
    let error = aggregate(&engine, "nodes", graph(6)).await.unwrap_err();
    assert_eq!(error.code, Code::BAD_VALUE, "{}", error.message);
}
