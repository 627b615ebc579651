//! A search with a full-text index returns what a search that reads every document returns.
//!
//! Two servers share one store: one keeps a full-text index, the other reads every document. Over random histories of
//! inserts, updates, deletes, new mappings and restarts both must give the same answers to random searches.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

mod asking;
mod histories;
mod memory;
mod profile;
mod server;

use asking::search;
use histories::History;
use serde_json::{Value, json};
use server::Servers;
use testing::{Random, seeds};

const SEEDS: u64 = 2;
const ROUNDS: u64 = 6;
const SEARCHES: u64 = 40;

#[test]
fn an_index_and_the_documents_give_the_same_answers() {
    for seed in seeds(SEEDS) {
        let mut random = Random::new(seed);
        let mut servers = Servers::start();
        let mut history = History::default();
        let mut asked: Vec<Value> = Vec::new();
        servers.make();
        for round in 0..ROUNDS {
            servers.bulk(&history.writes(&mut random));
            servers.replicate(history.branches(&mut random));
            match random.below(4) {
                0 => servers.restart(),
                // The newest writes are not in the index yet: they are its tail.
                1 => {}
                _ => servers.wait_until_indexed(),
            }
            if round == 3 {
                // Documents that are in the index by now were indexed without this field.
                let more = json!({"text": {"type": "keyword"}});
                let mapping = json!({"properties": {"size": {"type": "long", "fields": more}}});
                servers.put("/lines/_mapping", &mapping);
            }
            for at in 0..SEARCHES {
                if at % 8 == 7 {
                    // The tail that earlier searches have read is extended.
                    servers.bulk(&history.writes(&mut random));
                    servers.replicate(history.branches(&mut random));
                }
                // Results of earlier equal searches are used again if they still hold.
                let again = asked.get(random.below(3 * asked.len() as u64 + 1) as usize);
                let body = again.cloned().unwrap_or_else(|| search(&mut random));
                let (by_index, by_documents) = servers.answers("/lines/_search", &body);
                assert_eq!(
                    by_index, by_documents,
                    "seed {seed}, round {round}, search {at}: {body}"
                );
                asked.push(body);
            }
        }
    }
}

#[test]
fn the_index_of_a_collection_that_is_gone_is_removed_at_the_next_start() {
    let mut servers = Servers::start();
    servers.make();
    let mut random = Random::new(1);
    servers.bulk(&History::default().writes(&mut random));
    servers.wait_until_indexed();
    let present = servers.folders();
    assert_eq!(present.len(), 1);
    servers.leave_folder("0123456789abcdef0123456789abcdef");
    servers.restart();
    assert_eq!(servers.folders(), present);
}

#[test]
fn an_index_that_cannot_be_opened_is_behind_by_all_changes() {
    let mut servers = Servers::start();
    servers.make();
    let document =
        |id: u32| format!("{{\"index\":{{\"_index\":\"lines\",\"_id\":\"{id}\"}}}}\n{{\"size\":{id}}}\n");
    servers.bulk(&(0..20).map(document).collect::<String>());
    servers.wait_until_indexed();
    servers.wait_until_behind(|changes| changes == 0);
    let in_its_place = servers.restart_without_index();
    let body = json!({"query": {"range": {"size": {"gte": 5}}}});
    let (by_index, by_documents) = servers.answers("/lines/_search", &body);
    assert_eq!(by_index["hits"]["total"]["value"], 15);
    assert_eq!(by_index, by_documents);
    servers.wait_until_behind(|changes| changes >= 20);
    // The index is tried again repeatedly.
    std::fs::remove_file(in_its_place).unwrap();
    servers.wait_until_behind(|changes| changes == 0);
}

#[test]
fn figures_say_whether_there_is_an_index_that_makes_searches_quick() {
    let servers = Servers::start();
    servers.make();
    let is_warm = || servers.get("/lines/_stats/warmer")["_all"]["primaries"]["warmer"]["total"] == 1;
    assert!(!is_warm());
    servers.bulk(&memory::bulk(0..50));
    servers.answers("/lines/_search", &json!({}));
    servers.wait_until_indexed();
    assert!(is_warm());
}

#[test]
fn new_documents_remove_no_entries_from_the_index() {
    let servers = Servers::start();
    servers.make();
    servers.bulk(&memory::bulk(0..500));
    servers.wait_until_indexed();
    let before = servers.operations();
    servers.bulk(&memory::bulk(500..1_500));
    servers.wait_until_indexed();
    let for_entries = servers.operations() - before;
    assert!((1_000..1_200).contains(&for_entries), "{for_entries}");
}

#[test]
fn a_write_is_found_by_the_next_search() {
    let servers = Servers::start();
    servers.make();
    for number in 0..50 {
        servers.bulk(&format!(
            "{{\"index\":{{\"_index\":\"lines\",\"_id\":\"{number}\"}}}}\n{{\"message\":\"line number{number}\"}}\n"
        ));
        let body = json!({"query": {"match": {"message": format!("number{number}")}}});
        let (by_index, by_documents) = servers.answers("/lines/_search", &body);
        assert_eq!(by_index["hits"]["total"]["value"], 1);
        assert_eq!(by_index, by_documents);
    }
}
