//! `_tasks`: what is under way.

use super::nodes::{ROLES, is_meant};
use auth::Action;
use http::{Method, StatusCode};
use indices::error::{ElasticError, Result};
use rest::call::Call;
use rest::respond::{Answer, ok};
use rest::server::NODE_ID;
use rest::tasks::{Task, described};
use search::simple_match;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long somebody waits for a task by default.
const WAIT_TIME: Duration = Duration::from_secs(30);
/// How often it is looked whether it has ended.
const LOOK_TIME: Duration = Duration::from_millis(20);

/// `/_tasks`.
pub(crate) async fn list(call: &mut Call) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let found = chosen(call)?;
    let by = call
        .parameters
        .take("group_by")
        .unwrap_or_else(|| "nodes".to_owned());
    call.parameters.end_without(&["wait_for_completion", "timeout"])?;
    Ok(ok(grouped(call, found, &by)?))
}

fn grouped(call: &Call, found: Vec<(u64, Value)>, by: &str) -> Result<Value> {
    let named = |found: Vec<(u64, Value)>| -> Map<String, Value> {
        let name = |(id, task): (u64, Value)| (format!("{NODE_ID}:{id}"), task);
        found.into_iter().map(name).collect()
    };
    match by {
        // Only nodes that have tasks are listed.
        "nodes" if found.is_empty() => Ok(json!({"nodes": {}})),
        "nodes" => {
            let address = call.server.published();
            let node = json!({
                "name": engine::host_name(), "transport_address": address.to_string(), "host": address.ip().to_string(),
                "ip": address.to_string(), "roles": ROLES, "tasks": named(found),
            });
            Ok(json!({"nodes": {NODE_ID: node}}))
        }
        "parents" => Ok(json!({"tasks": named(found)})),
        "none" => Ok(json!({"tasks": found.into_iter().map(|(_, task)| task).collect::<Vec<_>>()})),
        other => Err(ElasticError::illegal(format!(
            "[group_by] must be one of [nodes], [parents] or [none] but was [{other}]"
        ))),
    }
}

/// The tasks that the parameters mean, this request among them.
fn chosen(call: &mut Call) -> Result<Vec<(u64, Value)>> {
    let detailed = call.parameters.flag("detailed")?.unwrap_or(false);
    let actions = call.parameters.list("actions");
    let nodes = call
        .parameters
        .take("nodes")
        .or_else(|| call.parameters.take("node_id"));
    let parent = call.parameters.take("parent_task_id");
    if nodes.is_some_and(|nodes| !is_meant(call, &nodes)) || parent.is_some() {
        return Ok(Vec::new());
    }
    let mut all: Vec<(u64, Value)> = running(call)
        .iter()
        .map(|task| (task.id, task.shown(detailed)))
        .collect();
    all.push(own(call));
    if let Some(actions) = actions {
        all.retain(|(_, task)| {
            let action = task["action"].as_str().unwrap_or_default();
            actions.iter().any(|pattern| simple_match(pattern, action))
        });
    }
    Ok(all)
}

/// The tasks that run and that the asker may see.
pub(crate) fn running(call: &Call) -> Vec<Arc<Task>> {
    let mut running = call.server.tasks.running();
    running.retain(|task| sees(call, task));
    running
}

/// This request, which runs as well.
pub(crate) fn own(call: &Call) -> (u64, Value) {
    let id = call.server.tasks.number();
    let now = call.server.engine.now_ms();
    (
        id,
        described(
            id,
            "cluster:monitor/tasks/lists",
            now,
            1000,
            call.opaque_id.as_deref(),
        ),
    )
}

fn missing(reason: String) -> ElasticError {
    ElasticError::new(StatusCode::NOT_FOUND, "resource_not_found_exception", reason)
}

fn named(call: &Call, name: &str) -> Result<Arc<Task>> {
    let malformed = || ElasticError::illegal(format!("malformed task id {name}"));
    let (node, number) = name.split_once(':').ok_or_else(malformed)?;
    let number: u64 = number.parse().map_err(|_| malformed())?;
    if node != NODE_ID {
        return Err(missing(format!(
            "task [{name}] belongs to the node [{node}] which isn't part of the cluster and there is no record of the task"
        )));
    }
    let found = call.server.tasks.one(number);
    // Whoever may not see it is not told that it is there.
    found.filter(|task| sees(call, task)).ok_or_else(|| {
        missing(format!(
            "task [{name}] isn't running and hasn't stored its results"
        ))
    })
}

/// Whether a task is the asker's own.
fn owns(call: &Call, task: &Task) -> bool {
    task.context().user == call.context.user
}

/// Whether the asker may know of a task.
fn sees(call: &Call, task: &Task) -> bool {
    owns(call, task) || call.allows_of_server(Action::Inprog)
}

/// Whether the asker may end a task.
fn may_end(call: &Call, task: &Task) -> bool {
    owns(call, task) || call.allows_of_server(Action::Killop)
}

/// `/_tasks/{id}`.
pub(crate) async fn get(call: &mut Call, name: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    let waits = call.parameters.flag("wait_for_completion")?.unwrap_or(false);
    let timeout = match call.parameters.take("timeout") {
        Some(text) => search::parse_time(&text, "timeout")?,
        None => WAIT_TIME,
    };
    call.parameters.end()?;
    let task = named(call, name)?;
    let begun = Instant::now();
    while waits && !task.has_ended() {
        if begun.elapsed() > timeout {
            let reason = format!("Timed out waiting for completion of task [{name}]");
            return Err(ElasticError::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "timeout_exception",
                reason,
            ));
        }
        tokio::time::sleep(LOOK_TIME).await;
    }
    Ok(ok(task.whole()))
}

/// Changes a task that runs, and answers it as lists of tasks do.
pub(crate) fn changed(call: &mut Call, name: &str, change: impl Fn(&Task)) -> Result<Answer> {
    let by = call
        .parameters
        .take("group_by")
        .unwrap_or_else(|| "nodes".to_owned());
    call.parameters.end()?;
    let task = named(call, name)?;
    if task.has_ended() {
        return Err(missing(format!("task [{name}] is missing")));
    }
    if !may_end(call, &task) {
        call.require_of_server(Action::Killop)?;
    }
    change(&task);
    Ok(ok(grouped(call, vec![(task.id, task.shown(true))], &by)?))
}

/// `/_tasks/_cancel` and `/_tasks/{id}/_cancel`.
pub(crate) async fn cancel(call: &mut Call, name: Option<&str>) -> Result<Answer> {
    call.only(&[Method::POST])?;
    let tasks = match name {
        Some(name) => {
            call.parameters.without_effect(&["wait_for_completion"]);
            vec![named(call, name)?]
        }
        None => {
            call.parameters.without_effect(&["wait_for_completion"]);
            let chosen = chosen(call)?;
            chosen
                .iter()
                .filter_map(|(id, _)| call.server.tasks.one(*id))
                .filter(|task| may_end(call, task))
                .collect()
        }
    };
    call.parameters.end()?;
    if tasks.iter().any(|task| !may_end(call, task)) {
        call.require_of_server(Action::Killop)?;
    }
    tasks.iter().for_each(|task| task.cancel());
    let found = tasks.iter().map(|task| (task.id, task.shown(false))).collect();
    Ok(ok(grouped(call, found, "nodes")?))
}
