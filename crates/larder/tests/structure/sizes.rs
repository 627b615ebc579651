//! The length of files and crates.

use crate::levels::LEVELS;
use crate::{read, root, sources};

const FILE_LINES_MAX: usize = 600;

/// The limit on the lines of a crate's sources, without its tests.
const CRATE_LINES_MAX: usize = 18_000;

#[test]
fn source_files_hold_one_idea() {
    let lengths = sources(&root().join("crates")).into_iter().map(|path| {
        let lines = read(&path).lines().count();
        (lines, path)
    });
    let too_long: Vec<_> = lengths.filter(|(lines, _)| *lines > FILE_LINES_MAX).collect();
    assert!(
        too_long.is_empty(),
        "longer than {FILE_LINES_MAX} lines: {too_long:#?}"
    );
}

#[test]
fn crates_can_be_kept_in_mind() {
    for (name, _) in LEVELS {
        let files = sources(&root().join("crates").join(name).join("src"));
        let lines: usize = files.iter().map(|path| read(path).lines().count()).sum();
        assert!(
            lines <= CRATE_LINES_MAX,
            "{name} has {lines} lines, more than {CRATE_LINES_MAX}"
        );
    }
}
