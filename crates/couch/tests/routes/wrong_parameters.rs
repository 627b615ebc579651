//! Wrong parameters are refused wherever they stand.

use crate::server::Server;
use testing::http::exchange;

/// Members of a body that no list of documents takes, in CouchDB's order of kinds.
const WRONG: [&str; 14] = [
    r#""limit": "x""#,
    r#""limit": 1.5"#,
    r#""limit": -1"#,
    r#""skip": -1"#,
    r#""skip": []"#,
    r#""include_docs": 5"#,
    r#""inclusive_end": "no""#,
    r#""descending": null"#,
    r#""update_seq": {}"#,
    r#""stable": "foo""#,
    r#""update": "foo""#,
    r#""stale": "foo""#,
    r#""sorted": "foo""#,
    r#""reduce": "foo""#,
];

#[test]
fn wrong_parameters_are_refused_in_bodies_of_all_lists() {
    let server = Server::start();
    assert_eq!(exchange(server.address, "PUT /db", "").status, 201);
    for list in ["_all_docs", "_design_docs", "_local_docs"] {
        for wrong in WRONG {
            let alone = (format!("POST /db/{list}"), format!("{{{wrong}}}"));
            let among = (
                format!("POST /db/{list}/queries"),
                format!(r#"{{"queries": [{{{wrong}}}]}}"#),
            );
            for (request, body) in [alone, among] {
                let answer = exchange(server.address, &request, &body);
                assert_eq!(answer.status, 400, "{request} {body}: {answer}");
                assert!(
                    answer.body.contains("query_parse_error"),
                    "{request} {body}: {answer}"
                );
            }
        }
    }
}

#[test]
fn wrong_parameters_are_refused_in_urls_of_all_lists() {
    let server = Server::start();
    assert_eq!(exchange(server.address, "PUT /db", "").status, 201);
    for list in [
        "db/_all_docs",
        "db/_design_docs",
        "db/_local_docs",
        "_all_dbs",
        "_dbs_info",
    ] {
        for wrong in [
            "update=foo",
            "stale=foo",
            "stable=foo",
            "sorted=foo",
            "reduce=foo",
            "reduce=true",
            "group=true",
            "group_level=2",
            "descending=foo",
            "limit=x",
            "skip=-1",
            "inclusive_end=no",
        ] {
            let request = format!("GET /{list}?{wrong}");
            let answer = exchange(server.address, &request, "");
            assert_eq!(answer.status, 400, "{request}: {answer}");
            assert!(answer.body.contains("query_parse_error"), "{request}: {answer}");
        }
    }
}
