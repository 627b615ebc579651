//! The rows that map functions emit, their order, and what queries return of them.
use crate::support::*;
use serde_json::{Value, json};
use view::{Error, Order, Query};

fn by_key() -> Value {
    json!({"all": {"map": "function (doc) { emit(doc.k, doc.v); }"}})
}

#[tokio::test]
async fn rows_come_in_the_order_of_couchdb() {
    let database = Database::new().await;
    let ordered = json!([
        null, false, true, -2.5, 0, 1, 3, 10, "a", "A", "aa", "b", "B", [], [null], ["a"], ["b"], ["b", "c"], {}, {"a": 1},
        {"a": 2}, {"b": 1}, {"b": 1, "a": 0}
    ]);
    let keys = ordered.as_array().unwrap();
    let documents: Vec<Value> = keys
        .iter()
        .rev()
        .enumerate()
        .map(|(n, key)| json!({"_id": n.to_string(), "k": key}))
        .collect();
    database.put(&documents).await;
    let group = database.group(by_key()).await;
    let rows = database.rows(&group, "all", Query::default()).await;
    let found: Vec<Value> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row[1].clone())
        .collect();
    assert_eq!(&found, keys);
    let backward = Query {
        order: Order::Backward,
        ..Query::default()
    };
    let rows = database.rows(&group, "all", backward).await;
    let found: Vec<Value> = rows
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|row| row[1].clone())
        .collect();
    assert_eq!(&found, keys);
}

#[tokio::test]
async fn changes_and_deletions_take_old_rows_away() {
    let database = Database::new().await;
    let group = database
        .group(json!({"all": {"map": "function (doc) { doc.ks.forEach(function (k) { emit(k, null); }); }"}}))
        .await;
    database
        .put(&[json!({"_id": "a", "ks": [1, 2]}), json!({"_id": "b", "ks": [2]})])
        .await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([["a", 1, null], ["a", 2, null], ["b", 2, null]])
    );
    database
        .put(&[json!({"_id": "a", "ks": [2, 3]}), json!("b")])
        .await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([["a", 2, null], ["a", 3, null]])
    );
}

#[tokio::test]
async fn rows_of_one_key_and_document_come_in_the_order_of_their_values() {
    let database = Database::new().await;
    database.put(&[json!({"_id": "a"})]).await;
    let map = "function () { emit(1, 'b'); emit(0, 1); emit(1, 'a'); emit(1); emit(1, 'b'); }";
    let group = database.group(json!({"all": {"map": map}})).await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([
            ["a", 0, 1],
            ["a", 1, null],
            ["a", 1, "a"],
            ["a", 1, "b"],
            ["a", 1, "b"]
        ])
    );
}

#[tokio::test]
async fn ranges_skip_and_limit() {
    let database = Database::new().await;
    let documents: Vec<Value> = (0..10)
        .map(|n| json!({"_id": format!("d{n}"), "k": n / 2}))
        .collect();
    database.put(&documents).await;
    let group = database.group(by_key()).await;
    let ids = |rows: Value| -> Vec<String> {
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| row[0].as_str().unwrap().to_owned())
            .collect()
    };
    let between = Query {
        start_key: Some(json!(1)),
        end_key: Some(json!(2)),
        ..Query::default()
    };
    assert_eq!(
        ids(database.rows(&group, "all", between.clone()).await),
        ["d2", "d3", "d4", "d5"]
    );
    let open = Query {
        inclusive_end: false,
        ..between.clone()
    };
    assert_eq!(ids(database.rows(&group, "all", open).await), ["d2", "d3"]);
    let part = Query {
        skip: 1,
        limit: Some(2),
        ..between.clone()
    };
    assert_eq!(ids(database.rows(&group, "all", part).await), ["d3", "d4"]);
    let from_id = Query {
        start_id: Some("d3".into()),
        end_id: Some("d4".into()),
        ..between
    };
    assert_eq!(ids(database.rows(&group, "all", from_id).await), ["d3", "d4"]);
    let backward = Query {
        start_key: Some(json!(2)),
        end_key: Some(json!(1)),
        inclusive_end: false,
        order: Order::Backward,
        ..Query::default()
    };
    assert_eq!(ids(database.rows(&group, "all", backward).await), ["d5", "d4"]);
    let keys = Query {
        keys: Some(vec![json!(4), json!(9), json!(0)]),
        skip: 1,
        ..Query::default()
    };
    assert_eq!(ids(database.rows(&group, "all", keys).await), ["d9", "d0", "d1"]);
}

#[tokio::test]
async fn offset_and_total_count_rows_of_the_view() {
    let database = Database::new().await;
    let documents: Vec<Value> = (0..10).map(|n| json!({"_id": format!("d{n}"), "k": n})).collect();
    database.put(&documents).await;
    let group = database.group(by_key()).await;
    group.update(database.head()).await.unwrap();
    let query = |start: i32, order| Query {
        start_key: Some(json!(start)),
        skip: 2,
        order,
        ..Query::default()
    };
    let totals = |query| async { group.query("all", query).await.unwrap().totals };
    assert_eq!(totals(query(3, Order::Forward)).await, Some((10, 5)));
    assert_eq!(totals(query(7, Order::Backward)).await, Some((10, 4)));
    assert_eq!(totals(query(50, Order::Forward)).await, Some((10, 10)));
}

#[tokio::test]
async fn a_function_that_throws_skips_its_document() {
    let database = Database::new().await;
    database
        .put(&[json!({"_id": "a", "v": {"x": 1}}), json!({"_id": "b"})])
        .await;
    let group = database
        .group(json!({"all": {"map": "function (doc) { emit(1, null); emit(doc.v.x, null); }"}}))
        .await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([["a", 1, null], ["a", 1, null]])
    );
}

#[tokio::test]
async fn functions_cannot_change_a_document() {
    let database = Database::new().await;
    database.put(&[json!({"_id": "a", "v": {"x": 1}})]).await;
    let map = "function (doc) { doc.v.x = 2; doc.w = 1; emit(doc.v.x, doc.w); }";
    let group = database.group(json!({"all": {"map": map}})).await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([["a", 1, null]])
    );
}

#[tokio::test]
async fn whatever_a_function_tries_another_one_sees_the_document_as_it_is() {
    let tries = [
        "doc.n = 2",
        "doc['n'] = 2",
        "doc.n += 1",
        "doc.n++",
        "++doc.n",
        "--doc.list[0]",
        "delete doc.n",
        "doc.list.push(3)",
        "doc.list.sort()",
        "doc.list['push'](3)",
        "[doc.n] = [2]",
        "({a: doc.n} = {a: 2})",
        "for (doc.n of [2]) {}",
        "Object.assign(doc, {n: 2})",
        "Array.prototype.push.call(doc.list, 3)",
        "var d = doc; d.n = 2",
        "doc.n ||= 2; doc.n &&= 2",
        "doc /* */ . /* */ n /* */ = 2",
        "(doc.n) = 2",
        "doc.\\u006e = 2",
        "doc.n **= 2",
        "doc.n >>>= 1",
        "doc.list.length = 0",
        "var f = doc.list.reverse; f.apply(doc.list)",
        "doc.__defineGetter__('n', function () { return 2; })",
        "for ([doc.n] of [[2]]) {}",
        "for ({a: doc.n} of [{a: 2}]) {}",
        "var f = function (a, b) { return a; }; ++f(doc, 1).n",
        "doc.größe = 2",
        "doc.größe++",
        "doc.é += 1",
        "++doc.größe",
        "for (doc.größe of [2]) {}",
    ];
    for source in tries {
        let database = Database::new().await;
        let document = json!({"_id": "a", "n": 1, "list": [2, 1], "größe": 1, "é": 1});
        database.put(&[document]).await;
        let views = json!({
            "a": {"map": format!("function (doc) {{ {source}; }}")},
            "b": {"map": "function (doc) { emit(doc.n, [doc.list, doc.größe, doc.é]); }"},
        });
        let group = database.group(views).await;
        let rows = database.rows(&group, "b", Query::default()).await;
        assert_eq!(rows, json!([["a", 1, [[2, 1], 1, 1]]]), "{source}");
    }
}

#[tokio::test]
async fn modules_of_the_library_can_be_required() {
    let database = Database::new().await;
    database.put(&[json!({"_id": "a"})]).await;
    let views = json!({
        "lib": {"one": "exports.n = require('./two').n + 1;", "two": "exports.n = 1;"},
        "all": {"map": "function (doc) { emit(require('views/lib/one').n, isArray([])); }"},
    });
    let group = database.group(views).await;
    assert_eq!(
        database.rows(&group, "all", Query::default()).await,
        json!([["a", 2, true]])
    );
}

#[tokio::test]
async fn options_that_contradict_are_refused() {
    let database = Database::new().await;
    let group = database.group(by_key()).await;
    let refused = |query| async {
        match database.try_rows(&group, "all", query).await {
            Err(Error::QueryParse(message)) => message,
            other => panic!("{other:?}"),
        }
    };
    let reduce = Query {
        reduce: Some(true),
        ..Query::default()
    };
    assert_eq!(refused(reduce).await, "Reduce is invalid for map-only views.");
    let group_on_map = Query {
        group: Some(true),
        ..Query::default()
    };
    assert_eq!(
        refused(group_on_map).await,
        "Invalid use of grouping on a map view."
    );
    let reversed = Query {
        start_key: Some(json!(2)),
        end_key: Some(json!(1)),
        ..Query::default()
    };
    assert!(
        refused(reversed)
            .await
            .starts_with("No rows can match your key range")
    );
}

#[tokio::test]
async fn two_processes_that_update_at_once_both_have_all_rows() {
    let database = Database::new().await;
    let (here, there) = (
        database.group(by_key()).await,
        database.group_elsewhere(by_key()).await,
    );
    for round in 0..5 {
        let documents: Vec<Value> = (0..20)
            .map(|n| json!({"_id": format!("{round}-{n}"), "k": n}))
            .collect();
        database.put(&documents).await;
        let head = database.head();
        let (one, other) = tokio::join!(here.update(head.clone()), there.update(head));
        one.unwrap();
        other.unwrap();
        for group in [&here, &there] {
            let rows = rows(group, "all", Query::default()).await.unwrap();
            assert_eq!(rows.as_array().unwrap().len(), 20 * (round + 1));
        }
    }
}
