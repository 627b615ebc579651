//! The rules of the tree that a tool can check: crate levels, paths named in the documentation, file sizes.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The level of each crate; a crate uses only crates of lower levels (level 0 uses none).
const LEVELS: [(&str, u8); 19] = [
    ("code", 0),
    ("kv", 0),
    ("net", 0),
    ("testing", 0),
    ("value", 0),
    ("http", 1),
    ("language", 1),
    ("store", 1),
    ("auth", 2),
    ("mango", 2),
    ("query", 2),
    ("replicate", 2),
    ("view", 2),
    ("pipeline", 3),
    ("engine", 4),
    ("couch", 5),
    ("mongo", 5),
    ("web", 5),
    ("larder", 6),
];

const FILE_LINES_MAX: usize = 600;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the workspace exists")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
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
    for protocol in ["mongo", "couch", "web"] {
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

#[test]
fn paths_named_in_the_documentation_exist() {
    let root = root();
    let mut pages = vec!["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"]
        .into_iter()
        .map(|p| root.join(p))
        .collect::<Vec<_>>();
    pages.extend(
        fs::read_dir(root.join("docs"))
            .expect("docs exist")
            .map(|entry| entry.expect("readable").path()),
    );
    for page in pages {
        let text = read(&page);
        let missing: Vec<_> = named_paths(&text)
            .into_iter()
            .filter(|path| !root.join(path).exists())
            .collect();
        assert!(
            missing.is_empty(),
            "{} names what does not exist: {missing:?}",
            page.display()
        );
    }
}

/// What stands in backquotes, or is linked, and begins with a folder of the project.
fn named_paths(text: &str) -> Vec<String> {
    const FOLDERS: [&str; 6] = ["crates/", "docs/", "experiments/", "fuzz/", "tests/", "tools/"];
    let quoted = text.split('`').skip(1).step_by(2);
    let linked = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split([')', '#']).next());
    quoted
        .chain(linked)
        .filter(|path| FOLDERS.iter().any(|folder| path.starts_with(folder)))
        .filter(|path| !path.contains(['*', ' ', '<', '{']))
        .map(str::to_owned)
        .collect()
}

#[test]
fn source_files_hold_one_idea() {
    let mut pending = vec![root().join("crates")];
    let mut too_long = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(folder).expect("readable") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let lines = read(&path).lines().count();
                if lines > FILE_LINES_MAX {
                    too_long.push(format!("{} ({lines} lines)", path.display()));
                }
            }
        }
    }
    assert!(
        too_long.is_empty(),
        "longer than {FILE_LINES_MAX} lines: {too_long:#?}"
    );
}
