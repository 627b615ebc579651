//! How a job is shown: in the answer of `_replicate`, in `_active_tasks`, in `_scheduler/…`.

use super::job::{Asker, FailedStart, Job, JobState};
use jiff::Timestamp;
use peer::request::Endpoint;
use replicate::Outcome;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The answer of a replication that has ended. `failures` names the documents that the target refused, the first hundred;
/// it is no part of CouchDB's answer, and is there only where some were.
pub(crate) fn outcome(job: &Job, outcome: &Outcome) -> Value {
    let mut answer = Map::new();
    answer.insert("ok".to_owned(), Value::Bool(true));
    if outcome.no_changes {
        answer.insert("no_changes".to_owned(), Value::Bool(true));
    }
    answer.extend(outcome.checkpoint.clone());
    let counts = job.progress.snapshot();
    if matches!(job.request.options.filter, replicate::Filter::Ids(_)) {
        // The form of old versions, which CouchDB adds for replications by ids.
        let entry = outcome
            .checkpoint
            .get("history")
            .and_then(|history| history.get(0));
        for name in [
            "start_time",
            "end_time",
            "docs_read",
            "docs_written",
            "doc_write_failures",
        ] {
            let value = entry.and_then(|entry| entry.get(name)).cloned();
            answer.insert(name.to_owned(), value.unwrap_or_default());
        }
    }
    if !counts.refusals.is_empty() {
        let listed = counts.refusals.iter().map(|refusal| {
            json!({"id": refusal.id, "rev": refusal.revision, "error": refusal.error, "reason": refusal.reason})
        });
        answer.insert("failures".to_owned(), listed.collect());
    }
    Value::Object(answer)
}

/// The counters that the scheduler and finished documents show.
pub(crate) fn statistics(job: &Job) -> Map<String, Value> {
    let snapshot = job.progress.snapshot();
    let counts = snapshot.statistics;
    let object = json!({
        "revisions_checked": counts.missing_checked,
        "missing_revisions_found": counts.missing_found,
        "docs_read": counts.docs_read,
        "docs_written": counts.docs_written,
        "changes_pending": snapshot.pending,
        "doc_write_failures": counts.doc_write_failures,
        "bulk_get_docs": counts.bulk_get_docs,
        "bulk_get_attempts": counts.bulk_get_attempts,
        "checkpointed_source_seq": snapshot.checkpointed_sequence,
    });
    into_map(object)
}

fn sequences(job: &Job, object: &mut Map<String, Value>) {
    let snapshot = job.progress.snapshot();
    object.insert("source_seq".to_owned(), snapshot.source_sequence);
    object.insert("through_seq".to_owned(), snapshot.through_sequence);
}

/// The entry in `_active_tasks`; none while the job does not run.
pub(crate) fn task(job: &Job) -> Option<Value> {
    let status = job.status.lock().clone();
    if status.state != JobState::Running {
        return None;
    }
    let mut object = into_map(json!({
        "type": "replication",
        "node": "nonode@nohost",
        "pid": "<0.0.0>",
        "user": job.user.name,
        "replication_id": job.id,
        "database": job.asker.as_ref().map(|asker| &asker.database),
        "doc_id": job.asker.as_ref().map(|asker| &asker.document),
        "source": job.request.source.name(),
        "target": job.request.target.name(),
        "continuous": job.request.options.continuous,
        "checkpoint_interval": job.request.options.checkpoint_interval.as_millis() as u64,
        "started_on": job.started.as_second(),
        "updated_on": Timestamp::now().as_second(),
    }));
    object.extend(statistics(job));
    sequences(job, &mut object);
    Some(Value::Object(object))
}

/// How replications are, all together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replications {
    /// Those that run or wait to be tried again.
    pub count: u64,
    /// Those whose last try failed.
    pub failing: u64,
    /// Changes that they have still to bring to their targets, as far as that is known.
    pub pending: u64,
}

pub(crate) fn all_together(jobs: &[Arc<Job>]) -> Replications {
    let is_failing = |job: &&Arc<Job>| job.status.lock().state == JobState::Crashing;
    Replications {
        count: jobs.len() as u64,
        failing: jobs.iter().filter(is_failing).count() as u64,
        pending: jobs
            .iter()
            .filter_map(|job| job.progress.snapshot().pending)
            .sum(),
    }
}

/// The entry in `_scheduler/jobs`.
pub(crate) fn scheduled(job: &Job) -> Value {
    let status = job.status.lock().clone();
    let history = status.history.iter().map(|event| {
        let mut entry = into_map(json!({"timestamp": time(event.at), "type": event.kind}));
        if let Some(reason) = &event.reason {
            entry.insert("reason".to_owned(), Value::from(reason.as_str()));
        }
        Value::Object(entry)
    });
    json!({
        "database": job.asker.as_ref().map(|asker| &asker.database),
        "id": job.id,
        "pid": (status.state == JobState::Running).then_some("<0.0.0>"),
        "source": job.request.source.name(),
        "target": job.request.target.name(),
        "user": job.user.name,
        "doc_id": job.asker.as_ref().map(|asker| &asker.document),
        "info": info(job),
        "history": history.collect::<Vec<_>>(),
        "node": "nonode@nohost",
        "start_time": time(job.started),
    })
}

/// The entry in `_scheduler/docs` of a document whose job runs or waits.
pub(crate) fn document(job: &Job) -> Value {
    let status = job.status.lock().clone();
    let info = match status.error {
        Some(error) => json!({"error": error}),
        None => info(job),
    };
    json!({
        "database": job.asker.as_ref().map(|asker| &asker.database),
        "doc_id": job.asker.as_ref().map(|asker| &asker.document),
        "id": job.id,
        "node": "nonode@nohost",
        "source": job.request.source.name(),
        "target": job.request.target.name(),
        "state": status.state.name(),
        "info": info,
        "error_count": status.failures,
        "last_updated": time(status.changed),
        "start_time": time(job.started),
        "source_proxy": null,
        "target_proxy": null,
    })
}

/// The entry in `_scheduler/docs` of a document whose replication could not be started yet.
pub(crate) fn failed_start(asker: &Asker, body: &Map<String, Value>, failed: &FailedStart) -> Value {
    let mut entry = into_map(ended_document(asker, body));
    let failed = into_map(json!({
        "state": "error",
        "error_count": failed.failures,
        "info": {"error": failed.reason},
        "start_time": time(failed.first),
        "last_updated": time(failed.last),
    }));
    entry.extend(failed);
    Value::Object(entry)
}

/// The entry in `_scheduler/docs` of a document whose replication has ended, or has not begun, from what was written into it.
pub(crate) fn ended_document(asker: &Asker, body: &Map<String, Value>) -> Value {
    let name = |side: &str| {
        Endpoint::parse(body.get(side))
            .ok()
            .map(|endpoint| endpoint.name())
    };
    let state = body.get("_replication_state").and_then(Value::as_str);
    let changed = body.get("_replication_state_time").cloned().unwrap_or_default();
    let (state, info, failures, started) = match state {
        Some("completed") => {
            let mut info = body.get("_replication_stats").cloned().unwrap_or_default();
            let started = info.as_object_mut().and_then(|info| info.remove("start_time"));
            ("completed".into(), info, 0, started.unwrap_or_default())
        }
        Some("failed") => {
            let reason = body.get("_replication_state_reason").cloned().unwrap_or_default();
            ("failed".into(), json!({"error": reason}), 1, changed.clone())
        }
        _ => (Value::from("initializing"), Value::Null, 0, Value::Null),
    };
    json!({
        "doc_id": asker.document,
        "database": asker.database,
        "id": null,
        "source": name("source"),
        "target": name("target"),
        "state": state,
        "error_count": failures,
        "info": info,
        "start_time": started,
        "last_updated": changed,
        "node": "nonode@nohost",
    })
}

fn info(job: &Job) -> Value {
    let mut info = statistics(job);
    sequences(job, &mut info);
    Value::Object(info)
}

/// A time in seconds, as CouchDB's scheduler writes it.
pub(crate) fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
