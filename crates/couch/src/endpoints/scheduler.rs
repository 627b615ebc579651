//! `/_scheduler/jobs`, `/_scheduler/docs`: the replications that run, and the documents that ask for some
//! (`src/couch_replicator/src/couch_replicator_httpd.erl`).

use crate::call::Call;
use crate::endpoints::all_docs::RowOptions;
use crate::replication::job::Asker;
use crate::replication::report;
use crate::{json, respond};
use access::error::{CouchError, Result};
use access::ids;
use access::names::{REPLICATOR, is_replicator};
use access::security::require_server_admin;
use engine::{Order, Record};
use http::{Response, StatusCode};
use serde_json::{Value, json};
use value::ValueRef;

/// How many jobs are shown where the client does not say.
const LIMIT_DEFAULT: usize = 100;

/// The states that a document's replication can be in (`src/couch_replicator/src/couch_replicator.erl`).
const STATES: [&str; 7] = [
    "initializing",
    "error",
    "running",
    "pending",
    "crashing",
    "completed",
    "failed",
];

/// `/_scheduler/…`.
pub(crate) async fn run(call: &mut Call, rest: &[&str]) -> Result<Response> {
    call.require_get()?;
    match rest {
        ["jobs"] => {
            require_server_admin(&call.user)?;
            let (skip, limit) = (count(call, "skip", 0)?, count(call, "limit", LIMIT_DEFAULT)?);
            let jobs = call.server.jobs.all();
            let offset = skip.min(jobs.len());
            let shown = jobs.iter().skip(offset).take(limit);
            let shown = shown.map(|job| report::scheduled(job)).collect();
            Ok(page("jobs", shown, jobs.len(), offset))
        }
        ["jobs", id] => {
            require_server_admin(&call.user)?;
            let job = call.server.jobs.get(&id.replace(' ', "+"));
            let job = job.ok_or_else(CouchError::missing)?;
            Ok(respond::ok(report::scheduled(&job).to_string()))
        }
        ["docs", path @ ..] => documents(call, path).await,
        // An error of its own form.
        _ => Ok(respond::json(
            StatusCode::NOT_FOUND,
            json!({"error": "not found"}).to_string(),
        )),
    }
}

/// `/_scheduler/docs…`; `path` is what stands after it.
async fn documents(call: &mut Call, path: &[&str]) -> Result<Response> {
    match path {
        [] => list(call, REPLICATOR).await,
        [name] if is_replicator(name) => list(call, name).await,
        [name, id] if is_replicator(name) => one(call, name, id).await,
        // The slashes of a database's name need not be encoded.
        [first @ .., "_replicator"] => list(call, &format!("{}/{REPLICATOR}", first.join("/"))).await,
        [first @ .., "_replicator", id] => one(call, &format!("{}/{REPLICATOR}", first.join("/")), id).await,
        _ => Err(CouchError::bad_request("Invalid path")),
    }
}

/// A parameter that is a number (`src/couch_replicator/src/couch_replicator_httpd_util.erl`, `parse_int_param`).
fn count(call: &Call, name: &str, default: usize) -> Result<usize> {
    let Some(text) = call.query.get(name) else {
        return Ok(default);
    };
    let number: i64 = text
        .parse()
        .map_err(|_| CouchError::query_parse(format!("{name} must be an integer")))?;
    usize::try_from(number)
        .map_err(|_| CouchError::query_parse(format!("{name} not in range of [0,infinity]")))
}

/// The states of documents that are wanted; none for all.
fn states(call: &Call) -> Result<Vec<String>> {
    let named = call.query.get("states").unwrap_or_default().split(',');
    let named: Vec<String> = named
        .filter(|state| !state.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    match named.iter().all(|state| STATES.contains(&state.as_str())) {
        true => Ok(named),
        false => Err(CouchError::query_parse(format!(
            "States must be one or more of [{}]",
            STATES.join(",")
        ))),
    }
}

fn page(name: &str, shown: Vec<Value>, total: usize, offset: usize) -> Response {
    respond::ok(json!({"total_rows": total, "offset": offset, name: shown}).to_string())
}

/// The documents of a database that are asked for, as those of a list of all are, and what became of them.
async fn list(call: &Call, name: &str) -> Result<Response> {
    let options = RowOptions::of_query(&call.query)?;
    let states = states(call)?;
    let database = match call.database_named(name) {
        Ok(database) => database,
        Err(error) if name == REPLICATOR && error.status == StatusCode::NOT_FOUND => {
            require_server_admin(&call.user)?;
            return Ok(page("docs", Vec::new(), 0, 0));
        }
        Err(error) => return Err(error),
    };
    database.require_all()?;
    let range = options.range();
    // Whether each one is in the range, and what became of it.
    let mut all = Vec::new();
    let mut add = |record: &Record| {
        let body = json::object(&record.document);
        let id = body.get("_id").and_then(Value::as_str);
        if let Some(id) = id.filter(|id| !id.starts_with(ids::DESIGN)) {
            let is_within = value::is_within(&range, ValueRef::String(id));
            all.push((is_within, entry(call, name, id, &body)));
        }
    };
    database.each_document(&mut add).await?;
    if options.order == Order::Backward {
        all.reverse();
    }
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let (total, skip) = (all.len(), number(options.skip));
    let before = all.iter().take_while(|(is_within, _)| !is_within).count();
    let has_state = |entry: &Value| {
        let state = entry.get("state").and_then(Value::as_str).unwrap_or("null");
        states.is_empty() || states.iter().any(|wanted| wanted == state)
    };
    let shown = all
        .into_iter()
        .filter_map(|(is_within, entry)| (is_within && has_state(&entry)).then_some(entry));
    let shown = shown.skip(skip).take(number(options.limit)).collect();
    let offset = before.saturating_add(skip).min(total);
    Ok(page("docs", shown, total, offset))
}

/// One document and what became of it.
async fn one(call: &Call, name: &str, id: &str) -> Result<Response> {
    let database = call.database_named(name)?;
    database.require_all()?;
    let record = database.snapshot().await?.document(ValueRef::String(id)).await?;
    let record = record.ok_or_else(CouchError::missing)?;
    let body = json::object(&record.document);
    Ok(respond::ok(entry(call, name, id, &body).to_string()))
}

/// What is known of the replication that a document asks for: from its job, or from what was written into it.
fn entry(call: &Call, database: &str, id: &str, body: &serde_json::Map<String, Value>) -> Value {
    let asker = Asker {
        database: database.to_owned(),
        document: id.to_owned(),
    };
    let jobs = &call.server.jobs;
    match (jobs.asked_by(&asker), jobs.failed_start(&asker)) {
        (Some(job), _) => report::document(&job),
        (None, Some(failed)) => report::failed_start(&asker, body, &failed),
        (None, None) => report::ended_document(&asker, body),
    }
}
