//! Changes of all documents that a query finds: `_delete_by_query`, `_update_by_query`, `_reindex`. They run as tasks, which can be
//! asked after and cancelled; whoever waits for one waits for its task.

mod job;
mod progress;
mod reindex;
mod remote;

pub(crate) use reindex::reindex;

use super::search::{parameters_query, slices};
use super::tasks;
use crate::lookups;
use auth::Action;
use engine::Context;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use indices::scan;
use indices::scripts::Prepared;
use job::{Job, Work};
use progress::{Pace, Progress};
use rest::call::Call;
use rest::parameters::Parameters;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, json, ok};
use rest::tasks::{About, Task};
use search::token_of;
use search::{Request, Slice, parse_sort};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use tokio::sync::oneshot;

/// `/{index}/_delete_by_query` and `/{index}/_update_by_query`.
pub(crate) async fn change(call: &mut Call, expression: &str, deletes: bool) -> Result<Answer> {
    let names_batch = call.parameters.has("scroll_size");
    let mut options = begin(call)?;
    let indices = Options::OPEN.taken(&mut call.parameters)?;
    let by_parameter = parameters_query(&mut call.parameters)?;
    call.parameters.end()?;
    let mut body = call.object()?;
    refuse(&body, &["sort"])?;
    let slice = slice_of(&mut body)?;
    lookups::fill(call, expression, &mut body).await?;
    let script = script_of(&mut body, deletes)?;
    // The body is that of a search, whose hits come in batches of this size, and whole whatever it wants of them.
    if let Some(size) = body.shift_remove("size").filter(|_| !names_batch) {
        options.pace.batch = batch_size("size", size.as_i64())?;
    }
    if deletes {
        body.shift_remove("_source");
    }
    options.read(&mut body)?;
    let query = body.shift_remove("query");
    if let Some((other, value)) = body.iter().next() {
        return Err(unknown_key(other, value));
    }
    let query = match (by_parameter, query) {
        (Some(query), _) => Some(query),
        (None, Some(query)) => Some(search::parse_query(&query)?),
        (None, None) if deletes => return Err(ElasticError::validation(&["query is missing".to_owned()])),
        (None, None) => None,
    };
    let action = if deletes { Action::Remove } else { Action::Update };
    let mut found = Vec::new();
    for name in resolve(call, expression, indices)? {
        let index = call.open_index(&name, action)?;
        call.require(Action::Find, &index.namespace)?;
        found.push((index, 1.0));
    }
    let (work, name, action) = match deletes {
        true => (Work::Delete, "delete", "indices:data/write/delete/byquery"),
        false => (
            Work::Touch { script },
            "update",
            "indices:data/write/update/byquery",
        ),
    };
    let places = scan::places(&found).await?;
    let mut request = request(query, None)?;
    slices::narrow(&mut request, slice, &places)?;
    let job = Job {
        places,
        request,
        work,
        pace: options.pace,
        held: call.held.another(),
    };
    let description = format!("{name}-by-query [{expression}]");
    run(call, job, action, description, options.waits).await
}

/// The part of the documents that is to be changed, where others change the rest.
fn slice_of(body: &mut Map<String, Value>) -> Result<Option<Slice>> {
    let slice = body.shift_remove("slice");
    Ok(slice.as_ref().map(Slice::parse).transpose()?)
}

/// The script that changes documents; what deletes them has none.
fn script_of(body: &mut Map<String, Value>, deletes: bool) -> Result<Option<Prepared>> {
    match body.shift_remove("script") {
        Some(script) if deletes => Err(unknown_key("script", &script)),
        Some(script) => Ok(Some(Prepared::of_json(&script)?)),
        None => Ok(None),
    }
}

fn unknown_key(name: &str, value: &Value) -> ElasticError {
    ElasticError::parsing(format!("Unknown key for a {} in [{name}].", token_of(value)))
}

fn refuse(body: &Map<String, Value>, names: &[&str]) -> Result<()> {
    match names.iter().find(|name| body.contains_key(**name)) {
        Some(name) => Err(ElasticError::unsupported(format!(
            "[{name}] of a change by a query"
        ))),
        None => Ok(()),
    }
}

fn request(query: Option<search::Query>, sort: Option<Value>) -> Result<Request> {
    Ok(Request {
        query,
        sort: parse_sort(&sort.unwrap_or_else(|| json!("_doc")))?,
        track_total_hits: Some(u64::MAX),
        ..Request::default()
    })
}

/// What is said of the work besides what it is.
struct Given {
    waits: bool,
    pace: Pace,
    /// Into how many parts Elasticsearch would divide it.
    slices: u64,
}

impl Given {
    /// Reads what the body may say, too.
    fn read(&mut self, body: &mut Map<String, Value>) -> Result<()> {
        if let Some(conflicts) = body.shift_remove("conflicts") {
            self.pace.proceeds = proceeds(conflicts.as_str().unwrap_or_default())?;
        }
        let mut most = None;
        for name in ["size", "max_docs"] {
            if let Some(given) = body.shift_remove(name) {
                most = same(most, positive("max_docs", given.as_i64())?)?;
            }
        }
        self.pace.most = same(most, self.pace.most)?;
        match self.pace.most {
            Some(most) if most < self.slices => Err(too_few("max_docs")),
            _ => Ok(()),
        }
    }
}

/// How many documents two places of a request allow, which must agree.
fn same(one: Option<u64>, other: Option<u64>) -> Result<Option<u64>> {
    match (one, other) {
        (Some(one), Some(other)) if one != other => Err(ElasticError::illegal(format!(
            "[max_docs] set to two different values [{one}] and [{other}]"
        ))),
        (one, other) => Ok(one.or(other)),
    }
}

fn too_few(name: &str) -> ElasticError {
    ElasticError::illegal(format!("[{name}] should be >= [slices]"))
}

fn proceeds(conflicts: &str) -> Result<bool> {
    match conflicts {
        "abort" => Ok(false),
        "proceed" => Ok(true),
        other => Err(ElasticError::illegal(format!(
            "conflicts may only be \"proceed\" or \"abort\" but was [{other}]"
        ))),
    }
}

fn positive(name: &str, number: Option<i64>) -> Result<Option<u64>> {
    match number {
        None | Some(-1) => Ok(None),
        Some(most) if most > 0 => Ok(Some(most as u64)),
        Some(0) => Err(too_few(name)),
        Some(other) => Err(ElasticError::illegal(format!(
            "[{name}] parameter cannot be negative, found [{other}]"
        ))),
    }
}

/// How many documents are read at once.
fn batch_size(name: &str, number: Option<i64>) -> Result<usize> {
    match number {
        Some(size) if (1..=search::WINDOW_MAX as i64).contains(&size) => Ok(size as usize),
        _ => Err(ElasticError::illegal(format!(
            "[{name}] must be between 1 and {}",
            search::WINDOW_MAX
        ))),
    }
}

fn begin(call: &mut Call) -> Result<Given> {
    call.only(&[Method::POST])?;
    let parameters = &mut call.parameters;
    if parameters.take("pipeline").is_some_and(|name| name != "_none") {
        return Err(ElasticError::unsupported("the parameter [pipeline]"));
    }
    parameters.flag("refresh")?;
    let slices = slices_of(parameters)?;
    // One task does the work, on one snapshot, of which every document is whole.
    parameters.without_effect(&[
        "scroll",
        "search_timeout",
        "search_type",
        "timeout",
        "wait_for_active_shards",
        "preference",
        "routing",
        "request_cache",
        "version",
    ]);
    let mut most = parameters.integer("max_docs")?;
    most = most.or(parameters.integer("size")?);
    let batch = parameters.integer("scroll_size")?;
    if batch == Some(0) {
        return Err(ElasticError::validation(&[
            "[size] cannot be [0] in a scroll context".to_owned(),
        ]));
    }
    let batch = batch_size("scroll_size", batch.or(Some(1000)))?;
    let pause = pause(parameters)?.unwrap_or(0.0);
    let conflicts = parameters.take("conflicts");
    let pace = Pace {
        proceeds: conflicts.as_deref().map_or(Ok(false), proceeds)?,
        most: positive("max_docs", most)?,
        pause,
        batch,
    };
    Ok(Given {
        waits: parameters.flag("wait_for_completion")?.unwrap_or(true),
        pace,
        slices,
    })
}

/// Takes `slices`.
fn slices_of(parameters: &mut Parameters) -> Result<u64> {
    let Some(slices) = parameters.take("slices").filter(|slices| slices != "auto") else {
        return Ok(1);
    };
    match slices.parse::<i32>() {
        Ok(number) if number > 0 => Ok(number as u64),
        _ => Err(ElasticError::illegal(format!(
            "[slices] must be a positive integer or the string \"auto\", but was [{slices}]"
        ))),
    }
}

/// Takes `requests_per_second`: the seconds that a document takes at least.
fn pause(parameters: &mut Parameters) -> Result<Option<f64>> {
    let Some(text) = parameters.take("requests_per_second") else {
        return Ok(None);
    };
    match text.parse::<f64>() {
        Ok(-1.0) => Ok(Some(0.0)),
        Ok(rate) if rate > 0.0 => Ok(Some(1.0 / rate)),
        _ => Err(ElasticError::illegal(
            "[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.",
        )),
    }
}

/// `/_reindex/{id}/_rethrottle`, and of the other changes by a query: another speed for a task that runs.
pub(crate) fn rethrottle(call: &mut Call, id: &str) -> Result<Answer> {
    call.only(&[Method::POST])?;
    let required = || ElasticError::illegal("requests_per_second is a required parameter");
    let pause = pause(&mut call.parameters)?.ok_or_else(required)?;
    tasks::changed(call, id, |task| task.set_pause(pause))
}

/// Work that runs as a task.
trait Run: Send + 'static {
    /// How it goes on.
    fn pace(&self) -> Pace;

    /// Does it, step by step.
    fn run(self, task: &Task, progress: &mut Progress) -> impl Future<Output = Result<()>> + Send;
}

/// Runs the work as a task, which is an operation of its own.
async fn run(
    call: &Call,
    work: impl Run,
    action: &'static str,
    description: String,
    waits: bool,
) -> Result<Answer> {
    let (server, context) = (&call.server, context(call, waits));
    let path = format!("/{}", call.path.join("/"));
    let listed = server
        .engine
        .register_request(call.method.as_str(), &path, call.peer, &context);
    let about = About {
        action,
        description,
        opaque_id: call.opaque_id.clone(),
        context,
    };
    let task = server.tasks.begin(about, server.engine.now_ms())?;
    task.set_pause(work.pace().pause);
    let (ended, outcome) = oneshot::channel();
    let running = task.clone();
    server.tasks.spawn(async move {
        let outcome = outcome_of(work, &running).await;
        // A client that learns of the end must not find it among the operations any more.
        drop(listed);
        running.end(outcome.clone());
        // Nobody may wait for it.
        drop(ended.send(outcome));
    });
    if !waits {
        return Ok(ok(json!({"task": task.name()})));
    }
    let _waiting = Waiting(task);
    let panicked = |_| ElasticError::failed("the task ended without an outcome");
    let mut outcome = outcome.await.map_err(panicked)??;
    if let Value::Object(outcome) = &mut outcome {
        outcome.retain(|name, _| !never(action).contains(&name.as_str()));
    }
    Ok(match worst(&outcome["failures"]) {
        Some(status) => json(status, outcome),
        None => ok(outcome),
    })
}

/// The highest status of these failures.
fn worst(failures: &Value) -> Option<StatusCode> {
    let statuses = failures.as_array()?.iter().map(|failure| &failure["status"]);
    let worst = statuses.filter_map(Value::as_u64).max()?;
    StatusCode::from_u16(u16::try_from(worst).ok()?).ok()
}

/// What an action never counts, and its answer leaves out, although its task has it.
fn never(action: &str) -> &'static [&'static str] {
    match action {
        "indices:data/write/delete/byquery" => &["updated", "created"],
        "indices:data/write/update/byquery" => &["created"],
        _ => &[],
    }
}

/// What a task runs under; it may go on when its client has gone, unless that waits for it.
fn context(call: &Call, waits: bool) -> Context {
    let mut context = Context::default();
    context.user.clone_from(&call.context.user);
    context.memory = call.context.memory.clone();
    if waits {
        context.client.clone_from(&call.context.client);
    }
    context
}

/// What is said of the work at its end; of work that was cancelled, too.
async fn outcome_of(work: impl Run, task: &Task) -> Result<Value> {
    let mut progress = Progress::new(work.pace());
    let done = task.context().run(work.run(task, &mut progress)).await;
    match done {
        Err(_) if task.is_cancelled() => {}
        done => done?,
    }
    Ok(progress.answer(task))
}

/// Somebody waits for a task, which ends otherwise.
struct Waiting(Arc<Task>);

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.0.has_ended() {
            self.0.cancel();
        }
    }
}
