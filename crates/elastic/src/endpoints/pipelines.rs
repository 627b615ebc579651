//! Ingest pipelines: `_ingest/pipeline`.

use crate::call::Call;
use crate::kept::Family;
use crate::listed::is_listed;
use crate::pipelines::Pipelines;
use crate::respond::{Answer, acknowledged, json, ok};
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use ingest::{Context, Failure, Host, Pipeline, Step, StepStatus};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Documents of one simulation at most.
const SIMULATED_MAX: usize = 1000;

/// `/_ingest/pipeline/{name}`.
pub(crate) async fn run(call: &mut Call, name: Option<&str>) -> Result<Answer> {
    match (call.method.clone(), name) {
        (Method::GET, name) => get(call, name).await,
        (Method::PUT, Some(name)) => put(call, name).await,
        (Method::DELETE, Some(name)) => delete(call, name).await,
        _ => Err(call.not_allowed("DELETE, GET, PUT")),
    }
}

async fn get(call: &mut Call, wanted: Option<&str>) -> Result<Answer> {
    let is_summary = call.parameters.flag("summary")?.unwrap_or(false);
    call.parameters.end_without(&["master_timeout"])?;
    let mut found = Map::new();
    for (name, definition) in call.kept(Family::Pipeline).await? {
        if wanted.is_none_or(|wanted| is_listed(wanted, &name)) {
            found.insert(name, if is_summary { json!({}) } else { definition });
        }
    }
    match wanted.is_some_and(|wanted| found.is_empty() && wanted != "*") {
        true => Ok(json(StatusCode::NOT_FOUND, json!({}))),
        false => Ok(ok(Value::Object(found))),
    }
}

async fn put(call: &mut Call, name: &str) -> Result<Answer> {
    call.parameters.end_without(&["master_timeout", "timeout"])?;
    let definition = Value::Object(call.required_object()?);
    Pipeline::parse(&definition)?;
    call.check_scripts_of(&definition).await?;
    call.keep(Family::Pipeline, name, Some(&definition)).await?;
    Ok(acknowledged())
}

async fn delete(call: &mut Call, wanted: &str) -> Result<Answer> {
    call.parameters.end_without(&["master_timeout", "timeout"])?;
    let all = call.kept(Family::Pipeline).await?;
    let found: Vec<String> = all
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| is_listed(wanted, name))
        .collect();
    if found.is_empty() && wanted != "*" {
        return Err(ElasticError::new(
            StatusCode::NOT_FOUND,
            "resource_not_found_exception",
            format!("pipeline [{wanted}] is missing"),
        ));
    }
    for name in found {
        call.keep(Family::Pipeline, &name, None).await?;
    }
    Ok(acknowledged())
}

/// `/_ingest/pipeline/{name}/_simulate`: what a pipeline would make of documents.
pub(crate) async fn simulate(call: &mut Call, name: Option<&str>) -> Result<Answer> {
    call.only(&[Method::GET, Method::POST])?;
    let is_verbose = call.parameters.flag("verbose")?.unwrap_or(false);
    call.parameters.end()?;
    let mut body = call.required_object()?;
    let pipelines = call.pipelines().await?;
    let pipeline = match (body.shift_remove("pipeline"), name) {
        (Some(definition), None) => Arc::new(Pipeline::parse(&definition)?),
        (_, Some(name)) => pipelines
            .pipeline(name)
            .ok_or_else(|| ElasticError::illegal(format!("pipeline [{name}] does not exist")))?,
        (None, None) => {
            let error = ElasticError::new(
                StatusCode::BAD_REQUEST,
                "parse_exception",
                "[pipeline] required property is missing",
            );
            return Err(error.with("property_name", "pipeline"));
        }
    };
    let Some(Value::Array(documents)) = body.shift_remove("docs") else {
        let error = ElasticError::new(
            StatusCode::BAD_REQUEST,
            "parse_exception",
            "[docs] required property is missing",
        );
        return Err(error.with("property_name", "docs"));
    };
    if let Some(other) = body.keys().next() {
        return Err(ElasticError::parsing(format!(
            "unknown key [{other}] of a simulation"
        )));
    }
    if documents.is_empty() || documents.len() > SIMULATED_MAX {
        return Err(ElasticError::illegal(format!(
            "must specify at least one document in [docs], and at most {SIMULATED_MAX}"
        )));
    }
    let shown: Result<Vec<Value>> = documents
        .iter()
        .map(|document| simulated(&pipelines, &pipeline, context_of(document)?, is_verbose))
        .collect();
    Ok(ok(json!({"docs": shown?})))
}

fn context_of(document: &Value) -> Result<Context> {
    let Value::Object(document) = document else {
        return Err(ElasticError::new(
            StatusCode::BAD_REQUEST,
            "parse_exception",
            "malformed [docs] section, should include an inner object",
        ));
    };
    let text = |name: &str| match document.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Null) | None => None,
        Some(other) => Some(other.to_string()),
    };
    let Some(source) = document.get("_source").filter(|source| source.is_object()) else {
        let error = ElasticError::new(
            StatusCode::BAD_REQUEST,
            "parse_exception",
            "[_source] required property is missing",
        );
        return Err(error.with("property_name", "_source"));
    };
    Ok(Context {
        index: text("_index").unwrap_or_else(|| "_index".to_owned()),
        id: Some(text("_id").unwrap_or_else(|| "_id".to_owned())),
        routing: text("_routing"),
        source: indices::documents::document_of(source.to_string().as_bytes())?.to_document(),
        ..Context::default()
    })
}

fn simulated(
    pipelines: &Pipelines<'_>,
    pipeline: &Pipeline,
    mut context: Context,
    is_verbose: bool,
) -> Result<Value> {
    if is_verbose {
        let mut steps = Vec::new();
        // The last step says what went wrong.
        let _ = pipeline.trace(&mut context, pipelines, &mut steps);
        let steps: Result<Vec<Value>> = steps.into_iter().map(step).collect();
        return Ok(json!({"processor_results": steps?}));
    }
    match pipeline.run(&mut context, pipelines) {
        Ok(true) => Ok(json!({"doc": shown(&context)})),
        Ok(false) => Ok(Value::Null),
        Err(failure) => Ok(json!({"error": error(failure)})),
    }
}

fn error(failure: Failure) -> Value {
    let answer = ElasticError::from(failure).to_answer();
    answer.get("error").cloned().unwrap_or_default()
}

fn step(step: Step) -> Result<Value> {
    let mut shown_step = json!({"processor_type": step.processor});
    if let Some(tag) = step.tag {
        shown_step["tag"] = json!(tag);
    }
    let status = match step.status {
        StepStatus::Success(context) => {
            shown_step["doc"] = shown(&context);
            "success"
        }
        StepStatus::Skipped => "skipped",
        StepStatus::Dropped => "dropped",
        StepStatus::Failed(failure) => {
            shown_step["error"] = error(failure);
            "error"
        }
        StepStatus::Ignored(failure, context) => {
            shown_step["ignored_error"] = json!({"error": error(failure)});
            shown_step["doc"] = shown(&context);
            "error_ignored"
        }
    };
    shown_step["status"] = json!(status);
    Ok(shown_step)
}

fn shown(context: &Context) -> Value {
    let of = |document: &value::Document| Value::Object(::json::exact_object(&document.into()));
    let mut doc = json!({"_index": context.index, "_type": "_doc", "_id": context.id, "_source": of(&context.source), "_ingest": of(&context.ingest)});
    if let Some(routing) = &context.routing {
        doc["_routing"] = json!(routing);
    }
    doc
}

/// `/_ingest/processor/grok`: the expressions that go by a name.
pub(crate) fn grok(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    call.parameters.end_without(&["s"])?;
    let patterns: Map<String, Value> = ingest::grok_patterns()
        .map(|(name, pattern)| (name.to_owned(), json!(pattern)))
        .collect();
    Ok(ok(json!({"patterns": patterns})))
}
