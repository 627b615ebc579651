//! Every command with a good and a bad request, through the protocol on a store in memory.
//!
//! A command without cases here fails `every_command_has_a_good_and_a_bad_request`. The error codes are MongoDB's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod access;
mod blanks;
mod case;
mod client;
mod clock;
mod collections;
mod documents;
mod encrypted_fields;
mod explaining;
mod indexes;
mod kept_names;
mod logins;
mod making;
mod names;
mod options;
mod roles;
mod server;
mod sessions;
mod stable_api;
mod standalone;
mod unique_texts;
mod users;
mod validating;
mod views;

use case::Case;
use client::Server;
use std::collections::BTreeSet;
use value::{Value, doc};

/// All tables; each is run by the test in its file.
const TABLES: [fn() -> Vec<Case>; 9] = [
    collections::cases,
    documents::cases,
    indexes::cases,
    logins::cases,
    roles::cases,
    server::cases,
    sessions::cases,
    standalone::cases,
    users::cases,
];

/// Commands that refuse every request.
const REFUSED: [&str; 21] = [
    "abortTransaction",
    "analyzeShardKey",
    "appendOplogNote",
    "authenticate",
    "commitTransaction",
    "configureQueryAnalyzer",
    "getDefaultRWConcern",
    "removeQuerySettings",
    "replSetAbortPrimaryCatchUp",
    "replSetFreeze",
    "replSetGetConfig",
    "replSetGetStatus",
    "replSetInitiate",
    "replSetMaintenance",
    "replSetReconfig",
    "replSetStepDown",
    "replSetSyncFrom",
    "setDefaultRWConcern",
    "setIndexCommitQuorum",
    "setQuerySettings",
    "setUserWriteBlockMode",
];

/// The commands that the server has, as it lists them itself.
fn listed() -> BTreeSet<String> {
    let reply = Server::start().client().run("admin", &doc! {"listCommands": 1});
    match reply.get("commands") {
        Some(Value::Document(commands)) => commands.iter().map(|(name, _)| name.to_owned()).collect(),
        other => panic!("no commands: {other:?}"),
    }
}

#[test]
fn every_command_has_a_good_and_a_bad_request() {
    let cases: Vec<Case> = TABLES.iter().flat_map(|table| table()).collect();
    let called = |good: bool| -> BTreeSet<String> {
        let meant = cases.iter().filter(|case| case.is_good() == good);
        meant.map(|case| case.command().to_owned()).collect()
    };
    let commands = listed();
    assert!(commands.len() > 70, "only {commands:?}");
    let (good, bad) = (called(true), called(false));
    let refused = REFUSED.map(str::to_owned).into();
    let expected: BTreeSet<String> = commands.difference(&refused).cloned().collect();
    let missing: Vec<_> = expected.difference(&good).collect();
    assert!(missing.is_empty(), "no good request for {missing:?}");
    let missing: Vec<_> = commands.difference(&bad).collect();
    assert!(missing.is_empty(), "no bad request for {missing:?}");
    let mended: Vec<_> = refused.intersection(&good).collect();
    assert!(mended.is_empty(), "no longer refused: {mended:?}");
}
