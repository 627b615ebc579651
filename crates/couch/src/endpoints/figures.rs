//! The figures of a node: `_system`, `_stats`, `_prometheus`.

use crate::call::Call;
use crate::respond;
use access::error::Result;
use access::names;
use http::{Body, Response};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// `_system`.
pub(super) fn system(call: &Call) -> Result<Response> {
    call.require_read("GET")?;
    let report = call.server.engine.server_report();
    let uptime = call.server.started.elapsed().as_secs();
    Ok(respond::ok(format!(
        r#"{{"uptime":{uptime},"memory":{{"other":{},"processes":0}},"run_queue":0,"process_count":{},"message_queues":{{}}}}"#,
        report.memory_bytes, report.sessions
    )))
}

/// `_stats`, and below it one section or one figure, `null` where there is none (`src/couch_stats/src/couch_stats_httpd.erl`).
pub(super) fn stats(call: &Call, path: &[&str]) -> Result<Response> {
    call.require_read("GET")?;
    let all = json!({"couchdb": counters(call)});
    let found = path.iter().try_fold(&all, |found, name| found.get(name));
    Ok(respond::ok(
        found.map_or_else(|| "null".to_owned(), ToString::to_string),
    ))
}

/// The counters under CouchDB's names, where it has them.
fn counters(call: &Call) -> Value {
    let counter =
        |value: u64, description: &str| json!({"value": value, "type": "counter", "desc": description});
    let report = call.server.engine.server_report();
    let (fast, slow) = call.server.logins.counts();
    let requests = &call.server.request_counts;
    let methods: Map<String, Value> = requests
        .methods()
        .map(|(method, count)| {
            let description = format!("number of HTTP {method} requests");
            (method.to_owned(), counter(count, &description))
        })
        .collect();
    let statuses: Map<String, Value> = requests
        .statuses()
        .map(|(status, count)| {
            let description = format!("number of HTTP {status} responses");
            (status.as_str().to_owned(), counter(count, &description))
        })
        .collect();
    let databases = names::all(&call.server.engine).len() as u64;
    json!({
        "commits": counter(report.commits, "number of commits"),
        "flushes": counter(report.flushes, "number of flushes"),
        "httpd": {"requests": counter(requests.all(), "number of HTTP requests")},
        "httpd_request_methods": methods,
        "httpd_status_codes": statuses,
        "open_databases": counter(databases, "number of open databases"),
        "password_hashing_fast": counter(fast, "number of fast password hashes performed"),
        "password_hashing_slow": counter(slow, "number of slow password hashes performed"),
    })
}

/// `_prometheus`: figures in the text form of Prometheus, under CouchDB's names where it has them.
pub(super) fn prometheus(call: &Call) -> Result<Response> {
    call.require_read("GET")?;
    let engine = &call.server.engine;
    let report = engine.server_report();
    let (fast, slow) = call.server.logins.counts();
    let requests = &call.server.request_counts;
    let figures = [
        ("uptime_seconds", "counter", report.uptime_ms / 1_000),
        ("memory_bytes", "gauge", report.memory_bytes),
        ("commits_total", "counter", report.commits),
        ("flushes_total", "counter", report.flushes),
        ("httpd_requests_total", "counter", requests.all()),
        ("password_hashing_fast_total", "counter", fast),
        ("password_hashing_slow_total", "counter", slow),
        ("open_databases", "gauge", names::all(engine).len() as u64),
        (
            "requests_running",
            "gauge",
            engine.running_operations().len() as u64,
        ),
        (
            "replications_running",
            "gauge",
            call.server.jobs.all().len() as u64,
        ),
    ];
    let mut text = figures
        .map(|(name, kind, value)| format!("# TYPE couchdb_{name} {kind}\ncouchdb_{name} {value}\n"))
        .concat();
    let methods = requests.methods();
    let methods = methods.map(|(method, count)| (format!("method=\"{method}\""), count));
    series("httpd_request_methods", methods, &mut text);
    let statuses = requests.statuses();
    let statuses = statuses.map(|(status, count)| (format!("code=\"{}\"", status.as_str()), count));
    series("httpd_status_codes", statuses, &mut text);
    let kind = "text/plain; version=2.0";
    Ok(respond::with_type(Body::from(text), kind))
}

/// Appends a counter of several labels.
fn series(name: &str, counts: impl Iterator<Item = (String, u64)>, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "# TYPE couchdb_{name} counter");
    for (label, count) in counts {
        let _ = writeln!(out, "couchdb_{name}{{{label}}} {count}");
    }
}
