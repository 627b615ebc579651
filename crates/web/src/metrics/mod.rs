//! What the server holds and does: for Prometheus (text exposition format 0.0.4), and the same as JSON and as XML.

mod figures;

use crate::call::Call;
use crate::error::{Result, WebError};
use crate::server::RequestCounters;
use auth::{Action, Resource};
use engine::{ScrubReport, ServerReport};
use figures::Figures;
use http::header::CONTENT_TYPE;
use http::{Body, HeaderValue, Response};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

/// What a browser makes of the figures as XML.
const STYLESHEET: &str = include_str!("style.css");

/// `GET /metrics?format=prometheus|json|xml`.
pub(crate) async fn get(call: &Call) -> Result<Response> {
    call.allowed(Action::ServerStatus, Resource::Cluster).await?;
    let format = call.parameter("format")?;
    let (kind, body) = match format.as_deref().unwrap_or("prometheus") {
        "prometheus" => (
            "text/plain; version=0.0.4; charset=utf-8",
            gather(call).to_prometheus(),
        ),
        "json" => ("application/json", gather(call).to_json()),
        "xml" => ("application/xml; charset=utf-8", gather(call).to_xml()),
        other => {
            return Err(WebError::bad_request(format!(
                "format={other}: the figures are told as prometheus, json or xml"
            )));
        }
    };
    Ok(answer(kind, body))
}

/// `GET /metrics.css`: how the figures as XML look.
pub(crate) fn stylesheet() -> Response {
    answer("text/css; charset=utf-8", STYLESHEET.to_owned())
}

fn answer(kind: &'static str, body: String) -> Response {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn gather(call: &Call) -> Figures {
    let engine = &call.server.engine;
    let report = engine.server_report();
    let mut told = Figures::default();
    told.gauge(
        "larder_uptime_seconds",
        "Since the start",
        report.uptime_ms / 1000,
    );
    told.gauge(
        "larder_documents",
        "Documents in all collections",
        engine.document_count(),
    );
    of_disk(&report, &mut told);
    of_memory(&report, &mut told);
    of_followers(call, &mut told);
    if let Some(tls) = &call.server.tls {
        let end = tls.validity().ends.duration_since(UNIX_EPOCH);
        told.gauge(
            "larder_tls_certificate_end_seconds",
            "When the server's certificate ends, in seconds since 1970",
            end.map_or(0, |end| end.as_secs()),
        );
    }
    told.gauge(
        "larder_operations_running",
        "Commands under way",
        engine.running_operations().len() as u64,
    );
    told.gauge("larder_cursors_open", "Open cursors", report.open_cursors as u64);
    told.gauge("larder_sessions", "Sessions remembered", report.sessions as u64);
    told.counter("larder_commits_total", "Commits", report.commits);
    told.counter(
        "larder_flushes_total",
        "Flushes of the log to the disk",
        report.flushes,
    );
    of_scrub(&engine.scrub_report(), &mut told);
    of_requests(&call.server.counters, &mut told);
    told
}

fn of_disk(report: &ServerReport, told: &mut Figures) {
    told.gauge("larder_disk_bytes", "Bytes of the data folder", report.disk_bytes);
    told.gauge(
        "larder_disk_total_bytes",
        "Bytes of the file system of the data folder",
        report.volume_bytes,
    );
    told.gauge(
        "larder_disk_free_bytes",
        "Free bytes of the file system of the data folder",
        report.volume_bytes.saturating_sub(report.volume_used_bytes),
    );
    told.gauge(
        "larder_disk_reserve_bytes",
        "Bytes of the file system that are kept for deletes",
        report.disk_reserve_bytes,
    );
    told.gauge(
        "larder_disk_low",
        "1 while the disk is so full that what adds to it is refused",
        u64::from(report.is_disk_low),
    );
    told.gauge(
        "larder_temporary_bytes",
        "Bytes of temporary files, of what memory does not take",
        report.temporary_bytes,
    );
}

fn of_memory(report: &ServerReport, told: &mut Figures) {
    told.gauge(
        "larder_memory_engine_bytes",
        "Caches and write buffers of the engine",
        report.memory_bytes,
    );
    told.gauge(
        "larder_memory_files_bytes",
        "Chunks of hot files in memory",
        report.file_cache_bytes,
    );
    told.gauge(
        "larder_memory_records_bytes",
        "Records that were read lately",
        report.record_cache_bytes,
    );
    let held = report.memory.iter();
    told.of_holders(
        "larder_memory_held_bytes",
        "gauge",
        "Memory that is held for requests",
        held.clone().map(|of| (of, of.held_bytes as u64)),
    );
    told.of_holders(
        "larder_memory_limit_bytes",
        "gauge",
        "Memory that may be held for requests",
        held.clone().map(|of| (of, of.limit_bytes as u64)),
    );
    told.of_holders(
        "larder_memory_waiting",
        "gauge",
        "Requests that wait for memory",
        held.clone().map(|of| (of, of.waiting as u64)),
    );
    told.of_holders(
        "larder_memory_refused_total",
        "counter",
        "Requests for which there was no memory",
        held.map(|of| (of, of.refused)),
    );
    if let Some(bytes) = resident_bytes() {
        told.gauge("process_resident_memory_bytes", "Memory of the process", bytes);
    }
}

/// How far replications and full-text indexes are behind what they follow.
fn of_followers(call: &Call, told: &mut Figures) {
    let Some(followers) = &call.server.mounts.followers else {
        return;
    };
    let behind = followers.behind();
    told.gauge(
        "larder_replications",
        "Replications that run or wait to be tried again",
        behind.replications,
    );
    told.gauge(
        "larder_replications_failing",
        "Replications whose last try failed",
        behind.replications_failing,
    );
    told.gauge(
        "larder_replication_pending_changes",
        "Changes that replications have still to bring to their targets",
        behind.replication_changes,
    );
    told.gauge(
        "larder_index_pending_changes",
        "Changes that the full-text index furthest behind has not reached; searches see them all the same",
        behind.index_changes,
    );
}

fn of_scrub(scrub: &ScrubReport, told: &mut Figures) {
    told.counter(
        "larder_scrub_rounds_total",
        "Times that everything was read in search of damage",
        scrub.rounds,
    );
    told.counter(
        "larder_scrub_bytes_total",
        "Bytes read in search of damage",
        scrub.bytes,
    );
    told.counter(
        "larder_scrub_findings_total",
        "Damage found",
        scrub.findings_count,
    );
}

fn of_requests(counters: &RequestCounters, told: &mut Figures) {
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    told.counter(
        "larder_http_requests_total",
        "Requests to this port",
        count(&counters.requests),
    );
    told.counter(
        "larder_http_refused_total",
        "Requests answered with an error",
        count(&counters.refused),
    );
    told.counter(
        "larder_file_bytes_out_total",
        "Bytes of files sent",
        count(&counters.file_bytes_out),
    );
    told.counter(
        "larder_file_bytes_in_total",
        "Bytes of files taken",
        count(&counters.file_bytes_in),
    );
}

/// The resident memory of this process, if the system tells it (`/proc/self/status`).
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
