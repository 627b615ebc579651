//! Mappings of indices: `/{index}/_mapping`.

use crate::call::Call;
use crate::listed::is_listed;
use crate::resolve::{Options, resolve};
use crate::respond::{Answer, acknowledged, ok};
use auth::Action;
use http::Method;
use indices::error::Result;
use serde_json::{Map, Value, json};

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    match call.method {
        Method::GET => get(call, expression).await,
        Method::PUT | Method::POST => put(call, expression).await,
        _ => Err(call.not_allowed("GET, POST, PUT")),
    }
}

async fn get(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    call.parameters
        .end_without(&["local", "master_timeout", "include_type_name"])?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let mapping = call.index(&name, Action::Find)?.mapping().await?;
        answer.insert(name, json!({"mappings": mapping.source()}));
    }
    Ok(ok(Value::Object(answer)))
}

async fn put(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::ANY_STATE.taken(&mut call.parameters)?;
    call.parameters.end_without(&[
        "timeout",
        "master_timeout",
        "include_type_name",
        "write_index_only",
    ])?;
    let source = Value::Object(call.required_object()?);
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::CollMod)?;
        index.mapping().await?;
        index.put_mapping(&source).await?;
    }
    Ok(acknowledged())
}

/// `/{index}/_mapping/field/{fields}`.
pub(crate) async fn fields(call: &mut Call, expression: &str, fields: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let options = Options::take(&mut call.parameters)?;
    let defaults = call.parameters.flag("include_defaults")?.unwrap_or(false);
    call.parameters.end_without(&["local", "include_type_name"])?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let mapping = call.index(&name, Action::Find)?.mapping().await?;
        let mut found = Map::new();
        for (path, mut definition) in mapping.definitions() {
            if defaults {
                put_defaults(&mut definition);
            }
            if is_listed(fields, &path) {
                let last = path.rsplit('.').next().unwrap_or(&path).to_owned();
                found.insert(
                    path.clone(),
                    json!({"full_name": path, "mapping": {last: definition}}),
                );
            }
        }
        answer.insert(name, json!({"mappings": found}));
    }
    Ok(ok(Value::Object(answer)))
}

/// Adds what a field has where its mapping says nothing.
fn put_defaults(definition: &mut Value) {
    let Value::Object(definition) = definition else {
        return;
    };
    let defaults = match definition.get("type").and_then(Value::as_str) {
        Some("text") => {
            json!({"analyzer": "default", "index": true, "norms": true, "store": false, "fielddata": false,
            "index_options": "positions", "similarity": "BM25"})
        }
        Some("keyword") => {
            json!({"index": true, "doc_values": true, "store": false, "norms": false, "ignore_above": 2147483647_i64,
            "null_value": null, "similarity": "BM25"})
        }
        _ => json!({"index": true, "doc_values": true, "store": false}),
    };
    for (name, value) in defaults.as_object().into_iter().flatten() {
        definition.entry(name.clone()).or_insert_with(|| value.clone());
    }
}
