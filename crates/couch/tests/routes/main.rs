//! Every endpoint and method, with a good and a bad request, over HTTP on a store in memory.
//!
//! An endpoint without cases here fails `every_endpoint_has_a_good_and_a_bad_request`. Statuses, errors and reasons are CouchDB's.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod accounts;
mod bulk_gets;
mod couchapps;
mod databases;
mod documents;
mod edits;
mod feeds;
mod grouped_searches;
mod headers;
mod local_documents;
mod logins;
mod nouveau_searches;
mod parameters;
mod queries;
mod replications;
mod rights;
mod selectors;
mod server;
mod server_endpoints;
mod shards;
mod text_queries;
mod text_searches;
mod user_databases;
mod users;
mod wrong_parameters;

use server::Server;
use std::collections::BTreeSet;
use testing::http::{Case, exchange};
use testing::routes::{Route, answering, routes};

macro_rules! source {
    ($path:literal) => {
        include_str!(concat!("../../src/", $path))
    };
}

/// The functions that route, and what of a path is behind them.
const ROUTERS: [(&str, &str, &str); 10] = [
    (source!("route.rs"), "endpoint", ""),
    (source!("route.rs"), "global", ""),
    (source!("route.rs"), "special", "*"),
    (source!("endpoints/node.rs"), "run", "_node/*"),
    (source!("endpoints/reshard.rs"), "run", "_reshard"),
    (source!("endpoints/scheduler.rs"), "run", "_scheduler"),
    (source!("endpoints/scheduler.rs"), "documents", "_scheduler/docs"),
    (source!("endpoints/partition.rs"), "run", "*/_partition"),
    (source!("endpoints/partition.rs"), "within", "*/_partition/*"),
    (source!("endpoints/mango/index.rs"), "run", "*/_index"),
];

/// Routes that refuse whatever they are asked.
const REFUSED: [&str; 9] = [
    "/_utils/…",
    "/_node",
    "/*/_local",
    "/*/_local/…",
    "/*/_temp_view",
    "/_node/*/_restart",
    "/_reshard/jobs/*",
    "/_reshard/jobs/*/state",
    "/*/_partition",
];

fn tables() -> Vec<Vec<Route>> {
    let table = |(source, function, prefix): &(&str, &str, &str)| routes(source, function, prefix);
    ROUTERS.iter().map(table).collect()
}

fn cases() -> Vec<Case> {
    let mut cases = databases::CASES.to_vec();
    cases.extend(documents::cases());
    cases.extend(local_documents::CASES);
    cases.extend(queries::cases());
    cases.extend(couchapps::CASES);
    cases.extend(server_endpoints::cases());
    cases.extend(shards::CASES);
    cases.extend(replications::CASES);
    cases.extend(text_searches::cases());
    cases.extend(grouped_searches::cases());
    cases.extend(text_queries::cases());
    cases
}

/// The routes that answer a case, from each table. Below `/_…` there are no databases but those of the system.
fn answered<'t>(tables: &'t [Vec<Route>], case: &Case) -> Vec<&'t Route> {
    let parts = case.parts();
    let is_global = parts.first().is_some_and(|first| first.starts_with('_'));
    let asked = tables
        .iter()
        .zip(ROUTERS)
        .filter(|(_, (_, _, prefix))| !(is_global && prefix.starts_with('*')));
    asked.flat_map(|(table, _)| answering(table, &parts)).collect()
}

#[test]
fn every_endpoint_has_a_good_and_a_bad_request() {
    let (tables, cases) = (tables(), cases());
    let routes: BTreeSet<String> = tables.iter().flatten().map(ToString::to_string).collect();
    let refused = BTreeSet::from(REFUSED.map(str::to_owned));
    let asked = |is_good: bool| -> BTreeSet<String> {
        let asked = cases.iter().filter(|case| case.is_good() == is_good);
        asked
            .flat_map(|case| answered(&tables, case))
            .map(ToString::to_string)
            .collect()
    };
    let (good, bad) = (asked(true), asked(false));
    let missing: Vec<_> = routes
        .difference(&good)
        .filter(|route| !refused.contains(*route))
        .collect();
    assert!(missing.is_empty(), "no good request for {missing:?}");
    let missing: Vec<_> = routes.difference(&bad).collect();
    assert!(missing.is_empty(), "no bad request for {missing:?}");
    let gone: Vec<_> = refused
        .difference(&routes)
        .chain(refused.intersection(&good))
        .collect();
    assert!(gone.is_empty(), "no longer refused: {gone:?}");
}

#[test]
fn every_method_that_an_endpoint_takes_has_a_good_request() {
    let (tables, cases) = (tables(), cases());
    let server = Server::start();
    for database in ["/db", "/parts?partitioned=true"] {
        assert_eq!(
            exchange(server.address, &format!("PUT {database}"), "").status,
            201
        );
    }
    let route = |case: &Case| answered(&tables, case).last().map(ToString::to_string);
    let good: Vec<_> = cases
        .iter()
        .filter(|case| case.is_good())
        .map(|case| (case.method(), route(case)))
        .collect();
    let asked: BTreeSet<_> = good.into_iter().collect();
    let mut missing = BTreeSet::new();
    for case in cases.iter().filter(|case| case.is_good()) {
        let answer = exchange(server.address, &format!("BREW /{}", case.parts().join("/")), "");
        let methods = answer
            .header("allow")
            .unwrap_or_default()
            .split(',')
            .map(str::trim);
        for method in methods.filter(|method| !["", "HEAD"].contains(method)) {
            if !asked.contains(&(method, route(case))) {
                missing.insert(format!("{method} {}", route(case).unwrap_or_default()));
            }
        }
    }
    assert!(missing.is_empty(), "no good request for {missing:?}");
}
