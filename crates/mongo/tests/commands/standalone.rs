//! Commands for replica sets and clusters, which are refused.

use crate::case::{Case, bad, run};
use value::{Document, doc};

#[test]
fn commands_for_replica_sets_are_refused_as_a_standalone_refuses_them() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    let mut cases = of_members();
    cases.extend(concerns());
    cases.extend(query_settings());
    cases.extend(others());
    cases
}

fn of_members() -> Vec<Case> {
    let refused = |request: Document| bad(request, 76, "not running with --replSet").of("admin");
    vec![
        bad(doc! {"replSetGetStatus": 1}, 13, "admin database"),
        refused(doc! {"replSetGetStatus": 1}),
        refused(doc! {"replSetGetConfig": 1, "commitmentStatus": "x"}),
        refused(doc! {"replSetReconfig": {}}),
        refused(doc! {"replSetFreeze": 1}),
        refused(doc! {"replSetMaintenance": true}),
        refused(doc! {"replSetStepDown": 1}),
        refused(doc! {"replSetSyncFrom": "a:1"}),
        refused(doc! {"replSetAbortPrimaryCatchUp": 1}),
        bad(
            doc! {"replSetInitiate": {}},
            76,
            "not started with replication enabled",
        )
        .of("admin"),
        bad(
            doc! {"appendOplogNote": 1, "data": {}},
            76,
            "Must have replication set up",
        )
        .of("admin"),
    ]
}

fn concerns() -> Vec<Case> {
    let words = "is not supported on standalone nodes";
    vec![
        bad(doc! {"getDefaultRWConcern": 1}, 51_300, words).of("admin"),
        bad(doc! {"getDefaultRWConcern": 1}, 13, "admin database"),
        bad(
            doc! {"getDefaultRWConcern": 1, "inMemory": 1},
            14,
            "'getDefaultRWConcern.inMemory'",
        )
        .of("admin"),
        bad(doc! {"getDefaultRWConcern": 1, "no": 1}, 40_415, "no").of("admin"),
        bad(
            doc! {"setDefaultRWConcern": 1, "defaultWriteConcern": {"w": 1}},
            51_300,
            words,
        )
        .of("admin"),
        bad(
            doc! {"setDefaultRWConcern": 1, "defaultReadConcern": "local"},
            14,
            "'setDefaultRWConcern.defaultReadConcern'",
        )
        .of("admin"),
    ]
}

fn query_settings() -> Vec<Case> {
    let shape = || doc! {"find": "c", "filter": {"a": 1}, "$db": "test"};
    let words = "can only run on replica sets or sharded clusters";
    vec![
        bad(
            doc! {"setQuerySettings": shape(), "settings": {"reject": true}},
            20,
            words,
        )
        .of("admin"),
        bad(doc! {"setQuerySettings": shape()}, 40_414, "settings").of("admin"),
        bad(
            doc! {"setQuerySettings": shape(), "settings": {"queryFramework": "old"}},
            2,
            "'old'",
        )
        .of("admin"),
        bad(
            doc! {"setQuerySettings": 1, "settings": {}},
            14,
            "'[string, object]'",
        )
        .of("admin"),
        bad(doc! {"removeQuerySettings": shape()}, 20, words).of("admin"),
        bad(doc! {"removeQuerySettings": 1}, 14, "'[string, object]'").of("admin"),
    ]
}

fn others() -> Vec<Case> {
    vec![
        bad(
            doc! {"setUserWriteBlockMode": 1, "global": true},
            20,
            "cannot be run on standalones",
        )
        .of("admin"),
        bad(doc! {"setUserWriteBlockMode": 1}, 40_414, "global").of("admin"),
        bad(
            doc! {"analyzeShardKey": "test.c", "key": {"a": 1}},
            20,
            "analyzeShardKey command is not supported on a standalone mongod",
        )
        .of("admin"),
        bad(doc! {"analyzeShardKey": "test.c"}, 40_414, "key").of("admin"),
        bad(
            doc! {"configureQueryAnalyzer": "test.c", "mode": "full", "samplesPerSecond": 1},
            20,
            "configureQueryAnalyzer command is not supported on a standalone mongod",
        )
        .of("admin"),
        bad(
            doc! {"configureQueryAnalyzer": "test.c", "mode": "half"},
            2,
            "'half'",
        )
        .of("admin"),
    ]
}
