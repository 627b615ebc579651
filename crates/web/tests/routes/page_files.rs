//! The files of the page: third-party files are unchanged, no file uses what the policy forbids, and all together stay small.

use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Compressed bytes of all files: what a slow line takes in a second or two.
const BYTES_MAX: usize = 245_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

#[test]
fn files_of_others_are_those_that_are_named() {
    let vendor = root().join("vendor");
    let table = fs::read_to_string(vendor.join("vendor.toml")).unwrap();
    let values = |name: &str| -> Vec<String> {
        let lines = table
            .lines()
            .filter_map(|line| line.strip_prefix(&format!("{name} = \"")));
        lines.map(|line| line.trim_end_matches('"').to_owned()).collect()
    };
    let named = values("name");
    for (name, wanted) in named.iter().zip(values("sha256")) {
        let content = fs::read(vendor.join(name)).unwrap();
        assert_eq!(value::hex(&Sha256::digest(content)), wanted, "{name}");
    }
    let mut present = Vec::new();
    files(&vendor, &mut present);
    for path in present {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_known = named.contains(&name) || ["vendor.toml", "LICENSES"].contains(&name.as_str());
        assert!(is_known, "vendor.toml does not name {name}");
    }
}

#[test]
fn no_file_uses_what_the_policy_forbids_and_all_stay_small() {
    let mut found = Vec::new();
    files(&root(), &mut found);
    let mut bytes = 0;
    for path in found {
        let content = fs::read(&path).unwrap();
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&content).unwrap();
        bytes += encoder.finish().unwrap().len();
        if path.components().any(|part| part.as_os_str() == "vendor") {
            continue;
        }
        let text = String::from_utf8(content).unwrap();
        for forbidden in [
            "innerHTML",
            "eval(",
            "new Function",
            " style=\"",
            "document.write",
            "http://",
            "https://",
        ] {
            let is_name = text.contains(forbidden) && !text.contains("http://www.w3.org/2000/svg");
            assert!(!is_name, "{} has {forbidden}", path.display());
        }
    }
    assert!(
        bytes <= BYTES_MAX,
        "the page has {bytes} bytes compressed, more than {BYTES_MAX}"
    );
}
