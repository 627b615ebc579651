//! Mappings of indices: `/{index}/_mapping`.

use auth::Action;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::listed::is_listed;
use rest::names;
use rest::resolve::{Options, resolve};
use rest::respond::{self, Answer, acknowledged, ok};
use serde_json::{Map, Value, json};

pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    match call.method {
        Method::GET => get(call, expression).await,
        Method::PUT | Method::POST => put(call, expression, None).await,
        _ => Err(call.not_allowed("GET, POST, PUT")),
    }
}

/// `/{index}/_mapping/{type}`, as clients of earlier versions ask; the only type has a name only if `include_type_name` wants one.
pub(crate) async fn of_type(call: &mut Call, expression: &str, kind: &str) -> Result<Answer> {
    let typed = matches!(call.parameters.peek("include_type_name"), Some("" | "true"));
    match call.method {
        Method::GET if kind == "_all" || typed && kind == "_doc" => get(call, expression).await,
        Method::GET if !typed => Err(ElasticError::illegal(
            "Types cannot be provided in get mapping requests, unless include_type_name is set to true.",
        )),
        Method::GET => {
            let reason = format!("type[[{kind}]] missing");
            let missing = ElasticError::new(StatusCode::NOT_FOUND, "type_missing_exception", reason);
            Err(missing.with("index_uuid", "_na_").with("index", "_all"))
        }
        Method::PUT | Method::POST => put(call, expression, Some(kind)).await,
        _ => Err(call.not_allowed("GET, POST, PUT")),
    }
}

async fn get(call: &mut Call, expression: &str) -> Result<Answer> {
    let options = Options::take(&mut call.parameters)?;
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    call.parameters.end_without(&["local", "master_timeout"])?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let mapping = call.index(&name, Action::Find)?.mapping().await?;
        let shown = within_type(mapping.source(), typed);
        answer.insert(name, json!({"mappings": shown}));
    }
    Ok(ok(Value::Object(answer)))
}

/// A mapping below the name of the one type, where it is wanted so; an empty one has no type.
pub(super) fn within_type(mapping: &Map<String, Value>, typed: bool) -> Value {
    match typed && !mapping.is_empty() {
        true => json!({"_doc": mapping}),
        false => json!(mapping),
    }
}

async fn put(call: &mut Call, expression: &str, kind: Option<&str>) -> Result<Answer> {
    let options = Options::CHANGED.taken(&mut call.parameters)?;
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    let only_written = call.parameters.flag("write_index_only")?.unwrap_or(false);
    call.parameters.end_without(&["timeout", "master_timeout"])?;
    let source = Value::Object(untyped(call.required_object()?, typed, kind)?);
    let named = match only_written {
        true => written(call, expression)?,
        false => expression.to_owned(),
    };
    for name in resolve(call, &named, options)? {
        let index = call.index(&name, Action::CollMod)?;
        index.mapping().await?;
        index.put_mapping(&source).await?;
    }
    Ok(acknowledged())
}

/// What is put, without the type that a path names, and a body then may.
fn untyped(mut source: Map<String, Value>, typed: bool, kind: Option<&str>) -> Result<Map<String, Value>> {
    match kind {
        None if typed => Err(ElasticError::validation(&["mapping type is missing".to_owned()])),
        Some(kind) if typed && source.len() == 1 => match source.shift_remove(kind) {
            Some(Value::Object(inner)) => Ok(inner),
            Some(_) => Err(ElasticError::malformed("a mapping must be an object")),
            None => Ok(source),
        },
        Some(_) if typed => Ok(source),
        None if source.len() != 1 || !source.contains_key("_doc") => Ok(source),
        _ => Err(ElasticError::illegal(
            "Types cannot be provided in put mapping requests, unless the include_type_name parameter is set to true.",
        )),
    }
}

/// An expression with the index to write to in the place of each alias.
fn written(call: &Call, expression: &str) -> Result<String> {
    let one = |name: &str| -> Result<String> {
        let written = names::aliased(call, name, true)?;
        Ok(written.unwrap_or_else(|| name.to_owned()))
    };
    let names: Vec<String> = expression.split(',').map(one).collect::<Result<_>>()?;
    Ok(names.join(","))
}

/// `/{index}/_mapping/field/{fields}`.
pub(crate) async fn fields(call: &mut Call, expression: &str, fields: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let options = Options::take(&mut call.parameters)?;
    let defaults = call.parameters.flag("include_defaults")?.unwrap_or(false);
    let typed = call.parameters.flag("include_type_name")?.unwrap_or(false);
    call.parameters.end_without(&["local"])?;
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
        answer.insert(name, json!({"mappings": within_type(&found, typed)}));
    }
    let status = match answer.is_empty() {
        true => StatusCode::NOT_FOUND,
        false => StatusCode::OK,
    };
    Ok(respond::json(status, Value::Object(answer)))
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
