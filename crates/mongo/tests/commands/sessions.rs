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
    vec![
        good(doc! {"startSession": 1}, doc! {"timeoutMinutes": 30}),
        bad(doc! {"startSession": 1, "maxTimeMS": (-1)}, 2, "maxTimeMS"),
        good(doc! {"ping": 1, "lsid": "<session>"}, doc! {}),
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
        good(
            doc! {"killAllSessionsByPattern": [{"lsid": "<session>"}]},
            doc! {},
        ),
        bad(
            doc! {"killAllSessionsByPattern": [{"lsid": {}}]},
            40_414,
            "id' is missing",
        ),
        good(doc! {"endSessions": ["<session>"]}, doc! {}),
        bad(doc! {"endSessions": 1}, 14, "endSessions' is the wrong type"),
        bad(doc! {"commitTransaction": 1}, 13, "admin database"),
        bad(doc! {"abortTransaction": 1}, 13, "admin database"),
    ]
}
