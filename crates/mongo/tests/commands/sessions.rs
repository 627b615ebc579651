//! Sessions, and ending what runs in them. There are no transactions to end yet.

use crate::case::{Case, bad, good, run};
use value::{Binary, Document, Value, array, doc};

#[test]
fn commands_for_sessions_get_mongodbs_answers() {
    run(&cases());
}

#[test]
fn a_cursor_is_asked_in_its_own_session_and_with_its_own_api() {
    let session = |first| doc! {"id": Binary { subtype: 4, bytes: vec![first; 16] }};
    let find = || doc! {"find": "a", "batchSize": 0};
    let more = || doc! {"getMore": "<cursor>", "collection": "a"};
    run(&[
        good(doc! {"insert": "a", "documents": [{"_id": 1}]}, doc! {}),
        good(find(), doc! {}),
        bad(
            more().with("lsid", session(1)),
            50_736,
            "not created in a session",
        ),
        good(more(), doc! {}),
        good(find().with("lsid", session(1)), doc! {}),
        bad(more(), 50_737, "without an lsid"),
        bad(more().with("lsid", session(2)), 50_738, "in session"),
        good(more().with("lsid", session(1)), doc! {}),
        good(find().with("apiVersion", "1"), doc! {}),
        bad(more(), 347, "API parameter mismatch"),
        bad(more().with("apiVersion", "1"), 43, "not found"),
        good(find().with("apiVersion", "1"), doc! {}),
        good(more().with("apiVersion", "1"), doc! {}),
    ]);
}

#[test]
fn an_operation_tells_its_session_and_its_server() {
    let session = || doc! {"id": Binary { subtype: 4, bytes: vec![9; 16] }};
    run(&[good(
        doc! {"currentOp": 1, "host": {"$exists": true}, "lsid": session()},
        doc! {"inprog": [{"lsid": (session()), "threaded": true, "numYields": 0, "waitingForLock": false}]},
    )
    .of("admin")]);
}

/// The digest under which sessions of clients without a login are listed: the SHA-256 of the empty string, as in MongoDB.
#[test]
fn sessions_of_nobody_are_listed_by_their_digest() {
    let listed = |operand: Document, answer: Document| {
        let pipeline = vec![doc! {"$listLocalSessions": operand}, doc! {"$count": "n"}];
        good(
            doc! {"aggregate": 1, "pipeline": pipeline, "cursor": {}},
            doc! {"cursor": {"firstBatch": [answer]}},
        )
    };
    let nobody = || Binary {
        subtype: 0,
        bytes: auth::NOBODY_DIGEST.to_vec(),
    };
    let own = vec![
        doc! {"$listLocalSessions": {"users": Value::Array(array![])}},
        doc! {"$match": {"_id.uid": nobody()}},
        doc! {"$count": "n"},
    ];
    run(&[
        good(doc! {"startSession": 1}, doc! {}),
        listed(doc! {"users": [{"user": "", "db": ""}]}, doc! {"n": 1}),
        good(
            doc! {"aggregate": 1, "pipeline": own, "cursor": {}},
            doc! {"cursor": {"firstBatch": [{"n": 1}]}},
        ),
    ]);
}

pub fn cases() -> Vec<Case> {
    let short = || Binary {
        subtype: 4,
        bytes: vec![1, 2, 3],
    };
    let whole = || Binary {
        subtype: 4,
        bytes: vec![7; 16],
    };
    let digest = || Binary {
        subtype: 0,
        bytes: vec![0; 32],
    };
    vec![
        good(doc! {"startSession": 1}, doc! {"timeoutMinutes": 30}),
        bad(doc! {"startSession": 1, "maxTimeMS": (-1)}, 2, "maxTimeMS"),
        good(doc! {"ping": 1, "lsid": "<session>"}, doc! {}),
        bad(
            doc! {"ping": 1, "lsid": {"id": whole(), "uid": 1}},
            14,
            "uid' is the wrong type",
        ),
        bad(
            doc! {"ping": 1, "lsid": {"id": whole(), "uid": whole()}},
            14,
            "uid' is the wrong type",
        ),
        bad(
            doc! {"ping": 1, "lsid": {"id": whole(), "uid": Binary { subtype: 0, bytes: vec![0; 31] }}},
            12,
            "hash length: 31",
        ),
        good(
            doc! {"ping": 1, "lsid": {"id": whole(), "uid": digest()}},
            doc! {},
        ),
        bad(
            doc! {"ping": 1, "lsid": {"id": whole(), "txnNumber": 1_i64}},
            72,
            "without specifying txnUUID",
        ),
        bad(
            doc! {"ping": 1, "lsid": {"id": whole(), "txnUUID": whole()}},
            72,
            "outside of transactions",
        ),
        good(doc! {"refreshSessions": ["<session>"]}, doc! {}),
        bad(doc! {"refreshSessions": [{"id": short()}]}, 207, "uuid"),
        good(doc! {"killSessions": ["<session>"]}, doc! {}),
        bad(doc! {"killSessions": [{}]}, 40_414, "id' is missing"),
        good(doc! {"killAllSessions": Value::Array(array![])}, doc! {}),
        good(doc! {"killAllSessions": [{"user": "nobody", "db": "d"}]}, doc! {}),
        bad(
            doc! {"killAllSessions": [{"user": "u"}]},
            40_414,
            "db' is missing",
        ),
        bad(
            doc! {"killAllSessionsByPattern": [{"lsid": "<session>"}]},
            40_414,
            "uid' is missing",
        ),
        good(
            doc! {"killAllSessionsByPattern": [{"lsid": {"id": whole(), "uid": digest()}}]},
            doc! {},
        ),
        bad(
            doc! {"killAllSessionsByPattern": [{"lsid": {}}]},
            40_414,
            "id' is missing",
        ),
        good(doc! {"killAllSessionsByPattern": [{"uid": digest()}]}, doc! {}),
        good(
            doc! {"killAllSessionsByPattern": [{"users": [{"user": "u", "db": "d"}], "roles": [{"role": "r", "db": "d"}]}]},
            doc! {},
        ),
        bad(
            doc! {"killAllSessionsByPattern": [{"users": [{"user": "u"}]}]},
            40_414,
            "db' is missing",
        ),
        bad(
            doc! {"killAllSessionsByPattern": [{"uid": 1}]},
            14,
            "uid' is the wrong type",
        ),
        bad(doc! {"killAllSessionsByPattern": [{"other": 1}]}, 40_415, "other"),
        bad(doc! {"refreshSessions": [], "other": 1}, 40_415, "other"),
        bad(doc! {"endSessions": [], "other": 1}, 40_415, "other"),
        good(doc! {"endSessions": ["<session>"]}, doc! {}),
        bad(doc! {"endSessions": 1}, 14, "endSessions' is the wrong type"),
        bad(doc! {"commitTransaction": 1}, 13, "admin database"),
        bad(doc! {"abortTransaction": 1}, 13, "admin database"),
    ]
}
