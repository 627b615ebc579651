//! Every path that the documentation names exists.

use crate::{read, root};
use std::fs;

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

/// Texts in backquotes and link targets that begin with a folder of the project.
fn named_paths(text: &str) -> Vec<String> {
    const FOLDERS: [&str; 7] = [
        "crates/",
        "docs/",
        "examples/",
        "experiments/",
        "fuzz/",
        "tests/",
        "tools/",
    ];
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
