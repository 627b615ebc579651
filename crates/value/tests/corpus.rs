//! The fuzz targets' corpora, run as a test: `valid-…` is accepted, `invalid-…` is refused, nothing panics.

#![allow(clippy::unwrap_used, reason = "a test that goes wrong should say so loudly")]

#[path = "../../../fuzz/checks/value.rs"]
mod checks;

use std::path::Path;

/// Runs one target over its folder.
fn run(target: &str, check: fn(&[u8]) -> bool) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let accepted = check(&std::fs::read(&path).unwrap());
        if name.starts_with("valid-") || name.starts_with("invalid-") {
            assert_eq!(accepted, name.starts_with("valid-"), "{target}/{name}");
        }
        count += 1;
    }
    assert!(count > 10, "{} holds the corpus", folder.display());
}

#[test]
fn raw_documents() {
    run("raw_document", checks::raw_document);
}

#[test]
fn json_texts() {
    run("json", checks::json);
}

#[test]
fn keys() {
    run("key", checks::key);
}

/// Every cut and every changed byte of the valid documents: most are refused, none may panic.
#[test]
fn documents_with_one_byte_changed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/raw_document");
    for entry in std::fs::read_dir(folder).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        for at in 0..bytes.len().min(600) {
            checks::raw_document(&bytes[..at]);
            for change in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] = change;
                checks::raw_document(&changed);
            }
        }
    }
}
