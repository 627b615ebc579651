//! Ingest pipelines: `_ingest/pipeline`.

use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use ingest::{Context, Failure, Host, Pipeline, Step, StepStatus};
use rest::call::Call;
use rest::kept::Family;
use rest::listed::is_listed;
use rest::pipelines::Pipelines;
use rest::respond::{Answer, acknowledged, json, ok};
use search::class_of_json;
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
    Pipeline::parse_as(name, &definition)?;
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
        (None, None) => return Err(of_property("pipeline", "required property is missing")),
    };
    // What else the body has is not looked at.
    let documents = match body.shift_remove("docs") {
        Some(Value::Array(documents)) => documents,
        None | Some(Value::Null) => return Err(of_property("docs", "required property is missing")),
        Some(other) => return Err(not_of("docs", "a list", &other)),
    };
    if documents.is_empty() {
        return Err(ElasticError::illegal(
            "must specify at least one document in [docs]",
        ));
    }
    if documents.len() > SIMULATED_MAX {
        return Err(ElasticError::illegal(format!(
            "at most {SIMULATED_MAX} documents can be simulated at once"
        )));
    }
    let shown: Result<Vec<Value>> = documents
        .iter()
        .map(|document| {
            let simulation = Simulation {
                metadata: metadata_of(document),
                is_verbose,
            };
            Ok(simulation.run(&pipelines, &pipeline, context_of(document)?))
        })
        .collect();
    Ok(ok(json!({"docs": shown?})))
}

fn context_of(document: &Value) -> Result<Context> {
    let Value::Object(document) = document else {
        return Err(ElasticError::illegal(
            "malformed [docs] section, should include an inner object",
        ));
    };
    let text = |name: &str| match document.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Null) | None => None,
        Some(other) => Some(other.to_string()),
    };
    let source = match document.get("_source") {
        Some(source @ Value::Object(_)) => source,
        None | Some(Value::Null) => return Err(of_property("_source", "required property is missing")),
        Some(other) => return Err(not_of("_source", "a map", other)),
    };
    Ok(Context {
        index: text("_index").unwrap_or_else(|| "_index".to_owned()),
        id: Some(text("_id").unwrap_or_else(|| "_id".to_owned())),
        routing: text("_routing"),
        source: indices::documents::document_of(source.to_string().as_bytes())?.to_document(),
        ..Context::default()
    })
}

/// What a document says of itself that pipelines do not change, as it is shown.
fn metadata_of(document: &Value) -> Map<String, Value> {
    const NAMES: [&str; 5] = [
        "_type",
        "_version",
        "_version_type",
        "_if_seq_no",
        "_if_primary_term",
    ];
    let shown = |name: &str| match document.get(name)? {
        Value::Null => None,
        Value::String(text) => Some((name.to_owned(), json!(text))),
        other => Some((name.to_owned(), json!(other.to_string()))),
    };
    NAMES.into_iter().filter_map(shown).collect()
}

/// A property of the request is wrong.
fn of_property(name: &str, reason: &str) -> ElasticError {
    let reason = format!("[{name}] {reason}");
    let error = ElasticError::new(StatusCode::BAD_REQUEST, "parse_exception", reason);
    error.with("property_name", name)
}

/// A property of the request is not of the type that it must have.
fn not_of(name: &str, wanted: &str, found: &Value) -> ElasticError {
    let class = class_of_json(found);
    of_property(name, &format!("property isn't {wanted}, but of type [{class}]"))
}

/// How a document is put through a pipeline.
struct Simulation {
    metadata: Map<String, Value>,
    is_verbose: bool,
}

impl Simulation {
    fn run(&self, pipelines: &Pipelines<'_>, pipeline: &Pipeline, mut context: Context) -> Value {
        if self.is_verbose {
            let mut steps = Vec::new();
            // The last step says what went wrong.
            let _ = pipeline.trace(&mut context, pipelines, &mut steps);
            let steps: Vec<Value> = steps.into_iter().map(|step| self.step(step)).collect();
            return json!({"processor_results": steps});
        }
        match pipeline.run(&mut context, pipelines) {
            Ok(true) => json!({"doc": self.shown(&context)}),
            Ok(false) => Value::Null,
            Err(failure) => json!({"error": error(failure)}),
        }
    }

    fn step(&self, step: Step) -> Value {
        let status = match step.status {
            StepStatus::Success(_) | StepStatus::Called => "success",
            StepStatus::Skipped => "skipped",
            StepStatus::Dropped => "dropped",
            StepStatus::Failed(_) => "error",
            StepStatus::Ignored(..) => "error_ignored",
        };
        let mut shown = json!({"processor_type": step.processor, "status": status});
        if let Some(description) = step.description {
            shown["description"] = json!(description);
        }
        if let Some(tag) = step.tag {
            shown["tag"] = json!(tag);
        }
        if let Some((condition, result)) = step.condition {
            shown["if"] = json!({"condition": condition, "result": result});
        }
        match step.status {
            StepStatus::Success(context) => shown["doc"] = self.shown(&context),
            StepStatus::Failed(failure) => shown["error"] = error(failure),
            StepStatus::Ignored(failure, context) => {
                shown["ignored_error"] = json!({"error": error(failure)});
                shown["doc"] = self.shown(&context);
            }
            StepStatus::Called | StepStatus::Skipped | StepStatus::Dropped => {}
        }
        shown
    }

    fn shown(&self, context: &Context) -> Value {
        let of = |document: &value::Document| Value::Object(::json::exact_object(&document.into()));
        let mut doc = Map::from_iter([
            ("_index".to_owned(), json!(context.index)),
            ("_type".to_owned(), json!("_doc")),
            ("_id".to_owned(), json!(context.id)),
        ]);
        if let Some(routing) = &context.routing {
            doc.insert("_routing".to_owned(), json!(routing));
        }
        doc.extend(self.metadata.clone());
        doc.insert("_source".to_owned(), of(&context.source));
        doc.insert("_ingest".to_owned(), of(&context.ingest));
        Value::Object(doc)
    }
}

fn error(failure: Failure) -> Value {
    let answer = ElasticError::from(failure).to_answer();
    answer.get("error").cloned().unwrap_or_default()
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
