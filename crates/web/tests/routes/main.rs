//! Every path and method with a good and a bad request, over HTTP.
//!
//! A path without cases here fails `every_path_has_a_good_and_a_bad_request`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod api;
mod backups;
mod files;
#[path = "../../../larder/src/mounts.rs"]
mod mounts;
mod page_build;
mod page_files;
#[path = "../../build/script/mod.rs"]
mod script;
mod server;
mod session;
mod uploads;

use server::{Server, run};
use std::collections::BTreeSet;
use testing::http::{Case, case, exchange};
use testing::routes::{answering, routes};

#[test]
fn server_health_and_metrics() {
    run(SERVER);
}

const SERVER: &[Case] = &[
    case("GET /health", "", 200, r#"{"status": "ok"}"#),
    case("HEAD /health", "", 200, ""),
    case("POST /health", "", 405, "Allow: GET, HEAD\n\n"),
    case("GET /metrics", "", 200, "larder_"),
    case("HEAD /metrics", "", 200, ""),
    case("GET /metrics?format=json", "", 200, r#""larder_documents":"#),
    case(
        "GET /metrics?format=xml",
        "",
        200,
        r#"<figure name="larder_documents""#,
    ),
    case("GET /metrics?format=csv", "", 400, "prometheus, json or xml"),
    case("GET /metrics.css", "", 200, "figures {"),
    case("HEAD /metrics.css", "", 200, ""),
    case("PUT /metrics.css", "", 405, "Allow: GET, HEAD\n\n"),
    case("DELETE /metrics", "", 405, "Allow: GET, HEAD\n\n"),
    case("GET /nothing/here", "", 404, r#"{"error": "not_found"}"#),
];

fn cases() -> impl Iterator<Item = &'static Case> {
    [
        api::CASES,
        backups::CASES,
        files::CASES,
        session::CASES,
        uploads::CASES,
        SERVER,
    ]
    .into_iter()
    .flatten()
}

/// The parts of the path, as the router takes it apart. Uploads have addresses that only the server knows.
fn parts(case: &Case) -> Vec<&'static str> {
    let path = match case.path() {
        "<location>" => "/uploads/photos/0123456789abcdef01234567",
        path => path,
    };
    path.trim_start_matches('/').splitn(3, '/').collect()
}

#[test]
fn every_path_has_a_good_and_a_bad_request() {
    let table = routes(include_str!("../../src/route.rs"), "run", "");
    for is_good in [true, false] {
        let asked: BTreeSet<String> = cases()
            .filter(|case| case.is_good() == is_good)
            .flat_map(|case| answering(&table, &parts(case)))
            .map(ToString::to_string)
            .collect();
        let missing: Vec<_> = table
            .iter()
            .map(ToString::to_string)
            .filter(|route| !asked.contains(route))
            .collect();
        assert!(missing.is_empty(), "no request (good: {is_good}) for {missing:?}");
    }
}

#[test]
fn every_method_that_a_path_takes_has_a_good_request() {
    let table = routes(include_str!("../../src/route.rs"), "run", "");
    let server = Server::start();
    let good = || cases().filter(|case| case.is_good());
    // What is mounted has its own table, and a stream that does not end its own test.
    let own = |case: &&Case| {
        let parts = parts(case);
        let mounted = [["api", "couch"], ["api", "elastic"], ["api", "tail"]];
        !mounted.iter().any(|mounted| parts.starts_with(mounted))
    };
    for case in good().filter(own) {
        let target = format!("/{}", parts(case).join("/"));
        let answer = exchange(
            server.address,
            &format!("BREW {target}\nTus-Resumable: 1.0.0"),
            "",
        );
        let allowed = answer.header("allow").unwrap_or_default();
        assert!(!allowed.is_empty(), "{target} takes any method");
        let route = answering(&table, &parts(case)).pop().unwrap();
        for method in allowed.split(", ") {
            let is_asked = good().any(|other| {
                other.method() == method && answering(&table, &parts(other)).pop() == Some(route)
            });
            assert!(is_asked, "no good request {method} {route}");
        }
    }
}
