//! An operation as the profiler records it: an entry of `system.profile`, of what is known about it here.

use crate::call::Call;
use crate::error::Result;
use crate::wire::{Reply, ReplyForm};
use engine::{Metrics, Namespace};
use std::time::Duration;
use value::{Document, Value, ValueRef, doc};

/// Records an operation that has ended, where the profiler of its database asks for it.
pub(crate) async fn record(
    call: &Call<'_>,
    namespace: Option<Namespace>,
    elapsed: Duration,
    result: &Result<Reply>,
) {
    let entry = entry(call, namespace, elapsed, result);
    let engine = &call.server.engine;
    if let Err(error) = engine.record_profile(&call.database, elapsed, &entry).await {
        tracing::warn!(database = call.database, %error, "an operation could not be recorded");
    }
}

fn entry(
    call: &Call<'_>,
    namespace: Option<Namespace>,
    elapsed: Duration,
    result: &Result<Reply>,
) -> Document {
    let command_namespace = || format!("{}.$cmd", call.database);
    let mut entry = doc! {
        "op": kind(call.called),
        "ns": namespace.map_or_else(command_namespace, |namespace| namespace.to_string()),
        "command": command(call),
    };
    add_metrics(&mut entry, &call.context.metrics);
    match result {
        Ok(reply) => add_counts(&mut entry, call.called, reply),
        Err(error) => {
            let reply = error.to_reply();
            for (name, of_reply) in [("errMsg", "errmsg"), ("errName", "codeName"), ("errCode", "code")] {
                if let Some(value) = reply.get(of_reply) {
                    entry.push(name, value.clone());
                }
            }
        }
    }
    entry.push("ok", if result.is_ok() { 1.0 } else { 0.0 });
    entry.push("protocol", "op_msg");
    entry.push("millis", elapsed.as_millis() as i32);
    if let Some(plans) = call.context.metrics.plan_summary() {
        entry.push("planSummary", plans);
    }
    entry.push("ts", Value::DateTime(value::date::now_ms()));
    entry.push("client", call.connection.peer.ip().to_string());
    if let Some(application) = call.connection.application() {
        entry.push("appName", application);
    }
    let user = call.connection.login.user();
    let users = user.map(|user| doc! {"user": (user.name.as_str()), "db": (user.database.as_str())});
    entry.push(
        "allUsers",
        Value::Array(users.into_iter().map(Value::Document).collect()),
    );
    entry.push("user", call.context.user.as_deref().unwrap_or_default());
    entry
}

/// What was looked at, for operations that look for documents.
fn add_metrics(entry: &mut Document, metrics: &Metrics) {
    let (keys, documents) = (metrics.keys_examined(), metrics.documents_examined());
    if metrics.plan_summary().is_none() && keys + documents == 0 {
        return;
    }
    entry.push("keysExamined", Value::count(keys));
    entry.push("docsExamined", Value::count(documents));
    if metrics.has_sorted() {
        entry.push("hasSortStage", true);
    }
    if metrics.has_used_disk() {
        entry.push("usedDisk", true);
    }
    if let Some(hash) = metrics.shape_hash() {
        let shown = format!("{hash:08X}");
        entry.push("queryHash", shown.clone());
        entry.push("planCacheShapeHash", shown);
    }
}

/// MongoDB's word for what an operation does.
fn kind(command: &str) -> &'static str {
    match command {
        "insert" => "insert",
        "update" => "update",
        "delete" => "remove",
        "find" => "query",
        "getMore" => "getmore",
        _ => "command",
    }
}

/// The command; of an update or delete of one statement that statement, as MongoDB shows it, with the command's comment.
fn command(call: &Call<'_>) -> Document {
    let Some(mut statement) = only_statement(call) else {
        return with_comment(engine::shown_command(&call.request.body), call);
    };
    // An index's name as a statement's hint is kept in MongoDB as a document (`write_ops_parsers.cpp`).
    if let Some(name @ Value::String(_)) = statement.get("hint").cloned() {
        statement.set("hint", doc! {"$hint": name});
    }
    with_comment(statement, call)
}

/// With the command's comment where it is not among its arguments: beside the one statement, or that of the command that
/// opened a cursor.
fn with_comment(mut shown: Document, call: &Call<'_>) -> Document {
    if let Some(comment) = &call.context.comment
        && !shown.contains("comment")
    {
        shown.push("comment", Value::clone(comment));
    }
    shown
}

/// The statement of an update or delete that has just one.
fn only_statement(call: &Call<'_>) -> Option<Document> {
    let statements = match call.called {
        "update" => "updates",
        "delete" => "deletes",
        _ => return None,
    };
    let sequences = &call.request.sequences;
    let beside = sequences.iter().find(|sequence| sequence.name == statements);
    if let Some([statement]) = beside.map(|sequence| sequence.documents.as_slice()) {
        return Some(statement.as_ref().to_document());
    }
    let Some(ValueRef::Array(within)) = call.body().get(statements) else {
        return None;
    };
    match (within.iter().next(), within.iter().nth(1)) {
        (Some(ValueRef::Document(statement)), None) => Some(statement.to_document()),
        _ => None,
    }
}

/// What `findAndModify` tells of its one document.
fn add_modified(entry: &mut Document, last: &Document) {
    let count = last.get("n").cloned().unwrap_or(Value::Int32(0));
    match last.get("updatedExisting") {
        None => entry.push("ndeleted", count),
        Some(Value::Bool(true)) => {
            entry.push("nMatched", count.clone());
            entry.push("nModified", count);
        }
        Some(_) => {
            entry.push("nMatched", 0);
            entry.push("nModified", 0);
            entry.push("nUpserted", count);
        }
    }
}

/// What the reply tells of documents, and how long it is.
fn add_counts(entry: &mut Document, command: &str, reply: &Reply) {
    if let Some(cursor) = &reply.cursor {
        if cursor.id != 0 {
            entry.push("cursorid", cursor.id);
        } else {
            entry.push("cursorExhausted", true);
        }
        entry.push("nreturned", cursor.documents.len() as i32);
    }
    let counts: &[(&str, &str)] = match command {
        "insert" => &[("ninserted", "n")],
        "update" => &[("nMatched", "n"), ("nModified", "nModified")],
        "delete" => &[("ndeleted", "n")],
        _ => &[],
    };
    for (name, of_reply) in counts {
        if let Some(count) = reply.body.get(of_reply) {
            entry.push(*name, count.clone());
        }
    }
    if let Some(Value::Array(upserted)) = reply.body.get("upserted") {
        entry.push("upsert", true);
        entry.push("nUpserted", upserted.len() as i32);
    }
    if let Some(Value::Document(last)) = reply.body.get("lastErrorObject") {
        add_modified(entry, last);
    }
    // An answer that cannot be encoded is found when it is sent.
    let encoded = reply.encode(ReplyForm::Msg, false, None, 0, 0);
    entry.push("responseLength", encoded.map_or(0, |bytes| bytes.len()) as i32);
}
