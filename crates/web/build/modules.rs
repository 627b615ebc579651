//! The page's modules: what each imports, and what a view needs of them.

use crate::script::module::Module;
use crate::{FOLDER_MARK, Failure};
use std::collections::{BTreeMap, BTreeSet};

/// The module with which all begins, and the folder of those that it loads when they are wanted.
pub(crate) const START: &str = "app.js";
const VIEWS: &str = "views/";

/// The modules that are the page's own, and what each of them imports before it runs.
pub(crate) struct Modules {
    own: BTreeMap<String, Module>,
    /// Bytes of each as it was written.
    sizes: BTreeMap<String, usize>,
    imports: BTreeMap<String, Vec<String>>,
}

impl Modules {
    /// Those of the files; what a bare name means is said by the import map of `page`.
    pub(crate) fn of(files: &[(String, Vec<u8>)], page: &str) -> Result<Modules, Failure> {
        let (mut own, mut sizes, mut imports) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for (name, content) in files.iter().filter(|(name, _)| is_own(name)) {
            let module =
                Module::read(std::str::from_utf8(content)?).map_err(|error| format!("{name}: {error}"))?;
            let named = module.imports.iter().chain(&module.passed_on);
            let imported: Option<Vec<String>> =
                named.map(|import| resolved(name, &import.from, page)).collect();
            let imported =
                imported.ok_or_else(|| format!("{name} imports what the import map does not name"))?;
            sizes.insert(name.clone(), content.len());
            imports.insert(name.clone(), imported);
            own.insert(name.clone(), module);
        }
        Ok(Modules { own, sizes, imports })
    }

    /// One of the page's own.
    pub(crate) fn module(&self, name: &str) -> Result<&Module, Failure> {
        Ok(self
            .own
            .get(name)
            .ok_or_else(|| format!("there is no module {name}"))?)
    }

    pub(crate) fn size(&self, name: &str) -> usize {
        self.sizes.get(name).copied().unwrap_or_default()
    }

    pub(crate) fn is_there(&self, name: &str) -> bool {
        self.own.contains_key(name)
    }

    /// The views, by name: the modules that the first one loads when they are wanted.
    pub(crate) fn views(&self) -> impl Iterator<Item = (&str, &str)> {
        self.own.keys().filter_map(|name| {
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
