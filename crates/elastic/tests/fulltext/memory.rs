//! The memory that searches by a full-text index hold.

use super::server::Servers;
use memory::{Budget, Holder, Usage};
use serde_json::json;
use std::fmt::Write;

const BUDGET_BYTES: usize = 64 << 10;

fn usage(budget: &Budget, holder: Holder) -> Usage {
    let all = budget.usage();
    all.into_iter().find(|usage| usage.holder == holder).unwrap()
}

/// Documents with a number, of which each fourth has a word.
pub fn bulk(numbers: std::ops::Range<usize>) -> String {
    let mut body = String::new();
    for number in numbers {
        let word = if number % 4 == 0 { "fourth" } else { "other" };
        let line = json!({"n": format!("{number:06}"), "text": word, "@timestamp": 1_700_000_000_000_u64 + number as u64});
        writeln!(
            body,
            "{{\"index\": {{\"_index\": \"lines\", \"_id\": \"{number}\"}}}}\n{line}"
        )
        .unwrap();
    }
    body
}

#[test]
fn candidates_that_do_not_fit_are_refused() {
    let budget = Budget::new(BUDGET_BYTES);
    let servers = Servers::within(budget.clone());
    servers.make();
    for first in (0..10_000).step_by(1_000) {
        servers.bulk(&bulk(first..first + 1_000));
    }
    servers.wait_until_indexed();
    let search = json!({"size": 1, "sort": ["n.keyword"], "query": {"match": {"text": "fourth"}}});
    let refused = usage(&budget, Holder::Searches).refused;
    let (by_index, by_documents) = servers.answers("/lines/_search", &search);
    // Documents are read one by one, and one hit is kept.
    assert_eq!(by_documents["hits"]["hits"][0]["_id"], "0", "{by_documents}");
    assert_eq!(
        by_index["error"]["type"], "circuit_breaking_exception",
        "{by_index}"
    );
    assert!(
        by_index["error"]["reason"].as_str().unwrap().contains("--memory"),
        "{by_index}"
    );
    let held = usage(&budget, Holder::Searches);
    assert!(held.refused > refused && held.held_bytes == 0, "{held:?}");
}

#[test]
fn without_memory_for_what_an_index_has_not_taken_in_the_documents_are_read() {
    let budget = Budget::new(8 * BUDGET_BYTES);
    let servers = Servers::within(budget.clone());
    servers.make();
    servers.bulk(&bulk(0..400));
    servers.wait_until_indexed();
    let search = json!({"size": 2, "sort": ["n.keyword"], "query": {"match": {"text": "fourth"}}});
    let few = servers.answers("/lines/_search", &search);
    assert_eq!(few.0, few.1);
    let before = usage(&budget, Holder::Tails);
    let _held = servers.take_memory_of_indexing(&bulk(0..1));
    servers.bulk(&bulk(400..1_400));
    let (by_index, by_documents) = servers.answers("/lines/_search", &search);
    assert_eq!(by_index, by_documents);
    assert_eq!(by_index["hits"]["total"]["value"], 350, "{by_index}");
    let after = usage(&budget, Holder::Tails);
    assert!(after.refused > before.refused, "{after:?}");
    assert!(after.held_bytes_max <= after.limit_bytes, "{after:?}");
}
