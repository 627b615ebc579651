//! Which crate may use which.

use crate::{read, root};
use std::collections::BTreeMap;
use std::fs;

/// The level of each crate; a crate uses only crates of lower levels (level 0 uses none).
pub const LEVELS: [(&str, u8); 48] = [
    ("backup", 0),
    ("code", 0),
    ("javascript", 0),
    ("kv", 0),
    ("memory", 0),
    ("mustache", 0),
    ("net", 0),
    ("testing", 0),
    ("value", 0),
    ("calendar", 1),
    ("fulltext", 1),
    ("geometry", 1),
    ("http", 1),
    ("json", 1),
    ("logline", 1),
    ("mapping", 1),
    ("painless", 1),
    ("text", 1),
    ("agent", 2),
    ("language", 2),
    ("store", 2),
    ("auth", 3),
    ("ingest", 3),
    ("mango", 3),
    ("querying", 3),
    ("replicate", 3),
    ("peer", 4),
    ("search", 4),
    ("clouseau", 5),
    ("fetch", 5),
    ("suggest", 5),
    ("update", 3),
    ("view", 3),
    ("query", 4),
    ("pipeline", 5),
    ("engine", 6),
    ("access", 7),
    ("indexing", 7),
    ("atlas", 8),
    ("couch", 8),
    ("indices", 8),
    ("mongo", 8),
    ("riak", 8),
    ("syslog", 8),
    ("web", 8),
    ("rest", 9),
    ("elastic", 10),
    ("larder", 11),
];

#[test]
fn crates_use_only_crates_of_lower_levels() {
    let levels = BTreeMap::from(LEVELS);
    for entry in fs::read_dir(root().join("crates")).expect("crates exist") {
        let name = entry
            .expect("readable")
            .file_name()
            .into_string()
            .expect("a UTF-8 name");
        let level = levels
            .get(name.as_str())
            .unwrap_or_else(|| panic!("crate {name} has no level in this test"));
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        for dependency in table_keys(&manifest, "dependencies") {
            if let Some(below) = levels.get(dependency.as_str()) {
                assert!(
                    below < level,
                    "{name} (level {level}) uses {dependency} (level {below})"
                );
            }
        }
    }
}

#[test]
fn only_kv_names_the_embedded_engine() {
    for (name, _) in LEVELS.iter().filter(|(name, _)| *name != "kv") {
        let manifest = read(&root().join("crates").join(name).join("Cargo.toml"));
        assert!(
            !table_keys(&manifest, "dependencies").contains(&"rocksdb".to_owned()),
            "{name} names rocksdb"
        );
    }
}

#[test]
fn protocols_see_neither_the_store_nor_its_keys() {
    for protocol in [
        "mongo", "couch", "access", "elastic", "indices", "rest", "riak", "web", "atlas", "indexing",
    ] {
        let manifest = read(&root().join("crates").join(protocol).join("Cargo.toml"));
        let dependencies = table_keys(&manifest, "dependencies");
        for hidden in ["kv", "store", "query"] {
            assert!(
                !dependencies.contains(&hidden.to_owned()),
                "{protocol} uses {hidden} past the engine"
            );
        }
    }
}

/// The names in one table of a manifest.
fn table_keys(manifest: &str, table: &str) -> Vec<String> {
    let header = format!("[{table}]");
    let lines = manifest.lines().skip_while(|line| line.trim() != header).skip(1);
    let keys = lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['.', '=']).next());
    keys.map(|key| key.trim().to_owned())
        .filter(|key| !key.is_empty())
        .collect()
}
