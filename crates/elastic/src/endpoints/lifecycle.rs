//! Policies of lifecycles: `_ilm`.

use crate::lifecycle::{Policy, is_stopped, set_stopped, standing};
use auth::Action;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::kept::Family;
use rest::listed::is_listed;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, acknowledged, ok};
use serde_json::{Map, Value, json};

/// `/_ilm/policy/{name}`.
pub(crate) async fn run(call: &mut Call, name: Option<&str>) -> Result<Answer> {
    match (call.method.clone(), name) {
        (Method::GET, name) => get(call, name).await,
        (Method::PUT, Some(name)) => put(call, name).await,
        (Method::DELETE, Some(name)) => delete(call, name).await,
        _ => Err(call.not_allowed("DELETE, GET, PUT")),
    }
}

fn missing(name: &str) -> ElasticError {
    let reason = format!("Lifecycle policy not found: {name}");
    ElasticError::new(StatusCode::NOT_FOUND, "resource_not_found_exception", reason)
}

async fn get(call: &mut Call, wanted: Option<&str>) -> Result<Answer> {
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let mut found = Map::new();
    for (name, policy) in call.kept(Family::Lifecycle).await? {
        if wanted.is_none_or(|wanted| is_listed(wanted, &name)) {
            found.insert(name, policy);
        }
    }
    match wanted.filter(|wanted| found.is_empty() && !wanted.contains('*')) {
        Some(wanted) => Err(missing(wanted)),
        None => Ok(ok(Value::Object(found))),
    }
}

async fn put(call: &mut Call, name: &str) -> Result<Answer> {
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let mut body = call.required_object()?;
    let policy = body.shift_remove("policy");
    let policy =
        policy.ok_or_else(|| ElasticError::parsing("[put_lifecycle_request] needs an object [policy]"))?;
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "[put_lifecycle_request] unknown field [{other}]"
        )));
    }
    Policy::parse(&policy)?;
    let before = call.kept_one(Family::Lifecycle, name).await?;
    let version = before
        .and_then(|before| before.get("version")?.as_u64())
        .unwrap_or(0)
        + 1;
    let now = i64::try_from(call.server.engine.now_ms()).unwrap_or(i64::MAX);
    let kept = json!({"version": version, "modified_date": search::date_text(now), "policy": policy});
    call.keep(Family::Lifecycle, name, Some(&kept)).await?;
    Ok(acknowledged())
}

async fn delete(call: &mut Call, name: &str) -> Result<Answer> {
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    if call.kept_one(Family::Lifecycle, name).await?.is_none() {
        return Err(missing(name));
    }
    let mut users = Vec::new();
    for index in rest::names::all(call) {
        let found = standing(&call.index(&index, Action::Find)?);
        if found.is_some_and(|found| found.policy == name) {
            users.push(index);
        }
    }
    if !users.is_empty() {
        return Err(ElasticError::illegal(format!(
            "Cannot delete policy [{name}]. It is in use by one or more indices: [{}]",
            users.join(", ")
        )));
    }
    call.keep(Family::Lifecycle, name, None).await?;
    Ok(acknowledged())
}

/// `/_ilm/status`.
pub(crate) async fn status(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let mode = match is_stopped(call).await? {
        true => "STOPPED",
        false => "RUNNING",
    };
    Ok(ok(json!({"operation_mode": mode})))
}

/// `/_ilm/stop` and `/_ilm/start`.
pub(crate) async fn set_mode(call: &mut Call, stops: bool) -> Result<Answer> {
    call.only(&[Method::POST])?;
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    set_stopped(call, stops).await?;
    Ok(acknowledged())
}

/// `/{index}/_ilm/remove`: indices without their policies.
pub(crate) async fn remove(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    for name in resolve(call, expression, Options::CHANGED)? {
        let index = call.index(&name, Action::CollMod)?;
        index
            .put_settings(Map::from_iter([("lifecycle".to_owned(), Value::Null)]))
            .await?;
    }
    Ok(ok(json!({"has_failures": false, "failed_indexes": []})))
}

/// `/{index}/_ilm/explain`: how indices stand with their policies.
pub(crate) async fn explain(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let only_managed = call.parameters.flag("only_managed")?.unwrap_or(false);
    call.parameters
        .end_without(&["timeout", "master_timeout", "only_errors"])?;
    let now = i64::try_from(call.server.engine.now_ms()).unwrap_or(i64::MAX);
    let mut shown = Map::new();
    for name in resolve(call, expression, Options::ANY_STATE)? {
        let index = call.index(&name, Action::Find)?;
        match standing(&index) {
            Some(standing) => {
                let phase = if standing.was_rolled { "delete" } else { "hot" };
                let age = now.saturating_sub(standing.since_ms).max(0) / 1000;
                let one = json!({
                    "index": name, "managed": true, "policy": standing.policy, "lifecycle_date_millis": standing.since_ms,
                    "age": format!("{age}s"), "phase": phase,
                });
                shown.insert(name, one);
            }
            None if only_managed => {}
            None => drop(shown.insert(name.clone(), json!({"index": name, "managed": false}))),
        }
    }
    Ok(ok(json!({"indices": shown})))
}
