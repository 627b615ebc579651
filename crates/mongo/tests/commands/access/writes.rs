//! Rights for writes, views and names.

use super::{Guarded, OK, REFUSED, Right, check, done};
use crate::blanks::listed_uuid;
use value::{Document, Value, array, doc};

#[test]
fn a_write_asks_for_all_that_it_does() {
    let on = |actions| -> Vec<Right<'_>> { vec![("test", "a", actions)] };
    let change = || doc! {"$set": {"n": 1}};
    let modify = |more: Document| {
        let mut request = doc! {"findAndModify": "a", "query": {"_id": 1}};
        more.into_iter()
            .for_each(|(name, value)| request.push(name, value));
        request
    };
    let update =
        |upsert: bool| doc! {"update": "a", "updates": [{"q": {"_id": 1}, "u": change(), "upsert": upsert}]};
    let bypassing = |request: Document| request.with("bypassDocumentValidation", true);
    let insert = || doc! {"insert": "a", "documents": [{}]};
    let explained = |request: Document| doc! {"explain": request, "verbosity": "queryPlanner"};
    let cases: Vec<(Vec<Right<'_>>, Document, i32)> = vec![
        (on(&["update"]), modify(doc! {"update": change()}), REFUSED),
        (on(&["find"]), modify(doc! {"update": change()}), REFUSED),
        (on(&["find", "update"]), modify(doc! {"update": change()}), OK),
        (
            on(&["find", "update"]),
            modify(doc! {"update": change(), "upsert": true}),
            REFUSED,
        ),
        (
            on(&["find", "update", "insert"]),
            modify(doc! {"update": change(), "upsert": true}),
            OK,
        ),
        (on(&["find", "update"]), modify(doc! {"remove": true}), REFUSED),
        (
            on(&["find", "update"]),
            explained(modify(doc! {"remove": true})),
            REFUSED,
        ),
        (
            on(&["find", "remove"]),
            explained(modify(doc! {"remove": true})),
            OK,
        ),
        (on(&["find", "remove"]), modify(doc! {"remove": true}), OK),
        (
            on(&["find", "update"]),
            bypassing(modify(doc! {"update": change()})),
            REFUSED,
        ),
        (on(&["update"]), update(false), OK),
        (on(&["update"]), update(true), REFUSED),
        (on(&["update"]), explained(update(true)), REFUSED),
        (on(&["update", "insert"]), explained(update(true)), OK),
        (on(&["update", "insert"]), update(true), OK),
        (on(&["update"]), bypassing(update(false)), REFUSED),
        (
            on(&["update", "bypassDocumentValidation"]),
            bypassing(update(false)),
            OK,
        ),
        (on(&["insert"]), insert(), OK),
        (on(&["insert"]), bypassing(insert()), REFUSED),
        (
            on(&["insert", "bypassDocumentValidation"]),
            bypassing(insert()),
            OK,
        ),
        (
            on(&["remove"]),
            bypassing(doc! {"delete": "a", "deletes": [{"q": {}, "limit": 1}]}),
            OK,
        ),
    ];
    let cases: Vec<_> = cases
        .iter()
        .map(|(rights, request, code)| (rights.as_slice(), request.clone(), *code))
        .collect();
    check(&cases);
}

#[test]
fn a_view_shows_no_more_than_its_maker_may_read() {
    let maker: &[Right<'_>] = &[(
        "test",
        "v",
        &["createCollection", "collMod", "find", "dropCollection"],
    )];
    let reader: &[Right<'_>] = &[maker[0], ("test", "secret", &["find"])];
    let blind: &[Right<'_>] = &[("test", "w", &["createCollection", "collMod"])];
    let view = |name: &str, stages: Value| doc! {"create": name, "viewOn": "secret", "pipeline": stages};
    let none = || Value::Array(array![]);
    let changed = |on: &str| doc! {"collMod": "v", "viewOn": on, "pipeline": none()};
    check(&[
        (maker, view("v", none()), REFUSED),
        (blind, view("w", none()), OK),
        (
            reader,
            view("v", Value::Array(array![{"$unionWith": "a"}])),
            REFUSED,
        ),
        (reader, view("v", none()), OK),
        (reader, changed("secret"), OK),
        (maker, changed("secret"), REFUSED),
        (maker, changed("v2"), REFUSED),
        (reader, doc! {"collMod": "v", "viewOn": "secret"}, 72),
        (reader, doc! {"collMod": "v", "pipeline": none()}, 72),
        (&[("test", "v2", &["insert"])], doc! {"create": "v2"}, OK),
        (
            &[("test", "v3", &["insert"])],
            doc! {"create": "v3", "viewOn": "a"},
            REFUSED,
        ),
        (&[("test", "v3", &["find"])], doc! {"create": "v3"}, REFUSED),
        (
            &[("test", "v3", &["createCollection"])],
            doc! {"create": "v3", "capped": true, "size": 4096},
            REFUSED,
        ),
        (
            &[("test", "v3", &["createCollection", "convertToCapped"])],
            doc! {"create": "v3", "capped": true, "size": 4096},
            OK,
        ),
    ]);
}

#[test]
fn a_collection_cannot_be_renamed_or_cloned_to_a_name_that_its_user_may_read() {
    let both: &[&str] = &["renameCollectionSameDB"];
    let rename = || doc! {"renameCollection": "test.secret", "to": "test.mine"};
    let clone = || doc! {"cloneCollectionAsCapped": "a", "toCollection": "capped", "size": 4096};
    check(&[
        (
            &[
                ("test", "secret", both),
                ("test", "mine", &["renameCollectionSameDB", "find"]),
            ],
            rename(),
            REFUSED,
        ),
        (
            &[
                ("test", "secret", &["renameCollectionSameDB", "find"]),
                ("test", "mine", both),
            ],
            rename(),
            OK,
        ),
        (
            &[("test", "a", &["find"]), ("test", "capped", &["insert"])],
            clone(),
            REFUSED,
        ),
        (
            &[
                ("test", "a", &["find"]),
                ("test", "capped", &["insert", "createIndex", "convertToCapped"]),
            ],
            clone(),
            OK,
        ),
    ]);
}

#[test]
fn cursors_of_others_are_killed_by_whoever_may() {
    let mut guarded = Guarded::start();
    let documents: Value = (2..10).map(|id| Value::from(doc! {"_id": id})).collect();
    done(
        &mut guarded.root,
        "test",
        doc! {"insert": "a", "documents": documents},
    );
    let found = guarded.root.run("test", &doc! {"find": "a", "batchSize": 1});
    let Some(id) = found
        .get("cursor")
        .and_then(Value::as_document)
        .and_then(|cursor| cursor.get("id"))
    else {
        panic!("{found:?}");
    };
    let kill = doc! {"killCursors": "a", "cursors": [id.clone()]};
    guarded.allow(&[("test", "a", &["find"])]);
    assert_eq!(guarded.tried(&kill).0, REFUSED);
    // The collection that counts is the cursor's own.
    let elsewhere = doc! {"killCursors": "secret", "cursors": [id.clone()]};
    guarded.allow(&[("test", "secret", &["killAnyCursor"])]);
    assert_eq!(guarded.tried(&elsewhere).0, REFUSED);
    guarded.allow(&[("test", "a", &["killAnyCursor"])]);
    let (code, reply) = guarded.tried(&kill);
    assert_eq!(code, OK);
    assert_eq!(reply.get("cursorsKilled"), Some(&Value::from(vec![id.clone()])));
}

#[test]
fn a_uuid_shows_no_more_than_a_name() {
    let mut guarded = Guarded::start();
    done(
        &mut guarded.root,
        "test",
        doc! {"insert": "_users", "documents": [{"_id": 1}]},
    );
    let find = |guarded: &mut Guarded, name: &str| {
        let listed = doc! {"listCollections": 1, "filter": {"name": name}};
        let listed = guarded.root.run("test", &listed);
        let cursor = listed.get("cursor").and_then(Value::as_document);
        let uuid = cursor.and_then(listed_uuid).cloned().unwrap();
        guarded.tried(&doc! {"find": uuid}).0
    };
    let reads: Right<'_> = ("test", "", &["find"]);
    let uses_uuids: Right<'_> = ("", "$server", &["useUUID"]);
    guarded.allow(&[reads]);
    assert_eq!(find(&mut guarded, "secret"), REFUSED);
    guarded.allow(&[reads, uses_uuids]);
    assert_eq!(find(&mut guarded, "secret"), OK);
    assert_eq!(find(&mut guarded, "_users"), REFUSED);
    let reads_one: Right<'_> = ("test", "secret", &["find"]);
    guarded.allow(&[reads_one]);
    assert_eq!(find(&mut guarded, "secret"), REFUSED);
    guarded.allow(&[reads_one, uses_uuids]);
    assert_eq!(find(&mut guarded, "secret"), OK);
    assert_eq!(find(&mut guarded, "a"), REFUSED);
}
