//! Where `$$NOW` has no value, as in MongoDB: `count` and `distinct` of collections, and filters of listings.

use crate::client::{Client, Server};
use value::{Document, Value, array, doc};

/// A server with a collection, a view of it and a time series; it ends with the first of the two.
fn asking() -> (Server, Client) {
    let server = Server::start();
    let mut client = server.client();
    let events = array![
        doc! {"_id": 1, "at": Value::DateTime(0)},
        doc! {"_id": 2, "at": Value::DateTime(i64::from(u32::MAX) * 1_000)}
    ];
    for command in [
        doc! {"insert": "events", "documents": events},
        doc! {"create": "past", "viewOn": "events", "pipeline": []},
        doc! {"create": "series", "timeseries": {"timeField": "at"}},
    ] {
        let reply = client.run("test", &command);
        assert_eq!(reply.get("ok"), Some(&Value::Double(1.0)), "{reply:?}");
    }
    (server, client)
}

fn past() -> Document {
    doc! {"$expr": {"$lt": ["$at", "$$NOW"]}}
}

#[test]
fn counts_distincts_and_listings_have_no_clock() {
    let (_server, mut client) = asking();
    let listed = doc! {"$expr": {"$lt": [{"$toDate": 0}, "$$NOW"]}};
    for (database, command) in [
        ("test", doc! {"count": "events", "query": past()}),
        (
            "test",
            doc! {"count": "events", "query": {"$or": [past(), {"_id": 1}]}},
        ),
        ("test", doc! {"distinct": "events", "key": "_id", "query": past()}),
        ("test", doc! {"distinct": "none", "key": "_id", "query": past()}),
        ("test", doc! {"listCollections": 1, "filter": listed.clone()}),
        ("admin", doc! {"listDatabases": 1, "filter": listed}),
    ] {
        let reply = client.run(database, &command);
        assert_eq!(
            reply.get("code"),
            Some(&Value::Int32(51_144)),
            "{command:?}: {reply:?}"
        );
    }
}

#[test]
fn finds_pipelines_and_views_have_a_clock() {
    let (_server, mut client) = asking();
    for (command, field, expected) in [
        (
            doc! {"find": "events", "filter": past(), "projection": {"_id": 1}},
            "ok",
            Value::from(1.0),
        ),
        (doc! {"count": "past", "query": past()}, "n", Value::from(1)),
        (
            doc! {"distinct": "past", "key": "_id", "query": past()},
            "values",
            Value::Array(array![1]),
        ),
        (doc! {"count": "series", "query": past()}, "n", Value::from(0)),
        // A text that only looks like the variable.
        (
            doc! {"count": "events", "query": {"at": "$$NOW"}},
            "n",
            Value::from(0),
        ),
        (
            doc! {"count": "events", "query": {"$expr": {"$eq": ["$at", {"$literal": "$$NOW"}]}}},
            "n",
            Value::from(0),
        ),
    ] {
        let reply = client.run("test", &command);
        assert_eq!(reply.get(field), Some(&expected), "{command:?}: {reply:?}");
    }
}

/// The number of success of what MongoDB answers by a pipeline is an integer.
#[test]
fn distinct_of_a_view_is_one_as_an_integer() {
    let (_server, mut client) = asking();
    for (name, ok) in [
        ("events", Value::from(1.0)),
        ("past", Value::from(1)),
        ("series", Value::from(1)),
    ] {
        let reply = client.run("test", &doc! {"distinct": name, "key": "_id"});
        assert_eq!(reply.get("ok"), Some(&ok), "{name}: {reply:?}");
    }
}

#[test]
fn time_series_have_no_plans_and_no_end_to_wait_at() {
    let (_server, mut client) = asking();
    for (name, plans, waiting) in [
        ("events", None, Some(2)),
        ("past", Some(166), Some(168)),
        ("series", Some(166), Some(168)),
    ] {
        for command in ["planCacheClear", "planCacheListFilters", "planCacheClearFilters"] {
            let reply = client.run("test", &Document::new().with(command, name));
            assert_eq!(
                reply.get("code"),
                plans.map(Value::from).as_ref(),
                "{command} {name}: {reply:?}"
            );
        }
        let set = doc! {"planCacheSetFilter": name, "query": {"a": 1}, "indexes": [{"a": 1}]};
        let reply = client.run("test", &set);
        assert_eq!(
            reply.get("code"),
            plans.map(Value::from).as_ref(),
            "{name}: {reply:?}"
        );
        let reply = client.run("test", &doc! {"find": name, "tailable": true});
        assert_eq!(
            reply.get("code"),
            waiting.map(Value::from).as_ref(),
            "{name}: {reply:?}"
        );
    }
}

#[test]
fn plans_of_a_time_series_are_behind_a_stage() {
    let (_server, mut client) = asking();
    for (name, code) in [("events", None), ("series", Some(40_602))] {
        let stages = array![{"$planCacheStats": {}}];
        let reply = client.run(
            "test",
            &doc! {"aggregate": name, "pipeline": stages, "cursor": {}},
        );
        assert_eq!(
            reply.get("code"),
            code.map(Value::from).as_ref(),
            "{name}: {reply:?}"
        );
    }
}

/// Names may end with a dot, as MongoDB's own `tmp.agg_out.` does; what begins with one is no name.
#[test]
fn names_may_end_with_a_dot() {
    let (_server, mut client) = asking();
    for (name, code) in [
        ("tmp.agg_out.", None),
        ("a..", None),
        (".a", Some(73)),
        ("", Some(73)),
    ] {
        let stages = array![{"$out": name}];
        let out = client.run(
            "test",
            &doc! {"aggregate": "events", "pipeline": stages, "cursor": {}},
        );
        assert_eq!(out.get("code"), code.map(Value::from).as_ref(), "{name}: {out:?}");
        let count = client.run("test", &doc! {"count": name});
        assert_eq!(
            count.get("n"),
            code.is_none().then_some(Value::Int32(2)).as_ref(),
            "{name}: {count:?}"
        );
    }
}

/// The comment of a command stands with the later batches of its cursor, unless they have one of their own.
#[test]
fn the_profiler_shows_the_comment_of_a_cursor() {
    let (_server, mut client) = asking();
    client.run("test", &doc! {"profile": 2});
    for (opens, own, shown) in [
        (
            doc! {"find": "events", "batchSize": 1, "comment": "first"},
            None,
            Some("first"),
        ),
        (
            doc! {"find": "events", "batchSize": 1, "comment": "first"},
            Some("second"),
            Some("second"),
        ),
        (doc! {"find": "events", "batchSize": 1}, None, None),
        (
            doc! {"aggregate": "events", "pipeline": [], "cursor": {"batchSize": 1}, "comment": "piped"},
            None,
            Some("piped"),
        ),
    ] {
        let opened = client.run("test", &opens);
        let Some(Value::Document(cursor)) = opened.get("cursor") else {
            panic!("{opened:?}");
        };
        let id = cursor.get("id").cloned().unwrap();
        let mut more = doc! {"getMore": id.clone(), "collection": "events"};
        if let Some(own) = own {
            more.push("comment", own);
        }
        client.run("test", &more);
        let entry = doc! {"find": "system.profile", "filter": {"op": "getmore", "command.getMore": id}};
        let found = client.run("test", &entry);
        let batch = found.get("cursor").and_then(|cursor| match cursor {
            Value::Document(cursor) => cursor.get("firstBatch").cloned(),
            _ => None,
        });
        let Some(Value::Array(entries)) = batch else {
            panic!("{found:?}");
        };
        let [Value::Document(entry)] = entries.as_slice() else {
            panic!("{entries:?}");
        };
        let Some(Value::Document(command)) = entry.get("command") else {
            panic!("{entry:?}");
        };
        assert_eq!(
            command.get("comment"),
            shown.map(Value::from).as_ref(),
            "{opens:?}"
        );
    }
}
