//! Which file of a crate needs which other, read from the paths in its source.
//!
//! A path stands in a `use` or in the code and begins with `crate`, `super`, `self`, or a name that the file declares or
//! imports. It leads to the file that holds what it names, past those that only hand the name on (`pub use`), which
//! themselves need nothing of it. Unit tests, which stand at the end of a file, may need what they like.

use crate::source::{Import, imports, paths, split, tokens};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The path of a module within its crate: `crate::a::b` is `["a", "b"]`.
type Module = Vec<String>;

/// The files of a crate and, for each, those that it needs.
pub type Graph = BTreeMap<PathBuf, BTreeSet<PathBuf>>;

/// The graph of a crate's files, each with its path below the folder of the sources and its text.
pub fn graph(files: impl IntoIterator<Item = (PathBuf, String)>) -> Graph {
    let file = |(path, text): (PathBuf, String)| (module_of(&path), File::read(path, &text));
    let files: Files = files.into_iter().map(file).collect();
    let needs = |(module, file): (&Module, &File)| {
        let others = file.used.iter().filter_map(|path| resolve(path, module, &files));
        let others = others.filter(|other| other != module);
        (
            file.path.clone(),
            others.map(|other| files[&other].path.clone()).collect(),
        )
    };
    files.iter().map(needs).collect()
}

type Files = BTreeMap<Module, File>;

struct File {
    path: PathBuf,
    /// The names that it gets by `use`, and the paths that they stand for.
    imported: BTreeMap<String, Vec<String>>,
    /// The paths to all that it uses itself.
    used: Vec<Vec<String>>,
}

impl File {
    fn read(path: PathBuf, text: &str) -> File {
        let tokens = tokens(text);
        let (declarations, code) = split(&tokens);
        let imports = imports(&declarations);
        let is_used = |import: &&Import| !import.is_public || code.contains(&import.name.as_str());
        let used = imports.iter().filter(is_used).map(|import| import.path.clone());
        File {
            path,
            used: used.chain(paths(&code)).collect(),
            imported: imports
                .into_iter()
                .map(|import| (import.name, import.path))
                .collect(),
        }
    }
}

/// The module whose file this is.
fn module_of(path: &Path) -> Module {
    let parts = path.with_extension("");
    let parts = parts
        .iter()
        .map(|part| part.to_str().expect("a UTF-8 name").to_owned());
    let mut module: Module = parts.collect();
    module.pop_if(|last| matches!(last.as_str(), "lib" | "main" | "mod"));
    module
}

/// The module that holds what a path in this module names, if it is one of this crate.
fn resolve(path: &[String], from: &Module, files: &Files) -> Option<Module> {
    let mut module = from.clone();
    let mut rest = path;
    while let [first, others @ ..] = rest
        && matches!(first.as_str(), "crate" | "self" | "super")
    {
        match first.as_str() {
            "crate" => module.clear(),
            "super" => drop(module.pop()),
            _ => {}
        }
        rest = others;
    }
    let is_rooted = rest.len() < path.len();
    let Some((first, others)) = rest.split_first() else {
        return Some(module);
    };
    let inner = [&module[..], std::slice::from_ref(first)].concat();
    if files.contains_key(&inner) {
        return resolve(&[&["self".to_owned()], others].concat(), &inner, files);
    }
    match files[&module].imported.get(first) {
        Some(import) if import.first() != Some(first) => resolve(&[import, others].concat(), &module, files),
        _ => is_rooted.then_some(module),
    }
}
