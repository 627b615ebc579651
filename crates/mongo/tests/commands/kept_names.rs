//! Names that clients give and the server keeps: answers with them can be read, and names that lead to nothing are not kept.

use crate::client::Server;
use value::{Document, Value, doc};

/// The collections that `top` tells of.
fn told(reply: &Document) -> Vec<String> {
    let totals = reply.get("totals").and_then(Value::as_document);
    let names = totals.expect("an answer").iter().map(|(name, _)| name.to_owned());
    names.filter(|name| name != "note").collect()
}

#[test]
fn top_tells_of_collections_that_there_are() {
    let server = Server::start();
    let mut client = server.client();
    for (request, code) in [
        (doc! {"find": "a\0b"}, Some(73)),
        (doc! {"find": "nothing"}, None),
        (doc! {"createRole": "named", "privileges": [], "roles": []}, None),
        (doc! {"rolesInfo": "a"}, None),
        (doc! {"insert": "a", "documents": [{}]}, None),
        (doc! {"insert": "dropped", "documents": [{}]}, None),
        (doc! {"drop": "dropped"}, None),
        (doc! {"insert": "moved", "documents": [{}]}, None),
    ] {
        let reply = client.run("test", &request);
        assert_eq!(
            reply.get("code"),
            code.map(Value::Int32).as_ref(),
            "{request:?} {reply:?}"
        );
    }
    let top = client.run("admin", &doc! {"top": 1});
    assert_eq!(told(&top), ["test.a", "test.moved"]);
    client.run(
        "admin",
        &doc! {"renameCollection": "test.moved", "to": "test.here"},
    );
    assert_eq!(told(&client.run("admin", &doc! {"top": 1})), ["test.a"]);
}

#[test]
fn statistics_of_an_index_that_cannot_be_named_can_be_read() {
    let server = Server::start();
    let mut client = server.client();
    for (name, code) in [("a\0b", 67), ("*", 2), ("", 67)] {
        let made = client.run(
            "test",
            &doc! {"createIndexes": "c", "indexes": [{"key": {"a": 1}, "name": name}]},
        );
        assert_eq!(made.get("code"), Some(&Value::Int32(code)), "{made:?}");
    }
    client.run(
        "test",
        &doc! {"createIndexes": "c", "indexes": [{"key": {"a": 1}, "name": "a.b"}]},
    );
    let stats = client.run("test", &doc! {"collStats": "c"});
    let sizes = stats.get("indexSizes").and_then(Value::as_document);
    assert!(sizes.is_some_and(|sizes| sizes.contains("a.b")), "{stats:?}");
}

#[test]
fn the_servers_own_collections_are_not_written() {
    let server = Server::start();
    let mut client = server.client();
    let change = doc! {"$set": {"n": 1}};
    for (database, name) in [
        ("admin", "system.users"),
        ("admin", "system.roles"),
        ("test", "system.views"),
        ("test", "system.profile"),
        ("config", "shards"),
    ] {
        for (request, code) in [
            (doc! {"insert": name, "documents": [{"_id": "x"}]}, 73),
            (
                doc! {"update": name, "updates": [{"q": {}, "u": change.clone()}]},
                73,
            ),
            (
                doc! {"update": name, "updates": [{"q": {"_id": 1}, "u": change.clone(), "upsert": true}]},
                73,
            ),
            (
                doc! {"delete": name, "deletes": [{"q": {}, "limit": 0}]},
                // Only users can be deleted by their documents.
                if name == "system.users" { 0 } else { 73 },
            ),
            (doc! {"findAndModify": name, "remove": true}, 73),
            (
                doc! {"createIndexes": name, "indexes": [{"key": {"a": 1}, "name": "a"}]},
                73,
            ),
        ] {
            let reply = client.run(database, &request);
            let refused = (code != 0).then_some(Value::Int32(code));
            assert_eq!(
                reply.get("code"),
                refused.as_ref(),
                "{database} {request:?} {reply:?}"
            );
        }
        let listed = client.run(database, &doc! {"listCollections": 1, "filter": {"name": name}});
        let cursor = listed.get("cursor").and_then(Value::as_document);
        let batch = cursor.and_then(|cursor| cursor.get("firstBatch"));
        assert_eq!(batch, Some(&Value::Array(Vec::new())), "{listed:?}");
    }
    for (database, request, code) in [
        ("test", doc! {"create": "system.views"}, None),
        (
            "test",
            doc! {"create": "system.views", "capped": true, "size": 4096},
            Some(48),
        ),
        ("admin", doc! {"create": "system.users"}, Some(73)),
        ("admin", doc! {"drop": "system.users"}, Some(73)),
        (
            "admin",
            doc! {"convertToCapped": "system.users", "size": 4096},
            Some(73),
        ),
        (
            "admin",
            doc! {"renameCollection": "admin.system.users", "to": "admin.users"},
            Some(20),
        ),
    ] {
        let reply = client.run(database, &request);
        assert_eq!(
            reply.get("code"),
            code.map(Value::Int32).as_ref(),
            "{request:?} {reply:?}"
        );
    }
}

#[test]
fn names_of_the_system_are_not_given() {
    let server = Server::start();
    let mut client = server.client();
    let update = doc! {"q": {"_id": 1}, "u": {"$set": {"a": 1}}, "upsert": true};
    for (database, request, code) in [
        ("test", doc! {"create": "system.foo"}, Some(73)),
        ("test", doc! {"create": "system.foo", "viewOn": "a"}, Some(73)),
        ("test", doc! {"create": "system.version"}, Some(73)),
        ("test", doc! {"insert": "system.foo", "documents": [{}]}, Some(73)),
        (
            "test",
            doc! {"update": "system.foo", "updates": [update]},
            Some(73),
        ),
        (
            "test",
            doc! {"findAndModify": "system.foo", "update": {"a": 1}, "upsert": true},
            Some(73),
        ),
        (
            "test",
            doc! {"createIndexes": "system.foo", "indexes": [{"key": {"a": 1}, "name": "a"}]},
            Some(73),
        ),
        ("test", doc! {"create": "system.js"}, None),
        (
            "test",
            doc! {"insert": "system.js", "documents": [{"_id": "f"}]},
            None,
        ),
        (
            "admin",
            doc! {"insert": "system.version", "documents": [{"_id": "f"}]},
            None,
        ),
        ("test", doc! {"create": "System.foo"}, None),
        ("test", doc! {"create": "systems"}, None),
        ("test", doc! {"find": "system.foo"}, None),
    ] {
        let reply = client.run(database, &request);
        assert_eq!(
            reply.get("code"),
            code.map(Value::Int32).as_ref(),
            "{request:?} {reply:?}"
        );
    }
}
