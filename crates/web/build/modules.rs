//! The page's modules: what each imports, and what a view needs of them.

use crate::FOLDER_MARK;
use std::collections::{BTreeMap, BTreeSet};

/// The module with which all begins, and the folder of those that it loads when they are wanted.
pub(crate) const START: &str = "app.js";
const VIEWS: &str = "views/";

/// The modules that are the page's own, and what each of them imports before it runs.
pub(crate) struct Modules {
    texts: BTreeMap<String, String>,
    imports: BTreeMap<String, Vec<String>>,
}

impl Modules {
    /// Those of the files; what a bare name means is said by the import map of `page`.
    pub(crate) fn of(files: &[(String, Vec<u8>)], page: &str) -> Modules {
        let own = files.iter().filter(|(name, _)| is_own(name));
        let texts: BTreeMap<String, String> = own
            .map(|(name, content)| (name.clone(), String::from_utf8_lossy(content).into_owned()))
            .collect();
        let imports = |(name, text): (&String, &String)| {
            // What stands behind another `from` is no file, so that nothing is found of it.
            let quoted = text
                .split("from")
                .skip(1)
                .filter_map(|rest| rest.trim_start().strip_prefix('"'));
            let named = quoted.filter_map(|rest| rest.split_once('"'));
            let imported = named.filter_map(|(named, _)| resolved(name, named, page));
            (name.clone(), imported.collect())
        };
        let imports = texts.iter().map(imports).collect();
        Modules { texts, imports }
    }

    pub(crate) fn text(&self, name: &str) -> &str {
        self.texts.get(name).map_or("", String::as_str)
    }

    pub(crate) fn is_there(&self, name: &str) -> bool {
        self.texts.contains_key(name)
    }

    /// The views, by name: the modules that the first one loads when they are wanted.
    pub(crate) fn views(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.keys().filter_map(|name| {
            let view = name.strip_prefix(VIEWS)?.strip_suffix(".js")?;
            (!view.contains('/')).then_some((view, name.as_str()))
        })
    }

    /// A module and all that it imports, each behind those that it imports: the order in which they run. Those of others are among
    /// them.
    pub(crate) fn wanted_by(&self, name: &str) -> Vec<String> {
        let mut wanted = Vec::new();
        self.add(name, &mut BTreeSet::new(), &mut wanted);
        wanted
    }

    fn add(&self, name: &str, seen: &mut BTreeSet<String>, wanted: &mut Vec<String>) {
        if !seen.insert(name.to_owned()) {
            return;
        }
        for imported in self.imports.get(name).into_iter().flatten() {
            self.add(imported, seen, wanted);
        }
        wanted.push(name.to_owned());
    }
}

/// Whether a file is a module of the page itself; those of others are served as they were made.
pub(crate) fn is_own(name: &str) -> bool {
    name.ends_with(".js")
}

/// The file that a module means by a name; the page's import map says what bare names mean.
pub(crate) fn resolved(module: &str, named: &str, page: &str) -> Option<String> {
    if !named.starts_with('.') {
        let (_, rest) = page.split_once(&format!("\"{named}\": \"/{FOLDER_MARK}/"))?;
        return rest.split_once('"').map(|(name, _)| name.to_owned());
    }
    let folder = module.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut path: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in named.split('/') {
        match part {
            "." => {}
            ".." => drop(path.pop()?),
            part => path.push(part),
        }
    }
    Some(path.join("/"))
}
