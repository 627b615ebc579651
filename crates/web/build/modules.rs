//! Which modules a browser will want: a page that names them all is there after one round trip, not after one for each module
//! that imports another.

use crate::FOLDER_MARK;
use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

/// What stands in the page for the links to the modules that every view wants.
const PRELOADS_MARK: &str = "{preloads}";
/// What stands in it for the modules that a view wants besides, as JSON: `{"logs": ["views/logs.js", …], …}`.
const VIEWS_MARK: &str = "{views}";
/// The module with which all begins, and the folder of those that it loads when they are wanted.
const START: &str = "app.js";
const VIEWS: &str = "views/";

/// The modules, and what each of them imports before it runs.
pub(crate) struct Modules(BTreeMap<String, Vec<String>>);

impl Modules {
    pub(crate) fn of(files: &[(String, Vec<u8>)], page: &str) -> Modules {
        let is_module = |name: &str| name.ends_with(".js") || name.ends_with(".mjs");
        let modules = files.iter().filter(|(name, _)| is_module(name));
        let imports = |(name, content): &(String, Vec<u8>)| {
            let text = String::from_utf8_lossy(content);
            let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
            // What stands behind another `from` is no file, so that nothing is found of it.
            let quoted = text
                .split("from")
                .skip(1)
                .filter_map(|rest| rest.trim_start().strip_prefix('"'));
            let named = quoted.filter_map(|rest| rest.split_once('"'));
            let imported = named.filter_map(|(named, _)| resolved(folder, named, page));
            (name.clone(), imported.collect())
        };
        Modules(modules.map(imports).collect())
    }

    /// A module and all that it imports, those first that are wanted first.
    fn wanted_by<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let mut wanted = vec![name];
        let mut at = 0;
        while let Some(next) = wanted.get(at) {
            for imported in self.0.get(*next).into_iter().flatten() {
                if self.0.contains_key(imported) && !wanted.contains(&imported.as_str()) {
                    wanted.push(imported);
                }
            }
            at += 1;
        }
        wanted
    }

    /// The page with links to the modules that it will want.
    pub(crate) fn named_in(&self, page: &str) -> Result<String, Box<dyn Error>> {
        let of_all = self.wanted_by(START);
        let mut links = String::new();
        for name in &of_all {
            writeln!(
                links,
                "<link rel=\"modulepreload\" href=\"/{FOLDER_MARK}/{name}\">"
            )?;
        }
        let mut of_views = BTreeMap::new();
        for name in self.0.keys() {
            if let Some(view) = name.strip_prefix(VIEWS).and_then(|name| name.strip_suffix(".js"))
                && !view.contains('/')
            {
                let mut wanted = self.wanted_by(name);
                wanted.retain(|name| !of_all.contains(name));
                of_views.insert(view, wanted);
            }
        }
        for mark in [PRELOADS_MARK, VIEWS_MARK] {
            if !page.contains(mark) {
                return Err(format!("index.html has no {mark}").into());
            }
        }
        // Names of files are the same in JSON as Rust shows them.
        Ok(page
            .replace(PRELOADS_MARK, links.trim_end())
            .replace(VIEWS_MARK, &format!("{of_views:?}")))
    }
}

/// The file that a module in this folder means by a name; the page's import map says what bare names mean.
fn resolved(folder: &str, named: &str, page: &str) -> Option<String> {
    if !named.starts_with('.') {
        let (_, rest) = page.split_once(&format!("\"{named}\": \"/{FOLDER_MARK}/"))?;
        return rest.split_once('"').map(|(name, _)| name.to_owned());
    }
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
