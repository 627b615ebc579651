//! Sessions, and ending what runs under them. There are no transactions to end yet.

use crate::case::{Case, bad, good, run};
use value::{Binary, Value, array, doc};

#[test]
fn sessions() {
    run(&cases());
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
        good(doc! {"refreshSessions": ["<session>"]}, doc! {}),
        bad(doc! {"refreshSessions": [{"id": short()}]}, 207, "uuid"),
        good(doc! {"killSessions": ["<session>"]}, doc! {}),
        bad(doc! {"killSessions": [{}]}, 40_414, "id' is missing"),
        good(doc! {"killAllSessions": Value::Array(array![])}, doc! {}),
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
