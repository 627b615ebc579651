//! Modules that are wanted together, in one file: a browser asks for a few files instead of dozens, and what is compressed
//! together is smaller.
//!
//! The modules of a file stand in it one after another, each after those that it imports, without the words `import` and `export`
//! between them: what a module declares outside of its functions has a name (`$a`, `$b`, …) that no other has on the whole page. So
//! modules must not import each other in a circle.

use crate::modules::{Modules, START, is_own, resolved};
use crate::script::module::short_name;
use crate::{FOLDER_MARK, Failure};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// What stands in the page for the links to the modules that every view wants.
const PRELOADS_MARK: &str = "{preloads}";
/// What stands in it for the modules that a view wants besides, as JSON: `{"logs": ["views/logs.js", …], …}`.
const VIEWS_MARK: &str = "{views}";
/// A module of several views that has no more than this is not worth a request.
const SMALL_BYTES: usize = 2_000;

/// Which module is in which file.
pub(crate) struct Packs<'a> {
    modules: &'a Modules,
    page: &'a str,
    /// The modules of each file, in the order in which they run.
    packs: BTreeMap<String, Vec<String>>,
    /// The names on the whole page of what modules declare outside of functions or import from others, by module and name there.
    names: BTreeMap<(String, String), String>,
}

impl<'a> Packs<'a> {
    /// Puts those modules together that the same views want, and into the first file what all or many do. A module is wanted
    /// wherever one is that imports it, so that no two files import each other.
    pub(crate) fn of(modules: &'a Modules, page: &'a str) -> Result<Packs<'a>, Failure> {
        let of_all = modules.wanted_by(START);
        let mut order = of_all.clone();
        let mut wanting: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for (view, name) in modules.views() {
            for wanted in modules.wanted_by(name) {
                if !order.contains(&wanted) {
                    order.push(wanted.clone());
                }
                wanting.entry(wanted).or_default().insert(view);
            }
        }
        let first = of_first(modules, &order, &of_all, &wanting);
        let mut shared: Vec<&BTreeSet<&str>> = Vec::new();
        let mut packs: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for name in order.iter().filter(|name| modules.is_there(name)) {
            let file = match wanting.get(name) {
                Some(views) if !first.contains(name) => match views.first() {
                    Some(view) if views.len() == 1 => format!("views/{view}.js"),
                    _ => {
                        let at = shared.iter().position(|other| *other == views);
                        let at = at.unwrap_or_else(|| {
                            shared.push(views);
                            shared.len() - 1
                        });
                        format!("shared/{at}.js")
                    }
                },
                _ => START.to_owned(),
            };
            packs.entry(file).or_default().push(name.clone());
        }
        Ok(Packs {
            modules,
            page,
            packs,
            names: names_of(modules, page, &order)?,
        })
    }

    /// The page with links to the files that it will want.
    pub(crate) fn named_in(&self) -> Result<String, Failure> {
        let of_all = self.files_wanted_by(START);
        let mut links = String::new();
        for name in &of_all {
            writeln!(
                links,
                "<link rel=\"modulepreload\" href=\"/{FOLDER_MARK}/{name}\">"
            )?;
        }
        let of_views: BTreeMap<&str, BTreeSet<String>> = self
            .modules
            .views()
            .map(|(view, name)| (view, &self.files_wanted_by(name) - &of_all))
            .collect();
        for mark in [PRELOADS_MARK, VIEWS_MARK] {
            if !self.page.contains(mark) {
                return Err(format!("index.html has no {mark}").into());
            }
        }
        // Lists of names are the same in JSON as Rust shows them.
        let views: Vec<String> = of_views
            .iter()
            .map(|(view, files)| format!("{view:?}: {:?}", files.iter().collect::<Vec<_>>()))
            .collect();
        Ok(self
            .page
            .replace(PRELOADS_MARK, links.trim_end())
            .replace(VIEWS_MARK, &format!("{{{}}}", views.join(", "))))
    }

    fn files_wanted_by(&self, module: &str) -> BTreeSet<String> {
        let wanted = self.modules.wanted_by(module);
        let files = wanted.iter().map(|name| self.pack_of(name).unwrap_or(name));
        files.map(str::to_owned).collect()
    }

    /// The files with their contents.
    pub(crate) fn files(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let mut wanted: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut texts = Vec::new();
        for (file, modules) in &self.packs {
            let mut imports = Imports::default();
            let mut text = String::new();
            for module in modules {
                writeln!(text, "{}", self.written(file, module, &mut imports)?)?;
            }
            for (of, names) in imports.loaded.iter().chain(&imports.of_packs) {
                wanted
                    .entry(of.clone())
                    .or_default()
                    .extend(names.iter().cloned());
            }
            texts.push((file, format!("{}{text}", imports.text(file))));
        }
        let with_exports = |(file, text): (&String, String)| {
            let names = wanted.get(file).map(list).unwrap_or_default();
            (file.clone(), format!("{text}export{{{names}}};\n").into_bytes())
        };
        Ok(texts.into_iter().map(with_exports).collect())
    }

    /// A module's part of a file. Notes what the file has to import for it.
    fn written(&self, file: &str, module: &str, imports: &mut Imports) -> Result<String, Failure> {
        let own = self.modules.module(module)?;
        let mut names = BTreeMap::new();
        for top in &own.tops {
            names.insert(top.as_str(), self.name(module, top)?);
        }
        for import in &own.imports {
            let from = self.resolved(module, &import.from)?;
            for (name, here) in &import.names {
                let called = match is_own(&from) {
                    true => self.exported(&from, name)?,
                    false => self.name(module, here)?,
                };
                names.insert(here.as_str(), called);
                match is_own(&from) {
                    true => imports.of_pack(file, self.file_of(&from)?, called),
                    false => imports.of_others(&import.from, name, called),
                }
            }
        }
        for passed in &own.passed_on {
            for (name, outside) in &passed.names {
                imports.of_others(&passed.from, name, self.name(module, outside)?);
            }
        }
        let mut loads = BTreeMap::new();
        for named in own.loads() {
            let from = self.resolved(module, named)?;
            let (of, called) = (self.file_of(&from)?, self.exported(&from, "default")?);
            let of_file = imports.loaded.entry(of.to_owned()).or_default();
            of_file.insert(called.to_owned());
            let path = relative(file, of);
            loads.insert(
                named,
                format!("import(\"{path}\").then((pack)=>({{default:pack.{called}}}))"),
            );
        }
        let written = own.written(&names, &loads);
        Ok(written.map_err(|error| format!("{module}: {error}"))?)
    }

    /// The name on the page of what a module exports.
    fn exported(&self, module: &str, name: &str) -> Result<&str, Failure> {
        let own = self.modules.module(module)?;
        let mut passed = own.passed_on.iter().flat_map(|passed| &passed.names);
        match own.exports.get(name) {
            Some(here) => self.name(module, here),
            None if passed.any(|(_, outside)| outside == name) => self.name(module, name),
            None => Err(format!("{module} does not export {name}").into()),
        }
    }

    fn name(&self, module: &str, name: &str) -> Result<&str, Failure> {
        let called = self.names.get(&(module.to_owned(), name.to_owned()));
        Ok(called.ok_or_else(|| format!("{name} of {module} has no name on the page"))?)
    }

    fn resolved(&self, module: &str, named: &str) -> Result<String, Failure> {
        let found = resolved(module, named, self.page);
        Ok(found.ok_or_else(|| format!("{module} imports {named}, which is not there"))?)
    }

    fn pack_of(&self, module: &str) -> Option<&str> {
        let mut packs = self.packs.iter();
        packs.find_map(|(file, names)| names.iter().any(|name| name == module).then_some(file.as_str()))
    }

    fn file_of(&self, module: &str) -> Result<&str, Failure> {
        Ok(self
            .pack_of(module)
            .ok_or_else(|| format!("no file has {module}"))?)
    }
}

/// Unique names on the page for what modules declare outside of functions, import from others or re-export.
fn names_of(
    modules: &Modules,
    page: &str,
    order: &[String],
) -> Result<BTreeMap<(String, String), String>, Failure> {
    let mut names = BTreeMap::new();
    for name in order.iter().filter(|name| modules.is_there(name)) {
        let module = modules.module(name)?;
        let of_others = |named: &str| resolved(name, named, page).is_some_and(|file| !is_own(&file));
        let imported = module.imports.iter().filter(|import| of_others(&import.from));
        let imported = imported.flat_map(|import| import.names.iter().map(|(_, here)| here));
        let passed_on = module.passed_on.iter().flat_map(|passed| &passed.names);
        if module.passed_on.iter().any(|passed| !of_others(&passed.from)) {
            return Err(format!(
                "{name} passes on what another of the page's own exports: import it from there"
            )
            .into());
        }
        for own in module
            .tops
            .iter()
            .chain(imported)
            .chain(passed_on.map(|(_, outside)| outside))
        {
            let number = names.len();
            names
                .entry((name.clone(), own.clone()))
                .or_insert_with(|| format!("${}", short_name(number)));
        }
    }
    Ok(names)
}

/// The modules of the first file: those that all views want, those that half of them do, and small ones of several. None comes
/// there whose imports do not.
fn of_first(
    modules: &Modules,
    order: &[String],
    of_all: &[String],
    wanting: &BTreeMap<String, BTreeSet<&str>>,
) -> BTreeSet<String> {
    let views = modules.views().count();
    let mut first: BTreeSet<String> = of_all.iter().cloned().collect();
    for name in order {
        let wanted_by = wanting.get(name).map_or(0, BTreeSet::len);
        let is_small = modules.size(name) <= SMALL_BYTES;
        let is_shared = wanted_by * 2 >= views || (wanted_by > 1 && is_small);
        let imported = modules.wanted_by(name);
        let mut others = imported
            .iter()
            .filter(|other| *other != name && modules.is_there(other));
        if is_shared && others.all(|other| first.contains(other)) {
            first.insert(name.clone());
        }
    }
    first
}

/// What a file imports.
#[derive(Default)]
struct Imports {
    /// Names of the page, by the file that has them.
    of_packs: BTreeMap<String, BTreeSet<String>>,
    /// Those that it takes of files when they are wanted.
    loaded: BTreeMap<String, BTreeSet<String>>,
    /// Imported names, by module: the name there, and the name here.
    of_others: BTreeMap<String, Vec<String>>,
}

impl Imports {
    fn of_pack(&mut self, file: &str, of: &str, name: &str) {
        if of != file {
            self.of_packs
                .entry(of.to_owned())
                .or_default()
                .insert(name.to_owned());
        }
    }

    fn of_others(&mut self, from: &str, name: &str, called: &str) {
        self.of_others
            .entry(from.to_owned())
            .or_default()
            .push(format!("{name} as {called}"));
    }

    fn text(&self, file: &str) -> String {
        let others = self.of_others.iter();
        let others = others.map(|(from, names)| format!("import{{{}}}from\"{from}\";\n", names.join(",")));
        let packs = self.of_packs.iter();
        let packs =
            packs.map(|(of, names)| format!("import{{{}}}from\"{}\";\n", list(names), relative(file, of)));
        others.chain(packs).collect()
    }
}

fn list(names: &BTreeSet<String>) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}

/// How one file names another; none is deeper than in one folder.
fn relative(file: &str, other: &str) -> String {
    match file.contains('/') {
        true => format!("../{other}"),
        false => format!("./{other}"),
    }
}
