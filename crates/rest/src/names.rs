//! Indices are collections: `readings` is `default.readings`, `fleet.readings` is `fleet.readings` where there is a database
//! `fleet`. Names of indices may have dots (`logs-2024.01.01`), so where there is no such database the whole name is that
//! of a collection of `default`.

use crate::call::Call;
use crate::limits::NAME_BYTES_MAX;
use auth::Action;
use engine::{Engine, Namespace};
use indices::error::{ElasticError, Result};
use serde_json::Value;

/// The database in which bare names are.
const DEFAULT_DATABASE: &str = "default";

/// The collection of an index's name.
pub fn namespace(engine: &Engine, name: &str) -> Namespace {
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
pub fn name(namespace: &Namespace) -> String {
    match namespace.database == DEFAULT_DATABASE {
        true => namespace.collection.clone(),
        false => format!("{}.{}", namespace.database, namespace.collection),
    }
}

/// The names of all indices that the user may read, sorted.
pub fn all(call: &Call) -> Vec<String> {
    let engine = &call.server.engine;
    let mut names = Vec::new();
    for database in engine.databases() {
        for entry in engine.collections(&database) {
            let namespace = Namespace::new(&database, &entry.name);
            if !entry.is_view && namespace.is_shown_everywhere() && call.allows(Action::Find, &namespace) {
                names.push(name(&namespace));
            }
        }
    }
    names.sort();
    names.dedup();
    names
}

/// Refuses a name that a new index cannot have.
pub fn check(name: &str) -> Result<()> {
    let invalid = |why: &str| Err(ElasticError::invalid_name(name, why));
    if name.chars().any(char::is_uppercase) {
        return invalid("must be lowercase");
    }
    if name.starts_with(['_', '-', '+']) {
        return invalid("must not start with '_', '-', or '+'");
    }
    if name.is_empty() || name == "." || name == ".." {
        return invalid("must not be '.' or '..'");
    }
    if name.contains(['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ',']) {
        return invalid("must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]");
    }
    if let Some(c) = name.chars().find(|c| "#:".contains(*c) || c.is_control()) {
        return invalid(&format!("must not contain '{c}'"));
    }
    if name.len() > NAME_BYTES_MAX {
        return invalid(&format!(
            "index name is too long, ({} > {NAME_BYTES_MAX})",
            name.len()
        ));
    }
    if !Namespace::new(DEFAULT_DATABASE, name).is_shown_everywhere() {
        return invalid("such names are Larder's own");
    }
    Ok(())
}

/// The indices that have this alias, with what is said of it for each.
pub fn with_alias(call: &Call, alias: &str) -> Vec<(String, Value)> {
    let engine = &call.server.engine;
    let of = |name: String| {
        let index = call.index(&name, Action::Find).ok()?;
        let found = index.aliases().get(alias).cloned()?;
        Some((name, found))
    };
    match engine.databases().is_empty() {
        true => Vec::new(),
        false => all(call).into_iter().filter_map(of).collect(),
    }
}

/// Whether a name is an alias.
pub fn is_alias(call: &Call, name: &str) -> bool {
    !with_alias(call, name).is_empty()
}

/// The one index that an alias stands for, to read or write one document of it; `None` if it is no alias.
pub fn aliased(call: &Call, alias: &str, writes: bool) -> Result<Option<String>> {
    let found = with_alias(call, alias);
    let is_write = |options: &Value| options.get("is_write_index").and_then(Value::as_bool);
    if writes && let Some((name, _)) = found.iter().find(|(_, options)| is_write(options) == Some(true)) {
        return Ok(Some(name.clone()));
    }
    match &found[..] {
        [] => Ok(None),
        [(_, options)] if writes && is_write(options) == Some(false) => Err(no_write_index(alias)),
        [(name, _)] => Ok(Some(name.clone())),
        _ if writes => Err(no_write_index(alias)),
        several => {
            let names: Vec<&str> = several.iter().map(|(name, _)| name.as_str()).collect();
            Err(ElasticError::illegal(format!(
                "Alias [{alias}] has more than one index associated with it [{}], can't execute a single index op",
                names.join(", ")
            )))
        }
    }
}

fn no_write_index(alias: &str) -> ElasticError {
    ElasticError::illegal(format!(
        "no write index is defined for alias [{alias}]. The write index may be explicitly disabled using is_write_index=false or the \
         alias points to multiple indices without one being designated as a write index"
    ))
}
