//! `/_scripts/painless/_execute`: a script is tried out.

use auth::Action;
use http::Method;
use indices::documents::document_of;
use indices::error::{ElasticError, Result};
use indices::scripts::Prepared;
use rest::call::Call;
use rest::respond::{Answer, ok};
use search::{DocumentScript, Mapping};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use value::DocumentBuf;

pub(crate) async fn run(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    call.parameters.end()?;
    let mut body = call.source_object()?;
    let (script, context) = (body.shift_remove("script"), body.shift_remove("context"));
    let setup = body.shift_remove("context_setup");
    end("painless_execute_request", &body)?;
    let script = script.ok_or_else(|| ElasticError::illegal("Required [script]"))?;
    let mut faults = Vec::new();
    if script.get("id").is_some() {
        faults.push("only inline scripts are supported".to_owned());
    }
    let result = match context.as_ref().map(Value::as_str) {
        None | Some(Some("painless_test")) => {
            check(&faults)?;
            json!(Prepared::of_json(&script)?.text()?)
        }
        Some(Some("filter")) => {
            let (mapping, document) = tried(call, setup, faults).await?;
            json!(DocumentScript::parse(&script)?.is_true_for(&mapping, document.as_ref())?)
        }
        Some(Some("score")) => {
            let (mapping, document) = tried(call, setup, faults).await?;
            json!(DocumentScript::parse(&script)?.number_for(&mapping, document.as_ref())?)
        }
        Some(other) => {
            let name = other.unwrap_or_default();
            return Err(ElasticError::unsupported(format!("the script context [{name}]")));
        }
    };
    Ok(ok(json!({"result": result})))
}

/// The document that a script is to see, which no index has, and the mapping that it fits.
async fn tried(
    call: &Call,
    setup: Option<Value>,
    mut faults: Vec<String>,
) -> Result<(Arc<Mapping>, DocumentBuf)> {
    let mut setup = match setup {
        Some(Value::Object(setup)) => setup,
        None => Map::new(),
        Some(_) => return Err(ElasticError::parsing("[context_setup] must be an object")),
    };
    if setup.contains_key("query") {
        return Err(ElasticError::unsupported("[query] of [context_setup]"));
    }
    let (index, document) = (setup.shift_remove("index"), setup.shift_remove("document"));
    end("execute_script_context", &setup)?;
    let index = index.as_ref().and_then(Value::as_str);
    for (name, is_missing) in [("index", index.is_none()), ("document", document.is_none())] {
        if is_missing {
            faults.push(format!("{name} is a required parameter for current context"));
        }
    }
    check(&faults)?;
    let index = call.open_index(index.unwrap_or_default(), Action::Find)?;
    let document = document_of(document.unwrap_or_default().to_string().as_bytes())?;
    let mapping = index.mapping().await?;
    mapping.brings(document.as_ref())?;
    Ok((mapping, document))
}

fn check(faults: &[String]) -> Result<()> {
    match faults.is_empty() {
        true => Ok(()),
        false => Err(ElasticError::validation(faults)),
    }
}

fn end(parser: &str, object: &Map<String, Value>) -> Result<()> {
    match object.keys().next() {
        None => Ok(()),
        Some(other) => Err(ElasticError::parsing(format!(
            "[{parser}] unknown field [{other}]"
        ))),
    }
}
