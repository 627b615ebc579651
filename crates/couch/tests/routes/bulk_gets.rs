//! Multipart answers of `_bulk_get`.

use crate::server::Server;
use testing::http::{Answer, case, exchange, faults};

const ASKED: &str =
    r#"{"docs": [{"id": "a"}, {"id": "b"}, {"id": "a", "rev": "9-x"}, {"id": "no"}, {"rev": "1-x"}]}"#;

fn bulk_get(server: &Server, accepted: &str, asked: &str) -> Answer {
    let request = format!("POST /db/_bulk_get\nAccept: {accepted}");
    exchange(server.address, &request, asked)
}

fn start() -> Server {
    let server = Server::start();
    let cases = [
        case("PUT /db", "", 201, ""),
        case(
            "PUT /db/a",
            r#"{"_attachments": {"note": {"content_type": "image/x-note", "data": "aGFsbG8="}}}"#,
            201,
            "",
        ),
        case("PUT /db/b", r#"{"plain": true}"#, 201, ""),
    ];
    let faults = faults(server.address, &cases);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    server
}

#[test]
fn documents_come_in_parts_to_clients_that_take_no_json() {
    let server = start();
    let answer = bulk_get(&server, "multipart/mixed", ASKED);
    assert_eq!(answer.status, 200, "{answer}");
    let kind = answer.header("content-type").unwrap_or_default();
    let boundary = kind.strip_prefix("multipart/mixed; boundary=").unwrap();
    let boundary = boundary.trim_matches('"');
    let between = format!("\r\n--{boundary}");
    let parts: Vec<&str> = answer.body.split(between.as_str()).collect();
    let wanted = [
        &[
            "\r\nX-Doc-Id: a\r\nX-Rev-Id: 1-",
            "multipart/related; boundary=",
            "hallo",
        ][..],
        &["\r\nContent-Type: application/json\r\n\r\n{", "\"plain\":true"],
        &[
            "; error=\"true\"",
            r#"{"rev":"9-x","error":"not_found","reason":"missing"}"#,
        ],
        &[
            "; error=\"true\"",
            r#"{"id":"no","rev":"undefined","error":"not_found","reason":"missing"}"#,
        ],
        &[
            "; error=\"true\"",
            r#""error":"bad_request","reason":"document id missed"}"#,
        ],
    ];
    // What stands before the first boundary, the parts, and what ends the last one.
    assert_eq!((parts.len(), parts[0]), (wanted.len() + 2, ""), "{answer}");
    for (part, wanted) in parts[1..].iter().zip(wanted) {
        for wanted in wanted {
            assert!(part.contains(wanted), "{wanted} is not in {part}");
        }
    }
    assert_eq!(parts.last(), Some(&"--\r\n"));
}

#[test]
fn documents_come_as_json_to_clients_that_take_it() {
    let server = start();
    for accepted in [
        "application/json",
        "*/*",
        "multipart/mixed, application/json",
        "text/plain",
    ] {
        let answer = bulk_get(&server, accepted, r#"{"docs": [{"id": "b"}]}"#);
        assert!(answer.body.starts_with(r#"{"results""#), "{answer}");
    }
    let related = bulk_get(&server, "multipart/related", r#"{"docs": []}"#);
    let kind = related.header("content-type").unwrap_or_default();
    assert!(kind.starts_with("multipart/related"), "{related}");
    assert_eq!(related.body, "");
}
