//! `serverStatus`.

use super::build_info::VERSION;
use crate::call::Call;
use crate::error::Result;
use crate::establishment::Limiter;
use crate::wire::Reply;
use engine::ScrubReport;
use memory::Usage;
use std::sync::atomic::{AtomicU64, Ordering};
use value::date::now_ms;
use value::{Document, Value, doc};

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let server = call.server;
    let counters = &server.counters;
    let report = server.engine.server_report();
    let uptime_ms = server.started.elapsed().as_millis() as i64;
    let connections = counters.connections_now.load(Ordering::Relaxed);
    let available = server.options.places.free();
    let establishment = server.establishment.counts();
    Ok(doc! {
        "host": format!("{}:{}", std::env::var("HOSTNAME").unwrap_or_else(|_| "localhost".to_owned()), server.listening_port()),
        "version": VERSION,
        "process": "mongos",
        "pid": i64::from(std::process::id()),
        "uptime": (uptime_ms / 1000) as f64,
        "uptimeMillis": uptime_ms,
        "uptimeEstimate": uptime_ms / 1000,
        "localTime": Value::DateTime(now_ms()),
        "connections": {
            "current": connections as i32,
            "available": available as i32,
            "totalCreated": long(&counters.connections_total),
            "active": connections as i32,
            "queuedForEstablishment": establishment.queued as i32,
            "establishmentRateLimit": {"rejected": establishment.rejected as i64},
        },
        "extra_info": {"note": "fields vary by platform"},
        "logicalSessionRecordCache": {"activeSessionsCount": report.sessions as i32},
        "metrics": {"cursor": {"open": {"total": report.open_cursors as i64}}},
        "network": {
            "bytesIn": long(&counters.bytes_in),
            "bytesOut": long(&counters.bytes_out),
            "numRequests": long(&counters.requests),
        },
        "opcounters": operations(call),
        "queues": {"ingressSessionEstablishment": queue(&server.establishment)},
        "catalogStats": catalog(call),
        "mem": {"bits": usize::BITS as i32, "resident": (report.memory_bytes >> 20) as i32, "supported": true},
        "storageEngine": {"name": "larder", "persistent": true, "readOnly": false, "supportsCommittedReads": true},
        "larder": {
            "version": env!("CARGO_PKG_VERSION"),
            "diskBytes": report.disk_bytes as i64,
            "memoryBytes": report.memory_bytes as i64,
            "memory": memory(&report.memory),
            "commits": report.commits as i64,
            "flushes": report.flushes as i64,
            "scrub": scrub(&server.engine.scrub_report()),
        },
    }
    .into())
}

/// The queue of connections that wait until they may be established.
fn queue(limiter: &Limiter) -> Document {
    let counts = limiter.counts();
    doc! {
        "addedToQueue": counts.queued_total as i64,
        "removedFromQueue": counts.unqueued() as i64,
        "rejectedAdmissions": counts.rejected as i64,
        "successfulAdmissions": counts.admitted as i64,
        "attemptedAdmissions": (counts.admitted + counts.rejected) as i64,
        "averageTimeQueuedMicros": counts.mean_wait().map_or(0.0, |wait| wait.as_micros() as f64),
        "totalAvailableTokens": limiter.tokens(),
    }
}

/// Where the search for damage is.
fn scrub(report: &ScrubReport) -> Document {
    let namespace = report.namespace.as_ref().map(ToString::to_string);
    doc! {
        "on": report.is_on,
        "collection": namespace.map_or(Value::Null, Value::from),
        "rounds": report.rounds as i64,
        "bytes": report.bytes as i64,
        "findings": report.findings_count as i64,
        "first": Value::from(report.findings.clone()),
    }
}

/// Who holds what of the memory for requests.
fn memory(usage: &[Usage]) -> Document {
    let mut holders = Document::new();
    for of in usage {
        let described = doc! {
            "heldBytes": of.held_bytes as i64,
            "heldBytesMax": of.held_bytes_max as i64,
            "limitBytes": of.limit_bytes as i64,
            "waiting": of.waiting as i64,
            "refused": of.refused as i64,
        };
        holders.push(of.holder.name(), described);
    }
    holders
}

/// How many collections there are, by kind.
fn catalog(call: &Call<'_>) -> Document {
    let engine = &call.server.engine;
    let (mut own, mut all) = (0, 0);
    let (mut capped, mut clustered, mut series, mut views) = (0, 0, 0, 0);
    for database in engine.databases() {
        for entry in engine.collections(&database) {
            let has = |option: &str| i32::from(entry.options.contains(option));
            all += 1;
            own += i32::from(entry.name.starts_with("system."));
            views += i32::from(entry.is_view);
            capped += has("capped");
            clustered += has("clusteredIndex");
            series += has("timeseries");
        }
    }
    doc! {
        "collections": all - own - views - series,
        "capped": capped,
        "clustered": clustered,
        "timeseries": series,
        "views": views,
        "internalCollections": own,
        "internalViews": 0,
    }
}

fn operations(call: &Call<'_>) -> Document {
    let counters = &call.server.counters;
    doc! {
        "insert": long(&counters.inserts),
        "query": long(&counters.queries),
        "update": long(&counters.updates),
        "delete": long(&counters.deletes),
        "getmore": long(&counters.get_mores),
        "command": long(&counters.commands),
    }
}

fn long(counter: &AtomicU64) -> i64 {
    counter.load(Ordering::Relaxed) as i64
}
