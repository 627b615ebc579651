//! Indices are collections: `readings` is `default.readings`, `fleet.readings` is `fleet.readings` where there is a database
//! `fleet`. Names of indices may have dots (`logs-2024.01.01`), so where there is no such database the whole name is that
//! of a collection of `default`.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::filter_path::is_match;
use crate::limits::NAME_BYTES_MAX;
use crate::parameters::Parameters;
use auth::Action;
use engine::{Engine, Namespace};
use http::StatusCode;

/// The database in which bare names are.
const DEFAULT_DATABASE: &str = "default";
/// Databases that no protocol but MongoDB's sees.
const HIDDEN_DATABASES: [&str; 3] = ["admin", "config", "local"];

/// The collection of an index's name.
pub(crate) fn namespace(engine: &Engine, name: &str) -> Namespace {
    let whole = Namespace::new(DEFAULT_DATABASE, name);
    match name.split_once('.') {
        Some((database, collection))
            if !database.is_empty()
                && !collection.is_empty()
                && database != DEFAULT_DATABASE
                && engine.collection_entry(&whole).is_none()
                && engine.databases().iter().any(|known| known == database) =>
        {
            Namespace::new(database, collection)
        }
        _ => whole,
    }
}

/// The index's name of a collection.
pub(crate) fn name(namespace: &Namespace) -> String {
    match namespace.database == DEFAULT_DATABASE {
        true => namespace.collection.clone(),
        false => format!("{}.{}", namespace.database, namespace.collection),
    }
}

/// The names of all indices that the user may read, sorted.
pub(crate) fn all(call: &Call) -> Vec<String> {
    let engine = &call.server.engine;
    let mut names = Vec::new();
    for database in engine.databases() {
        for entry in engine.collections(&database) {
            let namespace = Namespace::new(&database, &entry.name);
            if !entry.is_view && is_seen(&namespace) && call.allows(Action::Find, &namespace) {
                names.push(name(&namespace));
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Whether a collection is seen here.
pub(crate) fn is_seen(namespace: &Namespace) -> bool {
    let name = &namespace.collection;
    let is_bucket = name.ends_with(".attachments.files") || name.ends_with(".attachments.chunks");
    !HIDDEN_DATABASES.contains(&namespace.database.as_str()) && !name.starts_with("system.") && !is_bucket
}

/// Refuses a name that a new index cannot have.
pub(crate) fn check(name: &str) -> Result<()> {
    let invalid = |why: &str| {
        let reason = format!("Invalid index name [{name}], {why}");
        Err(ElasticError::new(StatusCode::BAD_REQUEST, "invalid_index_name_exception", reason).of_index(name))
    };
    if name.chars().any(char::is_uppercase) {
        return invalid("must be lowercase");
    }
    if name.starts_with(['_', '-', '+']) {
        return invalid("must not start with '_', '-', or '+'");
    }
    if name.is_empty() || name == "." || name == ".." {
        return invalid("must not be '.' or '..'");
    }
    if let Some(c) = name
        .chars()
        .find(|c| "\\/*?\"<>| ,#:".contains(*c) || c.is_control())
    {
        return invalid(&format!("must not contain the character [{c}]"));
    }
    if name.len() > NAME_BYTES_MAX {
        return invalid(&format!(
            "index name is too long, ({} > {NAME_BYTES_MAX})",
            name.len()
        ));
    }
    if !is_seen(&Namespace::new(DEFAULT_DATABASE, name)) {
        return invalid("such names are Larder's own");
    }
    Ok(())
}

/// What is done with names that stand for no index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) ignore_unavailable: bool,
    pub(crate) allow_no_indices: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            ignore_unavailable: false,
            allow_no_indices: true,
        }
    }
}

impl Options {
    /// Takes `ignore_unavailable`, `allow_no_indices` and `expand_wildcards`; indices are neither closed nor hidden here.
    pub(crate) fn take(parameters: &mut Parameters) -> Result<Options> {
        let default = Options::default();
        for state in parameters.list("expand_wildcards").unwrap_or_default() {
            if !matches!(state.as_str(), "open" | "closed" | "hidden" | "none" | "all") {
                return Err(ElasticError::illegal(format!(
                    "No valid expand wildcard value [{state}]"
                )));
            }
        }
        Ok(Options {
            ignore_unavailable: parameters
                .flag("ignore_unavailable")?
                .unwrap_or(default.ignore_unavailable),
            allow_no_indices: parameters
                .flag("allow_no_indices")?
                .unwrap_or(default.allow_no_indices),
        })
    }
}

/// The indices that an expression stands for: names with commas between them, `*`, `-` for what is not meant, `_all`.
pub(crate) fn resolve(call: &Call, expression: &str, options: Options) -> Result<Vec<String>> {
    let all = all(call);
    let mut found: Vec<String> = Vec::new();
    let mut had_wildcard = false;
    for part in expression.split(',').filter(|part| !part.is_empty()) {
        if let Some(excluded) = part.strip_prefix('-').filter(|_| had_wildcard) {
            found.retain(|name| !is_match(excluded, name));
        } else if part == "_all" || part.contains('*') {
            had_wildcard = true;
            let pattern = if part == "_all" { "*" } else { part };
            let matching: Vec<String> = all
                .iter()
                .filter(|name| is_match(pattern, name))
                .cloned()
                .collect();
            if matching.is_empty() && !options.allow_no_indices {
                return Err(ElasticError::no_index(part));
            }
            found.extend(matching);
        } else if let Some(name) = resolve_one(call, part) {
            found.extend(name);
        } else if part.starts_with('_') {
            return Err(check(part).err().unwrap_or_else(|| ElasticError::no_index(part)));
        } else if !options.ignore_unavailable {
            return Err(ElasticError::no_index(part));
        }
    }
    let mut seen = std::collections::HashSet::new();
    found.retain(|name| seen.insert(name.clone()));
    if found.is_empty() && !options.allow_no_indices {
        return Err(ElasticError::no_index(expression));
    }
    Ok(found)
}

/// The index of this name.
fn resolve_one(call: &Call, name: &str) -> Option<Vec<String>> {
    let namespace = namespace(&call.server.engine, name);
    let entry = call.server.engine.collection_entry(&namespace)?;
    (!entry.is_view && is_seen(&namespace)).then(|| vec![name.to_owned()])
}
