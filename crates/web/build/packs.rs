//! Modules that are wanted together, in one file: a browser asks for a few files instead of dozens, and what is compressed
//! together is smaller.
//!
//! Each module becomes a function that runs once and gives what it exports:
//! ```js
//! const $3 = (() => {
//! const { html } = $1;
//! function Panel() { … }
//! return { Panel };
//! })();
//! ```
//! So what is exported must not be assigned again, and modules must not import each other in a circle. They are read line by line:
//! an import or an export in a form that is not known here ends the build. Lines of comments are for those who read the sources.

use crate::modules::{Modules, START, resolved};
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
    /// By module, those of others too: its number, by which it is named in the files.
    numbers: BTreeMap<String, usize>,
}

impl<'a> Packs<'a> {
    /// Puts those modules together that the same views want, and into the first file what all or many do. A module is wanted
    /// wherever one is that imports it, so that no two files import each other.
    pub(crate) fn of(modules: &'a Modules, page: &'a str) -> Packs<'a> {
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
        let numbers = order.into_iter().enumerate().map(|(at, name)| (name, at));
        Packs {
            modules,
            page,
            packs,
            numbers: numbers.collect(),
        }
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
        let files = wanted.iter().map(|name| self.file_of(name).unwrap_or(name));
        files.map(str::to_owned).collect()
    }

    /// The file that has a module; `None` for one of others.
    fn file_of(&self, module: &str) -> Option<&str> {
        let mut packs = self.packs.iter();
        packs.find_map(|(file, names)| names.iter().any(|name| name == module).then_some(file.as_str()))
    }

    fn number(&self, module: &str) -> Result<usize, Failure> {
        let number = self.numbers.get(module).copied();
        number.ok_or_else(|| format!("nothing loads {module}").into())
    }

    /// The files with their contents.
    pub(crate) fn files(&self) -> Result<Vec<(String, Vec<u8>)>, Failure> {
        let packs = self.packs.iter();
        packs
            .map(|(file, names)| Ok((file.clone(), self.pack(file, names)?.into_bytes())))
            .collect()
    }

    fn pack(&self, file: &str, names: &[String]) -> Result<String, Failure> {
        let mut imports = Imports::default();
        let mut body = String::new();
        let mut own = Vec::new();
        for name in names {
            let number = self.number(name)?;
            own.push(format!("${number}"));
            writeln!(body, "// {name}\nconst ${number} = (() => {{")?;
            let exports = self.rewrite(file, name, &mut imports, &mut body)?;
            writeln!(body, "return {{ {} }};\n}})();", exports.join(", "))?;
        }
        Ok(format!(
            "{}{body}export {{ {} }};\n",
            imports.text(),
            own.join(", ")
        ))
    }

    /// Adds the lines of a module, and gives the members of what it exports.
    fn rewrite(
        &self,
        file: &str,
        module: &str,
        imports: &mut Imports,
        body: &mut String,
    ) -> Result<Vec<String>, Failure> {
        let mut exports = Vec::new();
        for line in spoken(self.modules.text(module)) {
            let unknown = || format!("{module}: cannot put into a file with others: {line}");
            if let Some(rest) = line.strip_prefix("import ") {
                let (what, named) = from(rest).ok_or_else(unknown)?;
                let what = match what.strip_prefix('{') {
                    Some(_) => what.replace(" as ", ": "),
                    None => format!("{{ default: {what} }}"),
                };
                let number = self.imported(file, module, named, imports)?;
                writeln!(body, "const {what} = ${number};")?;
            } else if let Some(rest) = line.strip_prefix("export {") {
                let (what, named) = from(rest).ok_or_else(unknown)?;
                let number = self.imported(file, module, named, imports)?;
                let names = what.trim_end_matches('}').split(',').map(str::trim);
                exports.extend(names.map(|name| format!("{name}: ${number}.{name}")));
            } else if let Some(rest) = line.strip_prefix("export ") {
                let (rest, is_default) = match rest.strip_prefix("default ") {
                    Some(rest) => (rest, true),
                    None => (rest, false),
                };
                let name = declared(rest).ok_or_else(unknown)?;
                exports.push(match is_default {
                    true => format!("default: {name}"),
                    false => name.to_owned(),
                });
                writeln!(body, "{}", self.with_loads(file, module, rest)?)?;
            } else {
                writeln!(body, "{}", self.with_loads(file, module, line)?)?;
            }
        }
        Ok(exports)
    }

    /// The number of a module that another imports by this name, which its file imports then where it has not got it.
    fn imported(
        &self,
        file: &str,
        module: &str,
        named: &str,
        imports: &mut Imports,
    ) -> Result<usize, Failure> {
        let unknown = || format!("{module} imports {named}, which is not there");
        let other = resolved(module, named, self.page).ok_or_else(unknown)?;
        let number = self.number(&other)?;
        match self.file_of(&other) {
            None => drop(imports.whole.insert(named.to_owned(), number)),
            Some(of) if of == file => {}
            Some(of) => drop(
                imports
                    .of_packs
                    .entry(relative(file, of))
                    .or_default()
                    .insert(number),
            ),
        }
        Ok(number)
    }

    /// A line in which modules that are loaded when they are wanted are taken from their files.
    fn with_loads(&self, file: &str, module: &str, line: &str) -> Result<String, Failure> {
        const LOAD: &str = "import(\"";
        let mut parts = line.split(LOAD);
        let mut text = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let unknown = || format!("{module}: cannot load by {line}");
            let (named, rest) = part.split_once("\")").ok_or_else(unknown)?;
            let other = resolved(module, named, self.page).ok_or_else(unknown)?;
            let of = self.file_of(&other).ok_or_else(unknown)?;
            let (from, number) = (relative(file, of), self.number(&other)?);
            write!(text, "{LOAD}{from}\").then((pack) => pack.${number}){rest}")?;
        }
        Ok(text)
    }
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
        let is_small = modules.text(name).len() <= SMALL_BYTES;
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

/// The lines of a module without those of comments.
fn spoken(text: &str) -> impl Iterator<Item = &str> {
    let mut is_within = false;
    text.lines().filter(move |line| {
        let line = line.trim();
        let begins = line.starts_with("/*") && (line.ends_with("*/") || !line.contains("*/"));
        let is_comment = is_within || begins || line.starts_with("//");
        is_within = (is_within || begins) && !line.ends_with("*/");
        !is_comment
    })
}

/// What a file imports.
#[derive(Default)]
struct Imports {
    /// Modules of the page, by the file that has them.
    of_packs: BTreeMap<String, BTreeSet<usize>>,
    /// Modules of others, by name.
    whole: BTreeMap<String, usize>,
}

impl Imports {
    fn text(&self) -> String {
        let whole = self.whole.iter();
        let whole = whole.map(|(named, number)| format!("import * as ${number} from \"{named}\";\n"));
        let packs = self.of_packs.iter().map(|(from, numbers)| {
            let names: Vec<String> = numbers.iter().map(|number| format!("${number}")).collect();
            format!("import {{ {} }} from \"{from}\";\n", names.join(", "))
        });
        whole.chain(packs).collect()
    }
}

/// `WHAT from "NAME";`: both.
fn from(text: &str) -> Option<(&str, &str)> {
    let (what, named) = text.split_once(" from \"")?;
    Some((what.trim(), named.strip_suffix("\";")?))
}

/// The name that a function, a class or a constant declares.
fn declared(text: &str) -> Option<&str> {
    const KINDS: [&str; 6] = [
        "async function* ",
        "async function ",
        "function* ",
        "function ",
        "class ",
        "const ",
    ];
    let rest = KINDS.iter().find_map(|kind| text.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    (end > 0).then(|| &rest[..end])
}

/// How one file names another; none is deeper than in one folder.
fn relative(file: &str, other: &str) -> String {
    match file.contains('/') {
        true => format!("../{other}"),
        false => format!("./{other}"),
    }
}
