//! `/_scheduler/jobs`, `/_scheduler/docs`: the replications that run, and the documents that ask for some
//! (`src/couch_replicator/src/couch_replicator_httpd.erl`).

use crate::call::Call;
use crate::replication::job::Asker;
use crate::replication::report;
use crate::{json, respond};
use access::error::{CouchError, Result};
use access::ids;
use access::names::{REPLICATOR, is_replicator};
use access::security::require_server_admin;
use engine::{DocumentPosition, Order, PageLimit};
use http::Response;
use serde_json::{Value, json};
use std::ops::Bound;
use value::ValueRef;

/// How many entries are shown where the client does not say.
const LIMIT_DEFAULT: u64 = 100;

/// `/_scheduler/…`.
pub(crate) async fn run(call: &mut Call, rest: &[&str]) -> Result<Response> {
    call.require_get()?;
    match rest {
        ["jobs"] => {
            require_server_admin(&call.user)?;
            let jobs = call.server.jobs.all();
            let shown = jobs.iter().map(|job| report::scheduled(job)).collect();
            page(call, "jobs", shown)
        }
        ["jobs", id] => {
            require_server_admin(&call.user)?;
            let job = call.server.jobs.get(&id.replace(' ', "+"));
            let job = job.ok_or_else(CouchError::missing)?;
            Ok(respond::ok(report::scheduled(&job).to_string()))
        }
        ["docs", path @ ..] => documents(call, path).await,
        _ => Err(CouchError::missing()),
    }
}

/// `/_scheduler/docs…`; `path` is what stands after it.
async fn documents(call: &mut Call, path: &[&str]) -> Result<Response> {
    match path {
        [] => list(call, REPLICATOR).await,
        [name] if is_replicator(name) => list(call, name).await,
        [name, id] if is_replicator(name) => one(call, name, id).await,
        // The slash of a database's name need not be encoded.
        [first, "_replicator"] => list(call, &format!("{first}/_replicator")).await,
        [first, "_replicator", id] => one(call, &format!("{first}/_replicator"), id).await,
        _ => Err(CouchError::bad_request("Invalid path")),
    }
}

fn page(call: &Call, name: &str, mut shown: Vec<Value>) -> Result<Response> {
    let number = |name: &str, default: u64| -> Result<usize> {
        let number = call.query.number(name)?.unwrap_or(default);
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    };
    let (skip, limit) = (number("skip", 0)?, number("limit", LIMIT_DEFAULT)?);
    let total = shown.len();
    let offset = skip.min(total);
    let rest = shown.split_off(offset);
    let taken: Vec<Value> = rest.into_iter().take(limit).collect();
    let answer = json!({"total_rows": total, "offset": offset, name: taken});
    Ok(respond::ok(answer.to_string()))
}

/// All documents of a database and what became of them.
async fn list(call: &Call, name: &str) -> Result<Response> {
    let database = match call.database_named(name) {
        Ok(database) => database,
        Err(error) if name == REPLICATOR && error.status == http::StatusCode::NOT_FOUND => {
            require_server_admin(&call.user)?;
            return page(call, "docs", Vec::new());
        }
        Err(error) => return Err(error),
    };
    database.require_all()?;
    let states: Option<Vec<&str>> = call.query.get("states").map(|states| states.split(',').collect());
    let snapshot = database.snapshot().await?;
    let mut shown = Vec::new();
    let mut after: Option<DocumentPosition> = None;
    loop {
        let range = (Bound::Unbounded, Bound::Unbounded);
        let (records, next) = snapshot
            .documents(range, after.as_ref(), Order::Forward, PageLimit::default())
            .await?;
        for record in &records {
            let body = json::object(&record.document);
            let Some(id) = body
                .get("_id")
                .and_then(Value::as_str)
                .filter(|id| !id.starts_with(ids::DESIGN))
            else {
                continue;
            };
            let entry = entry(call, name, id, &body);
            let state = entry.get("state").and_then(Value::as_str).unwrap_or("null");
            if states.as_ref().is_none_or(|states| states.contains(&state)) {
                shown.push(entry);
            }
        }
        match next {
            Some(next) => after = Some(next),
            None => break,
        }
    }
    page(call, "docs", shown)
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
    match call.server.jobs.asked_by(&asker) {
        Some(job) => report::document(&job),
        None => report::ended_document(&asker, body),
    }
}
