//! Every endpoint with a good and a bad request, over HTTP on a store in memory.
//!
//! An endpoint without cases here fails `every_endpoint_has_a_good_and_a_bad_request`. Statuses, types and reasons are
//! Elasticsearch's.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

mod aggregations;
mod documents;
mod indices;
mod searches;
mod server;

use std::collections::BTreeSet;
use testing::http::Case;
use testing::routes::{Route, answering, routes};

fn tables() -> [Vec<Route>; 2] {
    let source = include_str!("../../src/route.rs");
    [routes(source, "global", ""), routes(source, "of_index", "")]
}

fn cases() -> impl Iterator<Item = &'static Case> {
    [documents::CASES, indices::CASES, searches::CASES]
        .into_iter()
        .flatten()
}

/// The routes that answer a case.
fn answered<'t>(tables: &'t [Vec<Route>; 2], case: &Case) -> Vec<&'t Route> {
    let parts = case.parts();
    let is_global = parts
        .first()
        .is_some_and(|first| first.starts_with('_') && *first != "_all");
    answering(&tables[usize::from(!is_global)], &parts)
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
