//! A selector finds the same documents whichever indexes exist.

use crate::server::Server;
use engine::{Namespace, RevisionedCollection};
use testing::http::exchange;
use value::{DocumentBuf, doc};

/// The ids that a selector finds.
fn found(server: &Server, selector: &str) -> Vec<String> {
    let body = format!(r#"{{"selector": {selector}, "fields": ["_id"]}}"#);
    let answer = exchange(server.address, "POST /db/_find", &body);
    assert_eq!(answer.status, 200, "{selector}: {answer}");
    let parts = answer.body.split(r#"{"_id":""#).skip(1);
    let ids = parts.filter_map(|rest| rest.split('"').next());
    let mut ids: Vec<String> = ids.map(str::to_owned).collect();
    ids.sort();
    ids
}

fn collection(server: &Server) -> RevisionedCollection {
    assert_eq!(exchange(server.address, "PUT /db", "").status, 201);
    let opened = server.engine.revisioned(&Namespace::new("default", "db"));
    opened.unwrap().unwrap()
}

fn index_of_mongodb(server: &Server, field: &str) {
    let namespace = Namespace::new("default", "db");
    let index = [doc! {"key": doc! {field: 1}, "name": "field"}];
    let made = server.engine.create_indexes(&namespace, &index);
    server.run(made).unwrap();
}

fn index_of_couchdb(server: &Server, field: &str) {
    let body = format!(r#"{{"index": {{"fields": ["{field}"]}}}}"#);
    assert_eq!(exchange(server.address, "POST /db/_index", &body).status, 200);
}

/// Runs the selector without an index, with one of each protocol, and with both.
fn is_found_by_all_indexes(documents: &[DocumentBuf], field: &str, cases: &[(&str, &[&str])]) {
    for (of_mongodb, of_couchdb) in [(false, false), (true, false), (false, true), (true, true)] {
        let server = Server::start();
        let inserted = server.run(collection(&server).insert(documents.to_vec()));
        assert!(inserted.unwrap().iter().all(Result::is_ok));
        if of_mongodb {
            index_of_mongodb(&server, field);
        }
        if of_couchdb {
            index_of_couchdb(&server, field);
        }
        for (selector, ids) in cases {
            assert_eq!(
                found(&server, selector),
                *ids,
                "{selector} {of_mongodb} {of_couchdb}"
            );
        }
    }
}

#[test]
fn texts_that_collate_alike_are_found_together() {
    let texts = [
        ("1", "a"),
        ("2", "a\u{1}"),
        ("3", "a\u{200b}"),
        ("4", "\u{ad}a"),
        ("5", "b"),
    ];
    let documents = texts.map(|(id, text)| DocumentBuf::from(&doc! {"_id": id, "s": text}));
    let all: &[&str] = &["1", "2", "3", "4"];
    is_found_by_all_indexes(
        &documents,
        "s",
        &[(r#"{"s": "a"}"#, all), (r#"{"s": {"$in": ["a", "x"]}}"#, all)],
    );
}

#[test]
fn every_index_finds_the_same_nans() {
    let nan = f64::NAN.copysign(1.0);
    let numbers = [("above", nan), ("below", -nan), ("less", -1.0), ("more", 1.0)];
    let documents = numbers.map(|(id, number)| DocumentBuf::from(&doc! {"_id": id, "v": number}));
    is_found_by_all_indexes(
        &documents,
        "v",
        &[
            (r#"{"v": {"$lt": 0}}"#, &["below", "less"]),
            (r#"{"v": {"$gt": 0}}"#, &["above", "more"]),
            (r#"{"v": {"$gt": -5, "$lt": 5}}"#, &["less", "more"]),
            (r#"{"v": 1}"#, &["more"]),
        ],
    );
}
