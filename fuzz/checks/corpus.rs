//! Runs a check over the corpus of its fuzz target, as a test.

use std::path::{Path, PathBuf};

fn files(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/corpus")
        .join(target);
    let files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert!(files.len() > 10, "{} holds the corpus", folder.display());
    files
}

/// Runs one target over its folder, where `valid-…` is to be accepted and `invalid-…` refused, then over every cut and some
/// changed bytes of each file.
pub fn run(target: &str, check: fn(&[u8]) -> bool) {
    for path in files(target) {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let bytes = std::fs::read(&path).unwrap();
        let accepted = check(&bytes);
        if name.starts_with("valid-") || name.starts_with("invalid-") {
            assert_eq!(accepted, name.starts_with("valid-"), "{target}/{name}");
        }
        for at in 0..bytes.len().min(600) {
            check(&bytes[..at]);
            for change in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                let mut changed = bytes.clone();
                changed[at] = change;
                check(&changed);
            }
        }
    }
}
