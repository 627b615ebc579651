//! Logging in while nobody has to.

use crate::blanks::bytes;
use crate::case::{Case, bad, good, run};
use value::{Value, array, doc};

#[test]
fn commands_for_logins_get_mongodbs_answers() {
    run(&cases());
}

pub fn cases() -> Vec<Case> {
    vec![
        good(
            doc! {"connectionStatus": 1, "showPrivileges": true},
            doc! {"authInfo": {"authenticatedUsers": Value::Array(array![])}},
        ),
        bad(
            doc! {"connectionStatus": 1, "showPrivileges": "x"},
            14,
            "wrong type",
        ),
        bad(
            doc! {"saslContinue": 1, "conversationId": 1, "payload": bytes(b"")},
            17,
            "No SASL session",
        ),
        bad(
            doc! {"saslStart": 1, "mechanism": "PLAIN", "payload": bytes(b"")},
            334,
            "PLAIN",
        ),
        good(
            doc! {"saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": bytes(b"n,,n=nobody,r=abc")},
            doc! {"conversationId": 1, "done": false},
        ),
        bad(
            doc! {"saslContinue": 1, "conversationId": 9, "payload": bytes(b"")},
            17,
            "Mismatched",
        ),
        bad(
            doc! {"saslContinue": 1, "conversationId": 1.0, "payload": bytes(b"")},
            14,
            "expected type 'int'",
        ),
        bad(
            doc! {"saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": 1},
            2,
            "Expected Base64 or BinData",
        ),
        bad(
            doc! {"saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": bytes(b""), "no": 1},
            40_415,
            "'saslStart.no'",
        ),
        bad(
            doc! {"authenticate": 1, "mechanism": "MONGODB-X509", "no": 1},
            40_415,
            "'authenticate.no'",
        ),
        bad(
            doc! {"authenticate": 1, "mechanism": "MONGODB-X509"},
            18,
            "certificate",
        ),
        good(doc! {"logout": 1}, doc! {}),
        bad(doc! {"logout": 1, "maxTimeMS": (-1)}, 2, "maxTimeMS"),
    ]
}
