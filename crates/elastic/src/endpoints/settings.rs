//! Settings of indices: `/{index}/_settings`, and of the cluster: `_cluster/settings`.

use super::nodes::ATTRIBUTES;
use auth::Action;
use http::{Method, StatusCode};
use indices::cluster_settings;
use indices::error::{ElasticError, Result};
use indices::settings::{self, check_dynamic, check_kept, flat, normalized, only_new};
use rest::call::Call;
use rest::definition::is_named;
use rest::kept::Family;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, acknowledged, ok};
use serde_json::{Map, Value, json};

/// `/{index}/_settings/{names}`.
pub(crate) async fn run(call: &mut Call, expression: &str, names: Option<&str>) -> Result<Answer> {
    match (call.method.clone(), names) {
        (Method::GET, _) => get(call, expression, names).await,
        (Method::PUT, None) => put(call, expression).await,
        _ => Err(call.not_allowed("GET, PUT")),
    }
}

async fn get(call: &mut Call, expression: &str, names: Option<&str>) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    let is_flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    let defaults = call.parameters.flag("include_defaults")?.unwrap_or(false);
    call.parameters.end_without(&["local", "master_timeout"])?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        let Value::Object(mut all) = flat(&index.settings(call.human)) else {
            continue;
        };
        let keep = |all: &mut Map<String, Value>| {
            all.retain(|setting, _| names.is_none_or(|names| is_named(names, setting)));
        };
        let shown = |all: Map<String, Value>| match is_flat {
            true => Value::Object(all),
            false => tree(all),
        };
        keep(&mut all);
        // An index that has none of them is not shown.
        if all.is_empty() {
            continue;
        }
        let mut one = json!({"settings": shown(all)});
        if defaults && let Value::Object(mut usual) = settings::defaults(&index.given_settings(), true) {
            keep(&mut usual);
            one["defaults"] = shown(usual);
        }
        answer.insert(name, one);
    }
    Ok(ok(Value::Object(answer)))
}

/// Whole names as a tree.
fn tree(flat: Map<String, Value>) -> Value {
    let mut out = Map::new();
    for (name, value) in flat {
        put_at(&mut out, &name, value);
    }
    Value::Object(out)
}

fn put_at(into: &mut Map<String, Value>, name: &str, value: Value) {
    match name.split_once('.') {
        None => drop(into.insert(name.to_owned(), value)),
        Some((first, rest)) => {
            if let Value::Object(inner) = into.entry(first).or_insert_with(|| json!({})) {
                put_at(inner, rest, value);
            }
        }
    }
}

async fn put(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::CHANGED.taken(&mut call.parameters)?;
    let keeps = call.parameters.flag("preserve_existing")?.unwrap_or(false);
    call.parameters
        .end_without(&["timeout", "master_timeout", "flat_settings"])?;
    let mut body = call.required_object()?;
    if let (1, Some(Value::Object(inner))) = (body.len(), body.get("settings").cloned()) {
        body = inner;
    }
    let new = normalized(&body)?;
    let mut indices = Vec::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::CollMod)?;
        match index.is_closed() {
            true => check_kept(&new, &name)?,
            false => check_dynamic(&new, &name)?,
        }
        indices.push(index);
    }
    for index in indices {
        let new = match keeps {
            true => only_new(new.clone(), &index.given_settings()),
            false => new.clone(),
        };
        index.put_settings(new).await?;
    }
    Ok(acknowledged())
}

/// `_cluster/settings`.
pub(crate) async fn cluster(call: &mut Call) -> Result<Answer> {
    let puts = match call.method {
        Method::GET => false,
        Method::PUT => true,
        _ => return Err(call.not_allowed("GET, PUT")),
    };
    let is_flat = call.parameters.flag("flat_settings")?.unwrap_or(false);
    let defaults = call.parameters.flag("include_defaults")?.unwrap_or(false);
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let mut answer = Map::new();
    if puts {
        answer.insert("acknowledged".to_owned(), json!(true));
    }
    let body = if puts { call.required_object()? } else { Map::new() };
    if puts {
        call.require_server()?;
        check_cluster(&body)?;
    }
    for kind in ["persistent", "transient"] {
        let mut given = Map::new();
        if let Some(new) = body.get(kind) {
            given = change(call, kind, new).await?;
        }
        let shown = match puts {
            true => given,
            false => call.cluster_settings(kind).await?,
        };
        answer.insert(
            kind.to_owned(),
            if is_flat {
                Value::Object(shown)
            } else {
                tree(shown)
            },
        );
    }
    if defaults {
        let all = usual();
        answer.insert(
            "defaults".to_owned(),
            if is_flat { Value::Object(all) } else { tree(all) },
        );
    }
    Ok(ok(Value::Object(answer)))
}

/// The settings of the cluster where nothing was given, and those of its node.
fn usual() -> Map<String, Value> {
    let all = json!({"search.max_buckets": "65535", "search.max_keep_alive": "24h", "search.default_keep_alive": "5m",
        "cluster.name": "larder", "node.name": engine::host_name()});
    let mut all = all.as_object().cloned().unwrap_or_default();
    all.extend(ATTRIBUTES.map(|(name, value)| (format!("node.attr.{name}"), json!(value))));
    all
}

/// Refuses a setting of either kind before any is changed.
fn check_cluster(body: &Map<String, Value>) -> Result<()> {
    const KINDS: [&str; 2] = ["transient", "persistent"];
    if let Some(other) = body.keys().find(|name| !KINDS.contains(&name.as_str())) {
        return Err(ElasticError::new(
            StatusCode::BAD_REQUEST,
            "x_content_parse_exception",
            format!("[cluster_update_settings_request] unknown field [{other}]"),
        ));
    }
    let mut is_empty = true;
    for kind in KINDS {
        let given = body.get(kind).filter(|given| !given.is_null());
        let Some(Value::Object(given)) = given.map(flat) else {
            continue;
        };
        is_empty &= given.is_empty();
        // A pattern takes back what there is.
        let is_pattern = |name: &str, value: &Value| value.is_null() && name.ends_with('*');
        let mut new = given.iter().filter(|(name, value)| !is_pattern(name, value));
        new.try_for_each(|(name, value)| cluster_settings::check(kind, name, value))?;
    }
    match is_empty {
        true => Err(ElasticError::validation(&["no settings to update".to_owned()])),
        false => Ok(()),
    }
}

/// Changes the settings of a kind; gives those that were given.
async fn change(call: &Call, kind: &str, new: &Value) -> Result<Map<String, Value>> {
    let mut all = call.cluster_settings(kind).await?;
    let mut given = Map::new();
    let Value::Object(new) = flat(new) else {
        return Ok(given);
    };
    for (name, value) in new {
        if value.is_null() {
            all.retain(|present, _| !search::simple_match(&name, present));
            continue;
        }
        let value = settings::text(&value);
        all.insert(name.clone(), value.clone());
        given.insert(name, value);
    }
    call.keep(Family::ClusterSettings, kind, Some(&Value::Object(all)))
        .await?;
    Ok(given)
}
