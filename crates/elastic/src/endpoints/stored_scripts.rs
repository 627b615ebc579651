//! `/_scripts/{id}`: templates of searches and scripts that are kept.

use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use indices::scripts::compile;
use mustache::Template;
use rest::call::Call;
use rest::kept::Family;
use rest::respond::{Answer, acknowledged, json, ok};
use serde_json::{Value, json};

pub(crate) async fn run(call: &mut Call, id: &str, context: Option<&str>) -> Result<Answer> {
    call.parameters
        .end_without(&["timeout", "master_timeout", "context"])?;
    match call.method {
        Method::PUT | Method::POST => put(call, id).await,
        Method::GET if context.is_none() => get(call, id).await,
        Method::DELETE if context.is_none() => delete(call, id).await,
        _ => Err(call.not_allowed("DELETE, GET, POST, PUT")),
    }
}

async fn put(call: &Call, id: &str) -> Result<Answer> {
    let body = call.required_object()?;
    if let Some(other) = body.keys().next().filter(|name| *name != "script") {
        return Err(ElasticError::parsing(format!(
            "unexpected field [{other}], expected [script]"
        )));
    }
    let script = body.get("script").and_then(Value::as_object);
    let script = script.ok_or_else(|| ElasticError::illegal("must specify a [script] that is an object"))?;
    // Elasticsearch ignores other members, of which its own examples have one: the parameters of a template.
    let language = match script.get("lang").and_then(Value::as_str) {
        Some(language @ ("mustache" | "painless")) => language,
        Some(language) => {
            return Err(ElasticError::unsupported(format!(
                "a stored script in [{language}]"
            )));
        }
        None => {
            return Err(ElasticError::illegal("must specify lang for stored script"));
        }
    };
    let source = script
        .get("source")
        .ok_or_else(|| ElasticError::illegal("must specify source for stored script"))?;
    let source = source_text(source);
    match language {
        "painless" => drop(compile(&source)?),
        _ => drop(Template::parse(&source)?),
    }
    let kept = json!({"lang": language, "source": source});
    call.keep(Family::Script, id, Some(&kept)).await?;
    Ok(acknowledged())
}

/// The text of a template, which may come as JSON.
pub(super) fn source_text(source: &Value) -> String {
    source.as_str().map_or_else(|| source.to_string(), str::to_owned)
}

async fn get(call: &Call, id: &str) -> Result<Answer> {
    Ok(match call.kept_one(Family::Script, id).await? {
        Some(script) => ok(json!({"_id": id, "found": true, "script": script})),
        None => json(StatusCode::NOT_FOUND, json!({"_id": id, "found": false})),
    })
}

async fn delete(call: &Call, id: &str) -> Result<Answer> {
    if call.kept_one(Family::Script, id).await?.is_none() {
        let reason = format!("stored script [{id}] does not exist and cannot be deleted");
        return Err(ElasticError::new(
            StatusCode::NOT_FOUND,
            "resource_not_found_exception",
            reason,
        ));
    }
    call.keep(Family::Script, id, None).await?;
    Ok(acknowledged())
}
