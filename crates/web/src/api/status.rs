//! How the server is.

use crate::call::Call;
use crate::error::Result;
use crate::respond;
use auth::{Action, Resource};
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

/// `GET /api/status`: what is held in memory and on disk, and since when.
pub(crate) async fn status(call: &Call) -> Result<Response> {
    call.only_reads()?;
    call.allowed(Action::ServerStatus, Resource::Cluster).await?;
    let engine = &call.server.engine;
    let report = engine.server_report();
    let mut holders = Map::new();
    for usage in &report.memory {
        let described = json!({
            "held_bytes": usage.held_bytes,
            "limit_bytes": usage.limit_bytes,
            "waiting": usage.waiting,
            "refused": usage.refused,
        });
        holders.insert(usage.holder.name().to_owned(), described);
    }
    let body = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "host": engine::host_name(),
        "uptime_ms": report.uptime_ms,
        "documents": engine.document_count(),
        "commits": report.commits,
        "flushes": report.flushes,
        "open_cursors": report.open_cursors,
        "disk": {
            "data_bytes": report.disk_bytes,
            "temporary_bytes": report.temporary_bytes,
            "volume_bytes": report.volume_bytes,
            "volume_used_bytes": report.volume_used_bytes,
            "reserve_bytes": report.disk_reserve_bytes,
            "is_low": report.is_disk_low,
        },
        "memory": {
            "budget_bytes": engine.memory().bytes(),
            "engine_bytes": report.memory_bytes,
            "record_cache_bytes": report.record_cache_bytes,
            "file_cache_bytes": report.file_cache_bytes,
            "requests": Value::Object(holders),
        },
        "findings": engine.scrub_report().findings_count,
    });
    Ok(respond::json(StatusCode::OK, &body))
}
