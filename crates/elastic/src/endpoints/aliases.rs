//! Other names of indices: `_alias`, `_aliases`.

use auth::Action;
use http::{Method, StatusCode};
use indices::Index;
use indices::error::{ElasticError, Result};
use indices::streams::plain_aliases;
use rest::call::Call;
use rest::definition::{alias, check_alias, several_written};
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, acknowledged, exists, json, ok};
use search::simple_match;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// `/{index}/_alias/{name}`; each may be left out.
pub(crate) async fn run(call: &mut Call, indices: Option<&str>, names: Option<&str>) -> Result<Answer> {
    match (call.method.clone(), names) {
        (Method::GET, _) => get(call, indices, names),
        (Method::HEAD, _) if indices.is_some() || names.is_some() => head(call, indices, names),
        (Method::PUT | Method::POST, _) => put(call, indices, names).await,
        (Method::DELETE, Some(names)) => delete(call, indices, names).await,
        _ => Err(call.not_allowed("DELETE, GET, HEAD, POST, PUT")),
    }
}

/// The aliases that names and patterns stand for; those with `-` after a pattern take away.
pub(crate) fn wanted<'a>(
    names: Option<&str>,
    all: impl Iterator<Item = &'a String> + Clone,
    has: impl Fn(&str) -> bool,
) -> (BTreeSet<String>, Vec<String>) {
    let mut found = BTreeSet::new();
    let mut missing = Vec::new();
    let Some(names) = names.filter(|names| !names.is_empty()) else {
        return (all.cloned().collect(), missing);
    };
    let mut goes_on = false;
    for name in names.split(',') {
        let is_pattern = name == "_all" || name.contains('*');
        match name.strip_prefix('-').filter(|_| goes_on) {
            Some(excluded) => found.retain(|found: &String| !simple_match(excluded, found)),
            None if is_pattern => {
                let pattern = if name == "_all" { "*" } else { name };
                found.extend(all.clone().filter(|known| simple_match(pattern, known)).cloned());
            }
            None if has(name) => drop(found.insert(name.to_owned())),
            None => missing.push(name.to_owned()),
        }
        goes_on |= name.contains('*') || !name.starts_with('-');
    }
    missing.sort();
    (found, missing)
}

fn opened(call: &mut Call, expression: Option<&str>) -> Result<Vec<Index>> {
    let default = Options {
        hidden: true,
        ..Options::ANY_STATE
    };
    let options = default.taken(&mut call.parameters)?;
    call.parameters
        .end_without(&["local", "master_timeout", "timeout"])?;
    let names = resolve(call, expression.unwrap_or("_all"), options)?;
    names.iter().map(|name| call.index(name, Action::Find)).collect()
}

/// The aliases of indices that names stand for, as [`wanted`] says.
fn wanted_of(indices: &[Index], names: Option<&str>) -> (BTreeSet<String>, Vec<String>) {
    let aliases = indices.iter().map(|index| plain_aliases(&index.aliases()));
    let all: BTreeSet<String> = aliases
        .flat_map(|aliases| aliases.into_iter().map(|(name, _)| name))
        .collect();
    wanted(names, all.iter(), |name| all.contains(name))
}

fn get(call: &mut Call, expression: Option<&str>, names: Option<&str>) -> Result<Answer> {
    let indices = opened(call, expression)?;
    let (found, missing) = wanted_of(&indices, names);
    let mut answer = Map::new();
    for index in &indices {
        let aliases: Map<String, Value> = index
            .aliases()
            .iter()
            .filter(|(name, _)| found.contains(*name))
            .map(|(name, options)| (name.clone(), options.clone()))
            .collect();
        // Whoever asks for no alias in particular sees the indices that have none, too.
        if names.is_none() || !aliases.is_empty() {
            answer.insert(index.name.clone(), json!({"aliases": aliases}));
        }
    }
    if missing.is_empty() {
        return Ok(ok(Value::Object(answer)));
    }
    let word = if missing.len() == 1 { "alias" } else { "aliases" };
    answer.insert(
        "error".to_owned(),
        json!(format!("{word} [{}] missing", missing.join(","))),
    );
    answer.insert("status".to_owned(), json!(404));
    Ok(json(StatusCode::NOT_FOUND, Value::Object(answer)))
}

fn head(call: &mut Call, expression: Option<&str>, names: Option<&str>) -> Result<Answer> {
    match opened(call, expression) {
        // That an index is there is enough where no alias is named.
        Ok(_) if names.is_none() => Ok(exists(true)),
        Ok(indices) => {
            let (found, missing) = wanted_of(&indices, names);
            Ok(exists(!found.is_empty() && missing.is_empty()))
        }
        Err(error) if error.status == StatusCode::NOT_FOUND => Ok(exists(false)),
        Err(error) => Err(error),
    }
}

async fn put(call: &mut Call, expression: Option<&str>, name: Option<&str>) -> Result<Answer> {
    let mut body = call.object()?;
    let name = body
        .remove("alias")
        .and_then(|name| name.as_str().map(str::to_owned))
        .or(name.map(str::to_owned));
    let expression = body
        .remove("index")
        .and_then(|name| name.as_str().map(str::to_owned))
        .or(expression.map(str::to_owned));
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let given = expression.ok_or_else(|| ElasticError::illegal("[indices] can't be empty"))?;
    let name = name.ok_or_else(|| ElasticError::illegal("[alias] can't be empty string"))?;
    let alias = alias(&name, &Value::Object(body))?;
    let add = |index| Step {
        index,
        change: Change::Add {
            name: name.clone(),
            options: alias.clone(),
        },
    };
    let names = resolve(call, &given, Options::OF_ALIASES)?;
    apply(call, names.into_iter().map(add).collect()).await
}

async fn delete(call: &mut Call, expression: Option<&str>, names: &str) -> Result<Answer> {
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let indices = resolve(call, expression.unwrap_or("_all"), Options::OF_ALIASES)?;
    let steps = removals(call, &indices, names)?;
    match steps.is_empty() {
        true => Err(missing(&[names])),
        false => apply(call, steps).await,
    }
}

/// One change of `_aliases`.
struct Step {
    index: String,
    change: Change,
}

/// What is done with an index.
#[derive(Clone)]
enum Change {
    Add {
        name: String,
        options: Map<String, Value>,
    },
    Remove {
        name: String,
    },
    RemoveIndex,
}

/// The removals of the aliases that names stand for.
fn removals(call: &Call, indices: &[String], names: &str) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    for index in indices {
        let all = call.index(index, Action::CollMod)?.aliases();
        let (found, _) = wanted(Some(names), all.keys(), |name| all.contains_key(name));
        steps.extend(found.into_iter().map(|name| Step {
            index: index.clone(),
            change: Change::Remove { name },
        }));
    }
    Ok(steps)
}

/// No index has any of these aliases.
fn missing(names: &[&str]) -> ElasticError {
    let names: Vec<&str> = names.iter().flat_map(|names| names.split(',')).collect();
    let id = match names[..] {
        [one] => Value::from(one),
        _ => Value::from(names.clone()),
    };
    ElasticError::new(
        StatusCode::NOT_FOUND,
        "aliases_not_found_exception",
        format!("aliases [{}] missing", names.join(", ")),
    )
    .with("resource.type", "aliases")
    .with("resource.id", id)
}

/// Makes changes: those of the aliases of one index together, then indices go.
async fn apply(call: &Call, steps: Vec<Step>) -> Result<Answer> {
    let mut changes: BTreeMap<String, Vec<Change>> = BTreeMap::new();
    for Step { index, change } in steps {
        let action = match &change {
            Change::Add { name, .. } => {
                check_alias(call, &index, name)?;
                Action::CollMod
            }
            Change::Remove { .. } => Action::CollMod,
            Change::RemoveIndex => Action::DropCollection,
        };
        call.index(&index, action)?;
        changes.entry(index).or_default().push(change);
    }
    check_write_indices(call, &changes)?;
    let is_removed = |changes: &[Change]| changes.iter().any(|change| matches!(change, Change::RemoveIndex));
    let (removed, changed): (Vec<_>, Vec<_>) =
        changes.into_iter().partition(|(_, changes)| is_removed(changes));
    for (index, changes) in changed {
        let index = call.index(&index, Action::CollMod)?;
        index
            .change_aliases(|aliases| changes.into_iter().for_each(|change| change.make(aliases)))
            .await?;
    }
    for (index, _) in removed {
        let index = call.index(&index, Action::DropCollection)?;
        call.drop_index(&index).await?;
    }
    Ok(acknowledged())
}

/// Refuses changes by which an alias would have several indices to write to.
fn check_write_indices(call: &Call, changes: &BTreeMap<String, Vec<Change>>) -> Result<()> {
    let mut written: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in changes.values().flatten().filter_map(Change::added) {
        written.entry(name.clone()).or_default();
    }
    for index in rest::names::all(call) {
        let mut aliases = match call.index(&index, Action::Find) {
            Ok(found) => Map::clone(&found.aliases()),
            Err(_) => continue,
        };
        for change in changes.get(&index).into_iter().flatten() {
            change.clone().make(&mut aliases);
        }
        for (name, indices) in &mut written {
            let is_written = aliases
                .get(name)
                .and_then(|options| options.get("is_write_index"));
            indices.extend((is_written == Some(&Value::Bool(true))).then(|| index.clone()));
        }
    }
    match written.into_iter().find(|(_, indices)| indices.len() > 1) {
        None => Ok(()),
        Some((name, indices)) => Err(several_written(&name, &indices)),
    }
}

impl Change {
    /// The alias that it adds.
    fn added(&self) -> Option<&String> {
        match self {
            Change::Add { name, .. } => Some(name),
            Change::Remove { .. } | Change::RemoveIndex => None,
        }
    }

    /// Makes it, where it is one of an index's aliases.
    fn make(self, aliases: &mut Map<String, Value>) {
        match self {
            Change::Add { name, options } => drop(aliases.insert(name, Value::Object(options))),
            Change::Remove { name } => drop(aliases.shift_remove(&name)),
            Change::RemoveIndex => aliases.clear(),
        }
    }
}

/// `_aliases`: several changes in one request.
pub(crate) async fn change(call: &mut Call) -> Result<Answer> {
    if call.method == Method::GET {
        return get(call, None, None);
    }
    if call.method != Method::POST {
        return Err(call.not_allowed("GET, POST"));
    }
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let body = call.required_object()?;
    let actions = body.get("actions").and_then(Value::as_array);
    let actions = actions
        .filter(|actions| !actions.is_empty())
        .ok_or_else(|| ElasticError::illegal("No action specified"))?;
    let (mut steps, mut names) = (Vec::new(), Vec::new());
    for action in actions {
        let mut verbs = action.as_object().into_iter().flatten();
        let (Some((verb, options)), None) = (verbs.next(), verbs.next()) else {
            return Err(ElasticError::illegal(
                "Too many operations declared on operation entry, or none: each is an object with one of [add], [remove], [remove_index]",
            ));
        };
        steps.extend(action_steps(call, verb, options, &mut names)?);
    }
    // An action that finds no alias to remove is an error where no other has anything to do.
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    match steps.is_empty() {
        true => Err(missing(&names)),
        false => apply(call, steps).await,
    }
}

fn names_of(options: &mut Map<String, Value>, one: &str, many: &str) -> Result<Vec<String>> {
    let given = match (options.shift_remove(one), options.shift_remove(many)) {
        (Some(_), Some(_)) => {
            return Err(ElasticError::parsing(format!(
                "Only one of [{one}] and [{many}] is supported"
            )));
        }
        (given, other) => given.or(other),
    };
    let list = match given {
        Some(Value::String(name)) => vec![Value::String(name)],
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    };
    Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// What an action stands for; the names of its aliases are added to others.
fn action_steps(call: &Call, verb: &str, options: &Value, named: &mut Vec<String>) -> Result<Vec<Step>> {
    let mut options = options
        .as_object()
        .cloned()
        .ok_or_else(|| ElasticError::parsing(format!("[{verb}] must be an object")))?;
    let indices = names_of(&mut options, "index", "indices")?;
    let aliases = names_of(&mut options, "alias", "aliases")?;
    let must_exist = options.shift_remove("must_exist").and_then(|flag| flag.as_bool());
    if indices.is_empty() {
        return Err(ElasticError::illegal("One of [index] or [indices] is required"));
    }
    let names = resolve(call, &indices.join(","), Options::OF_ALIASES)?;
    named.extend(aliases.iter().cloned());
    if verb != "remove_index" && aliases.is_empty() {
        return Err(ElasticError::illegal("One of [alias] or [aliases] is required"));
    }
    let mut steps = Vec::new();
    match verb {
        "add" => {
            for name in &aliases {
                let options = alias(name, &Value::Object(options.clone()))?;
                steps.extend(names.iter().map(|index| Step {
                    index: index.clone(),
                    change: Change::Add {
                        name: name.clone(),
                        options: options.clone(),
                    },
                }));
            }
        }
        "remove" => {
            let aliases = aliases.join(",");
            steps = removals(call, &names, &aliases)?;
            if steps.is_empty() && must_exist == Some(true) {
                let reason = format!("required alias [{aliases}] does not exist");
                return Err(ElasticError::illegal(reason));
            }
        }
        "remove_index" => {
            steps.extend(names.into_iter().map(|index| Step {
                index,
                change: Change::RemoveIndex,
            }));
        }
        other => {
            return Err(ElasticError::parsing(format!(
                "[aliases] unknown field [{other}]"
            )));
        }
    }
    Ok(steps)
}
