//! `serverStatus`.

use super::build_info::VERSION;
use crate::arguments::is_true;
use crate::call::Call;
use crate::error::Result;
use crate::establishment::Limiter;
use crate::wire::Reply;
use engine::{ScrubReport, ServerReport};
use memory::Usage;
use std::sync::atomic::{AtomicU64, Ordering};
use value::date::now_ms;
use value::{Document, Value, doc};

/// A part of the answer that a client may leave out, by its name with a value that stands for no.
type Section = fn(&Call<'_>, &ServerReport) -> Document;

const SECTIONS: [(&str, Section); 15] = [
    ("asserts", asserts),
    ("connections", connections),
    ("extra_info", |_, _| doc! {"note": "fields vary by platform"}),
    ("featureCompatibilityVersion", |_, _| {
        doc! {"major": 8, "minor": 0, "transitioning": 0}
    }),
    ("globalLock", global_lock),
    ("logicalSessionRecordCache", |_, report| {
        doc! {"activeSessionsCount": report.sessions as i32}
    }),
    ("metrics", |_, report| {
        doc! {"cursor": {"open": {"total": report.open_cursors as i64}}}
    }),
    ("network", network),
    ("opcounters", |call, _| operations(call)),
    // Nothing comes from other members of a replica set.
    ("opcountersRepl", |_, _| no_operations()),
    ("queues", |call, _| {
        doc! {"ingressSessionEstablishment": queue(&call.server.establishment)}
    }),
    ("catalogStats", |call, _| catalog(call)),
    ("mem", |_, report| memory_of_process(report)),
    ("storageEngine", |_, _| {
        doc! {"name": "larder", "persistent": true, "readOnly": false, "supportsCommittedReads": true}
    }),
    ("larder", own),
];

pub(super) async fn run(call: &mut Call<'_>) -> Result<Reply> {
    let server = call.server;
    let uptime_ms = server.started.elapsed().as_millis() as i64;
    let mut reply = doc! {
        "host": host(call),
        "version": VERSION,
        "process": "mongos",
        "pid": i64::from(std::process::id()),
        "uptime": (uptime_ms / 1000) as f64,
        "uptimeMillis": uptime_ms,
        "uptimeEstimate": uptime_ms / 1000,
        "localTime": Value::DateTime(now_ms()),
    };
    let report = server.engine.server_report();
    for (name, section) in SECTIONS {
        let asked = call.body().get(name);
        if asked.is_none() || is_true(asked) {
            reply.push(name, section(call, &report));
        }
    }
    Ok(reply.into())
}

/// The machine's name, with the port.
pub(super) fn host(call: &Call<'_>) -> String {
    let host = std::env::var("HOSTNAME").unwrap_or_else(|_| engine::host_name());
    format!("{host}:{}", call.server.listening_port())
}

/// What failed. Only errors that clients were answered are counted; a statement of a write that fails is none of these.
fn asserts(call: &Call<'_>, _report: &ServerReport) -> Document {
    doc! {
        "regular": 0,
        "warning": 0,
        "msg": 0,
        "user": Value::count(call.server.counters.errors.load(Ordering::Relaxed)),
        "tripwire": 0,
        "rollovers": 0,
    }
}

fn connections(call: &Call<'_>, _report: &ServerReport) -> Document {
    let counters = &call.server.counters;
    let now = counters.connections_now.load(Ordering::Relaxed);
    let establishment = call.server.establishment.counts();
    doc! {
        "current": now as i32,
        "available": call.server.options.places.free() as i32,
        "totalCreated": long(&counters.connections_total),
        "active": now as i32,
        "queuedForEstablishment": establishment.queued as i32,
        "establishmentRateLimit": {"rejected": establishment.rejected as i64},
    }
}

fn network(call: &Call<'_>, _report: &ServerReport) -> Document {
    let counters = &call.server.counters;
    doc! {
        "bytesIn": long(&counters.bytes_in),
        "bytesOut": long(&counters.bytes_out),
        "numRequests": long(&counters.requests),
    }
}

/// The memory of the process in MB, as the system tells it; where it does not, that of caches and write buffers.
fn memory_of_process(report: &ServerReport) -> Document {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let told_mb = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
        Some(kilobytes >> 10)
    };
    let known_mb = report.memory_bytes >> 20;
    doc! {
        "bits": usize::BITS as i32,
        "resident": told_mb("VmRSS:").unwrap_or(known_mb) as i32,
        "virtual": told_mb("VmSize:").unwrap_or(known_mb) as i32,
        "supported": true,
    }
}

/// What only this server has.
fn own(call: &Call<'_>, report: &ServerReport) -> Document {
    doc! {
        "version": env!("CARGO_PKG_VERSION"),
        "diskBytes": report.disk_bytes as i64,
        "memoryBytes": report.memory_bytes as i64,
        "memory": memory(&report.memory),
        "commits": report.commits as i64,
        "flushes": report.flushes as i64,
        "scrub": scrub(&call.server.engine.scrub_report()),
    }
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

/// Who reads and who writes now. Writes wait only for the lock of `fsync`.
fn global_lock(call: &Call<'_>, _report: &ServerReport) -> Document {
    const WRITES: [&str; 6] = [
        "insert",
        "update",
        "delete",
        "findAndModify",
        "findandmodify",
        "bulkWrite",
    ];
    let engine = &call.server.engine;
    let running = engine.running_operations();
    let writers = running.iter().filter(|of| WRITES.contains(&of.command.as_str()));
    let writers = writers.count();
    let waiting = if engine.are_writes_locked() { writers } else { 0 };
    let counts = |readers: usize, writers: usize| {
        doc! {"total": (readers + writers) as i32, "readers": readers as i32, "writers": writers as i32}
    };
    doc! {
        "totalTime": call.server.started.elapsed().as_micros() as i64,
        "currentQueue": counts(0, waiting),
        "activeClients": counts(running.len() - writers, writers - waiting),
    }
}

fn no_operations() -> Document {
    let names = ["insert", "query", "update", "delete", "getmore", "command"];
    names
        .into_iter()
        .map(|name| (name.to_owned(), Value::Int64(0)))
        .collect()
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
