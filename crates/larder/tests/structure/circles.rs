//! Circles of files: files of a crate that need each other must be understood together, so a circle may have only a few.

use crate::levels::LEVELS;
use crate::modules::{Graph, graph};
use crate::{read, root, sources};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// How many files of a crate may need each other, directly or by way of others.
const CIRCLE_FILES_MAX: usize = 8;

#[test]
fn no_more_than_a_few_files_need_each_other() {
    for (name, _) in LEVELS {
        let graph = graph(files(name));
        for circle in circles(&graph) {
            assert!(
                circle.len() <= CIRCLE_FILES_MAX,
                "{} files of {name} need each other: {:#?}",
                circle.len(),
                needs(&graph, &circle)
            );
        }
    }
}

/// The sources of a crate.
fn files(name: &str) -> Vec<(PathBuf, String)> {
    let folder = root().join("crates").join(name).join("src");
    let relative = |path: &Path| path.strip_prefix(&folder).expect("below the folder").to_owned();
    sources(&folder)
        .iter()
        .map(|path| (relative(path), read(path)))
        .collect()
}

/// The strongly connected components of more than one file.
fn circles(graph: &Graph) -> BTreeSet<BTreeSet<&Path>> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> = graph
        .keys()
        .map(|file| (file.as_path(), reached(graph, file)))
        .collect();
    let circle = |file: &Path| {
        let others = reached[file].iter().copied();
        others
            .filter(|other| reached[other].contains(file))
            .collect::<BTreeSet<_>>()
    };
    let circles = reached.keys().map(|file| circle(file));
    circles.filter(|circle| circle.len() > 1).collect()
}

/// What a file needs, directly or by way of others.
fn reached<'g>(graph: &'g Graph, start: &'g Path) -> BTreeSet<&'g Path> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![start];
    while let Some(file) = pending.pop() {
        let needed = graph[file].iter().map(PathBuf::as_path);
        pending.extend(needed.filter(|next| seen.insert(*next)));
    }
    seen
}

/// Each file of a circle, and the others of it that it needs.
fn needs<'g>(graph: &'g Graph, circle: &BTreeSet<&'g Path>) -> BTreeMap<&'g Path, Vec<&'g Path>> {
    let others = |file: &Path| {
        let needed = graph[file].iter().map(PathBuf::as_path);
        needed.filter(|other| circle.contains(other)).collect()
    };
    circle.iter().map(|file| (*file, others(file))).collect()
}

#[test]
fn names_are_followed_to_where_they_are_defined() {
    let files = [
        ("lib.rs", "mod a; mod b; mod d; pub use a::A;"),
        ("a.rs", "use crate::b; pub struct A(Option<Box<b::C>>);"),
        ("b/mod.rs", "mod c; pub(crate) use c::C;"),
        ("b/c.rs", "pub struct C(crate::A); // not crate::d::D"),
        (
            "d.rs",
            "use super::{a::A as Other, b::{self, C}}; #[cfg(test)] mod tests { use crate::e; }",
        ),
        ("e.rs", "use crate::d; pub(in crate::e) struct E;"),
    ];
    let graph = graph(files.map(|(path, text)| (PathBuf::from(path), text.to_owned())));
    let circles = circles(&graph);
    assert_eq!(circles, [["a.rs", "b/c.rs"].map(Path::new).into()].into());
}
