//! Every endpoint with a good and a bad request, over HTTP on a store in memory.
//!
//! An endpoint without cases here fails `every_endpoint_has_a_good_and_a_bad_request`. Statuses, types and reasons are
//! Elasticsearch's.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

mod administration;
mod aggregations;
mod aliases;
mod buckets;
mod clients;
mod cluster;
mod corpora;
mod documents;
mod fields;
mod flattened;
mod found;
mod indices;
mod java;
mod kept;
mod libraries;
mod memory;
mod operations;
mod paging;
mod pipelines;
mod queries;
mod refused;
mod relevance;
mod routing;
mod scoring;
mod scripted;
mod scripts;
mod searches;
mod security;
mod server;
mod shorts;
mod shown;
mod streams;
mod templates;
mod unsigned;
mod vectors;

use std::collections::BTreeSet;
use testing::http::Case;
use testing::routes::{Route, answering, routes};

/// The routes by the functions that find them, in the order of what [`table`] gives.
fn tables() -> [Vec<Route>; 6] {
    let source = include_str!("../../src/route.rs");
    // Of two functions of which one asks the other. That of exact names stands first: the other's last patterns take any name.
    let both = |exact, asking| {
        let mut both = routes(source, exact, "");
        both.extend(routes(source, asking, ""));
        both
    };
    [
        both("of_whole_index", "of_index"),
        both("of_server", "global"),
        routes(source, "of_cluster", ""),
        routes(source, "templates", ""),
        routes(source, "tables", "_cat"),
        routes(source, "of_repositories", ""),
    ]
}

/// Which routing function gets a path with this beginning.
fn table(first: Option<&str>) -> usize {
    match first {
        Some("_cluster" | "_nodes" | "_tasks") => 2,
        Some("_template" | "_index_template" | "_component_template") => 3,
        Some("_cat") => 4,
        Some("_snapshot") => 5,
        Some(first) if first.starts_with('_') && first != "_all" => 1,
        _ => 0,
    }
}

fn cases() -> impl Iterator<Item = &'static Case> {
    [
        administration::CASES,
        aliases::CASES,
        clients::CASES,
        cluster::CASES,
        documents::CASES,
        fields::CASES,
        flattened::CASES,
        indices::CASES,
        java::CASES,
        kept::CASES,
        libraries::CASES,
        paging::CASES,
        pipelines::CASES,
        routing::CASES,
        scripted::CASES,
        scripts::CASES,
        streams::CASES,
        templates::CASES,
        queries::CASES,
        refused::CASES,
        searches::CASES,
        security::CASES,
        vectors::CASES,
    ]
    .into_iter()
    .flatten()
}

/// The routes that answer a case.
fn answered<'t>(tables: &'t [Vec<Route>; 6], case: &Case) -> Vec<&'t Route> {
    let parts = case.parts();
    answering(&tables[table(parts.first().copied())], &parts)
}

#[test]
fn every_endpoint_has_a_good_and_a_bad_request() {
    let tables = tables();
    for is_good in [true, false] {
        let asked: BTreeSet<String> = cases()
            .filter(|case| case.is_good() == is_good)
            .flat_map(|case| answered(&tables, case))
            .map(ToString::to_string)
            .collect();
        let all = tables.iter().flatten().map(ToString::to_string);
        let missing: Vec<_> = all.filter(|route| !asked.contains(route)).collect();
        assert!(missing.is_empty(), "no request (good: {is_good}) for {missing:?}");
    }
}
