//! Indices as a whole: making, dropping, describing, flushing them.

use crate::call::Call;
use crate::error::{ElasticError, Result};
use crate::names::{Options, resolve};
use crate::respond::{Answer, acknowledged, exists, ok};
use crate::settings;
use auth::Action;
use http::Method;
use serde_json::{Map, Value, json};

/// `/{index}`.
pub(crate) async fn run(call: &mut Call, name: &str) -> Result<Answer> {
    match call.method {
        Method::PUT => create(call, name).await,
        Method::DELETE => delete(call, name).await,
        Method::GET => get(call, name).await,
        Method::HEAD => head(call, name),
        _ => Err(call.not_allowed("DELETE, GET, HEAD, PUT")),
    }
}

async fn create(call: &mut Call, name: &str) -> Result<Answer> {
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    call.parameters
        .without_effect(&["timeout", "master_timeout", "wait_for_active_shards"]);
    call.parameters.end()?;
    let mut body = call.object()?;
    let given = match body.remove("settings") {
        None => Map::new(),
        Some(Value::Object(given)) => given,
        Some(_) => return Err(ElasticError::parsing("key [settings] must be an object")),
    };
    let settings = settings::normalized(&given)?;
    let mut mapping = body.remove("mappings");
    if typed {
        // The one type stands around its mapping.
        mapping = mapping.and_then(|mapping| {
            mapping
                .as_object()
                .and_then(|types| types.values().next().cloned())
        });
    } else if let Some(inner) = mapping.as_ref().and_then(|mapping| mapping.get("_doc")) {
        mapping = Some(inner.clone());
    }
    match body.remove("aliases") {
        None => {}
        Some(Value::Object(aliases)) if aliases.is_empty() => {}
        Some(_) => return Err(ElasticError::unsupported("[aliases] of an index")),
    }
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "unknown key [{other}] for create index"
        )));
    }
    let made = call.create_index(name, settings, mapping.as_ref()).await;
    made.map_err(|error| match error.kind {
        "mapper_parsing_exception" => {
            let reason = format!("Failed to parse mapping [_doc]: {}", error.reason);
            ElasticError {
                reason,
                ..error.clone()
            }
            .because(error)
        }
        _ => error,
    })?;
    Ok(ok(
        json!({"acknowledged": true, "shards_acknowledged": true, "index": name}),
    ))
}

async fn delete(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    call.parameters.without_effect(&["timeout", "master_timeout"]);
    call.parameters.end()?;
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::DropCollection)?;
        call.server.indices.forget(&index);
        call.server.engine.drop_collection(&index.namespace).await?;
    }
    Ok(acknowledged())
}

async fn get(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    call.parameters.without_effect(&[
        "local",
        "master_timeout",
        "include_type_name",
        "flat_settings",
        "include_defaults",
    ]);
    call.parameters.end()?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        let mapping = index.mapping().await?;
        answer.insert(
            name,
            json!({"aliases": {}, "mappings": mapping.source(), "settings": index.settings()}),
        );
    }
    Ok(ok(Value::Object(answer)))
}

fn head(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    call.parameters
        .without_effect(&["local", "flat_settings", "include_defaults"]);
    call.parameters.end()?;
    match resolve(call, expression, options) {
        Ok(names) => Ok(exists(!names.is_empty())),
        Err(error) if error.kind == "index_not_found_exception" => Ok(exists(false)),
        Err(error) => Err(error),
    }
}

fn shards(count: usize) -> Value {
    json!({"_shards": {"total": count, "successful": count, "failed": 0}})
}

/// `/{index}/_refresh`: nothing is to be done, since every search sees every write.
pub(crate) async fn refresh(call: &mut Call, expression: &str) -> Result<Answer> {
    let names = named(call, expression, &[])?;
    Ok(ok(shards(names.len())))
}

/// `/{index}/_flush`: what was acknowledged is on the disk before this too, but for writes that did not ask for it.
pub(crate) async fn flush(call: &mut Call, expression: &str) -> Result<Answer> {
    let names = named(call, expression, &["force", "wait_if_ongoing"])?;
    call.server.engine.flush().await?;
    Ok(ok(shards(names.len())))
}

/// `/{index}/_forcemerge`: files are merged by the store as it needs.
pub(crate) async fn forcemerge(call: &mut Call, expression: &str) -> Result<Answer> {
    let names = named(
        call,
        expression,
        &["flush", "max_num_segments", "only_expunge_deletes"],
    )?;
    Ok(ok(shards(names.len())))
}

fn named(call: &mut Call, expression: &str, without_effect: &[&str]) -> Result<Vec<String>> {
    if ![Method::GET, Method::POST].contains(&call.method) {
        return Err(call.not_allowed("GET, POST"));
    }
    let options = Options::take(&mut call.parameters)?;
    call.parameters.without_effect(without_effect);
    call.parameters.end()?;
    resolve(call, expression, options)
}
