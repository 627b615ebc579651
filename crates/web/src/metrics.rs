//! What the server holds and does, for Prometheus (text exposition format 0.0.4).

use crate::call::Call;
use crate::error::Result;
use auth::{Action, Resource};
use http::header::CONTENT_TYPE;
use http::{Body, HeaderValue, Response};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

pub(crate) async fn get(call: &Call) -> Result<Response> {
    call.allowed(Action::ServerStatus, Resource::Cluster).await?;
    let engine = &call.server.engine;
    let report = engine.server_report();
    let counters = &call.server.counters;
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let mut text = Exposition(String::with_capacity(4096));
    text.gauge(
        "larder_uptime_seconds",
        "Since the start",
        report.uptime_ms / 1000,
    );
    text.gauge(
        "larder_documents",
        "Documents in all collections",
        engine.document_count(),
    );
    text.gauge("larder_disk_bytes", "Bytes of the data folder", report.disk_bytes);
    text.gauge(
        "larder_disk_total_bytes",
        "Bytes of the file system of the data folder",
        report.volume_bytes,
    );
    text.gauge(
        "larder_disk_free_bytes",
        "Free bytes of the file system of the data folder",
        report.volume_bytes.saturating_sub(report.volume_used_bytes),
    );
    text.gauge(
        "larder_disk_reserve_bytes",
        "Bytes of the file system that are kept for deletes",
        report.disk_reserve_bytes,
    );
    text.gauge(
        "larder_disk_low",
        "1 while the disk is so full that what adds to it is refused",
        u64::from(report.is_disk_low),
    );
    text.gauge(
        "larder_temporary_bytes",
        "Bytes of temporary files, of what memory does not take",
        report.temporary_bytes,
    );
    text.gauge(
        "larder_memory_engine_bytes",
        "Caches and write buffers of the engine",
        report.memory_bytes,
    );
    text.gauge(
        "larder_memory_files_bytes",
        "Chunks of hot files in memory",
        report.file_cache_bytes,
    );
    text.gauge(
        "larder_memory_records_bytes",
        "Records that were read lately",
        report.record_cache_bytes,
    );
    let held = report.memory.iter();
    text.of_holders(
        "larder_memory_held_bytes",
        "gauge",
        "Memory that is held for requests",
        held.clone().map(|of| (of, of.held_bytes as u64)),
    );
    text.of_holders(
        "larder_memory_limit_bytes",
        "gauge",
        "Memory that may be held for requests",
        held.clone().map(|of| (of, of.limit_bytes as u64)),
    );
    text.of_holders(
        "larder_memory_waiting",
        "gauge",
        "Requests that wait for memory",
        held.clone().map(|of| (of, of.waiting as u64)),
    );
    text.of_holders(
        "larder_memory_refused_total",
        "counter",
        "Requests for which there was no memory",
        held.map(|of| (of, of.refused)),
    );
    if let Some(bytes) = resident_bytes() {
        text.gauge("process_resident_memory_bytes", "Memory of the process", bytes);
    }
    if let Some(tls) = &call.server.tls {
        let end = tls.validity().ends.duration_since(UNIX_EPOCH);
        text.gauge(
            "larder_tls_certificate_end_seconds",
            "When the server's certificate ends, in seconds since 1970",
            end.map_or(0, |end| end.as_secs()),
        );
    }
    text.gauge(
        "larder_operations_running",
        "Commands under way",
        engine.running_operations().len() as u64,
    );
    text.gauge("larder_cursors_open", "Open cursors", report.open_cursors as u64);
    text.gauge("larder_sessions", "Sessions remembered", report.sessions as u64);
    text.counter("larder_commits_total", "Commits", report.commits);
    text.counter(
        "larder_flushes_total",
        "Flushes of the log to the disk",
        report.flushes,
    );
    let scrub = engine.scrub_report();
    text.counter(
        "larder_scrub_rounds_total",
        "Times that everything was read in search of damage",
        scrub.rounds,
    );
    text.counter(
        "larder_scrub_bytes_total",
        "Bytes read in search of damage",
        scrub.bytes,
    );
    text.counter(
        "larder_scrub_findings_total",
        "Damage found",
        scrub.findings_count,
    );
    text.counter(
        "larder_http_requests_total",
        "Requests to this port",
        count(&counters.requests),
    );
    text.counter(
        "larder_http_refused_total",
        "Requests answered with an error",
        count(&counters.refused),
    );
    text.counter(
        "larder_file_bytes_out_total",
        "Bytes of files sent",
        count(&counters.file_bytes_out),
    );
    text.counter(
        "larder_file_bytes_in_total",
        "Bytes of files taken",
        count(&counters.file_bytes_in),
    );
    let mut response = Response::new(Body::from(text.0));
    response.headers_mut().insert(CONTENT_TYPE, TEXT);
    Ok(response)
}

struct Exposition(String);

impl Exposition {
    fn gauge(&mut self, name: &str, help: &str, value: u64) {
        self.put(name, "gauge", help, value);
    }

    fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.put(name, "counter", help, value);
    }

    fn of_holders<'u>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        values: impl Iterator<Item = (&'u memory::Usage, u64)>,
    ) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {help}.\n# TYPE {name} {kind}");
        for (of, value) in values {
            let _ = writeln!(self.0, "{name}{{holder=\"{}\"}} {value}", of.holder.name());
        }
    }

    fn put(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.0,
            "# HELP {name} {help}.\n# TYPE {name} {kind}\n{name} {value}"
        );
    }
}

/// The resident memory of this process, where the system tells it (`/proc/self/status`).
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
