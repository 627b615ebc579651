//! The figures of one index, section by section. What Elasticsearch counts and nothing here does is 0.

use super::Wanted;
use engine::RevisionedReport;
use indices::Index;
use indices::error::Result;
use search::{Mapping, simple_match};
use serde_json::{Map, Value, json};

/// The bytes of a log without operations, as Elasticsearch's.
const EMPTY_LOG_BYTES: u64 = 55;
/// The bytes that a column takes for a document, as an estimate.
const COLUMN_BYTES: u64 = 8;

/// The figures of an index.
pub(in crate::endpoints) async fn sections(index: &Index, wanted: &Wanted) -> Result<Map<String, Value>> {
    let report = index.collection.report().await?;
    let is_hidden = index.is_closed() && !wanted.unloaded;
    let mut out = none(wanted);
    let mut put = |name: &str, figures: Value| {
        if let (Some(Value::Object(section)), Value::Object(figures)) = (out.get_mut(name), figures) {
            section.extend(figures);
        }
    };
    let counters = index.counters();
    put(
        "docs",
        json!({"count": report.documents, "deleted": report.deleted}),
    );
    put("store", json!({"size_in_bytes": report.storage_bytes}));
    put(
        "indexing",
        json!({"index_total": counters.indexed.get(), "index_failed": counters.failed.get(),
            "delete_total": counters.deleted.get(), "noop_update_total": counters.unchanged.get()}),
    );
    let (found, missing) = (counters.found.get(), counters.missing.get());
    put(
        "get",
        json!({"total": found + missing, "exists_total": found, "missing_total": missing}),
    );
    put("search", search(index, wanted));
    put(
        "refresh",
        json!({"total": counters.refreshes.get(), "external_total": counters.refreshes.get()}),
    );
    // What makes an index ready for searches is the full-text index.
    put(
        "warmer",
        json!({"total": u64::from(index.following().is_published())}),
    );
    put("flush", json!({"total": counters.flushes.get()}));
    if !is_hidden && report.documents + report.deleted > 0 {
        // The store keeps a collection in one sorted sequence, which is shown as one segment.
        put("segments", json!({"count": 1}));
    }
    put("translog", log(index, &report));
    if wanted.metrics.has("fielddata") {
        put("fielddata", columns(index, &report, &wanted.columns));
    }
    if wanted.metrics.has("completion") {
        put("completion", completions(index, &wanted.completions).await?);
    }
    Ok(out)
}

fn search(index: &Index, wanted: &Wanted) -> Value {
    let counters = index.counters();
    let times = |count: u64| {
        json!({"query_total": count, "query_time_in_millis": 0, "query_current": 0, "fetch_total": count,
            "fetch_time_in_millis": 0, "fetch_current": 0, "scroll_total": 0, "scroll_time_in_millis": 0,
            "scroll_current": 0, "suggest_total": 0, "suggest_time_in_millis": 0, "suggest_current": 0})
    };
    let mut figures = times(counters.searches.get());
    figures["query_time_in_millis"] = json!(counters.search_micros.get() / 1000);
    figures["suggest_total"] = json!(counters.suggestions.get());
    figures["open_contexts"] = json!(counters.open_contexts());
    figures["scroll_total"] = json!(counters.scrolls.get());
    if !wanted.groups.is_empty() {
        let is_wanted = |group: &str| {
            wanted
                .groups
                .iter()
                .any(|pattern| pattern == "_all" || simple_match(pattern, group))
        };
        let groups = counters
            .groups()
            .into_iter()
            .filter(|(group, _)| is_wanted(group));
        figures["groups"] = groups
            .map(|(group, count)| (group, times(count)))
            .collect::<Map<_, _>>()
            .into();
    }
    figures
}

/// Changes since the last flush; their bytes are as many as those of documents are in the mean.
fn log(index: &Index, report: &RevisionedReport) -> Value {
    let operations = report.head.changes_since(&index.counters().last_flush());
    let mean = report
        .data_bytes
        .checked_div(report.documents)
        .unwrap_or(0)
        .max(1);
    let bytes = EMPTY_LOG_BYTES + operations * mean;
    json!({"operations": operations, "size_in_bytes": bytes, "uncommitted_operations": operations,
        "uncommitted_size_in_bytes": bytes})
}

fn columns(index: &Index, report: &RevisionedReport, wanted: &[String]) -> Value {
    let bytes = report.documents * COLUMN_BYTES;
    let columns = index.counters().columns();
    let mut figures = json!({"memory_size_in_bytes": bytes * columns.len() as u64});
    let shown = columns
        .iter()
        .filter(|name| wanted.iter().any(|pattern| simple_match(pattern, name)));
    let shown: Map<String, Value> = shown
        .map(|name| (name.clone(), json!({"memory_size_in_bytes": bytes})))
        .collect();
    if !shown.is_empty() {
        figures["fields"] = Value::Object(shown);
    }
    figures
}

/// The bytes of all that can be completed.
async fn completions(index: &Index, wanted: &[String]) -> Result<Value> {
    let mapping: std::sync::Arc<Mapping> = index.mapping().await?;
    let fields: Vec<String> = mapping.completion_fields();
    if fields.is_empty() {
        return Ok(json!({}));
    }
    let sizes = indices::scan::completion_bytes(index, &mapping, &fields).await?;
    let mut figures = json!({"size_in_bytes": sizes.iter().sum::<u64>()});
    let shown = fields
        .iter()
        .zip(&sizes)
        .filter(|(name, _)| wanted.iter().any(|pattern| simple_match(pattern, name)));
    let shown: Map<String, Value> = shown
        .map(|(name, size)| (name.clone(), json!({"size_in_bytes": size})))
        .collect();
    if !shown.is_empty() {
        figures["fields"] = Value::Object(shown);
    }
    Ok(figures)
}

/// The figures of nothing.
pub(super) fn none(wanted: &Wanted) -> Map<String, Value> {
    let all = [
        ("docs", "docs", json!({"count": 0, "deleted": 0})),
        (
            "store",
            "store",
            json!({"size_in_bytes": 0, "reserved_in_bytes": 0}),
        ),
        (
            "indexing",
            "indexing",
            json!({"index_total": 0, "index_time_in_millis": 0, "index_current": 0, "index_failed": 0, "delete_total": 0,
                "delete_time_in_millis": 0, "delete_current": 0, "noop_update_total": 0, "is_throttled": false,
                "throttle_time_in_millis": 0}),
        ),
        (
            "get",
            "get",
            json!({"total": 0, "time_in_millis": 0, "exists_total": 0, "exists_time_in_millis": 0, "missing_total": 0,
                "missing_time_in_millis": 0, "current": 0}),
        ),
        (
            "search",
            "search",
            json!({"open_contexts": 0, "query_total": 0, "query_time_in_millis": 0, "query_current": 0, "fetch_total": 0,
                "fetch_time_in_millis": 0, "fetch_current": 0, "scroll_total": 0, "scroll_time_in_millis": 0, "scroll_current": 0,
                "suggest_total": 0, "suggest_time_in_millis": 0, "suggest_current": 0}),
        ),
        (
            "merge",
            "merges",
            json!({"current": 0, "current_docs": 0, "current_size_in_bytes": 0, "total": 0, "total_time_in_millis": 0,
                "total_docs": 0, "total_size_in_bytes": 0, "total_stopped_time_in_millis": 0,
                "total_throttled_time_in_millis": 0, "total_auto_throttle_in_bytes": 0}),
        ),
        (
            "refresh",
            "refresh",
            json!({"total": 0, "total_time_in_millis": 0, "external_total": 0, "external_total_time_in_millis": 0, "listeners": 0}),
        ),
        (
            "flush",
            "flush",
            json!({"total": 0, "periodic": 0, "total_time_in_millis": 0}),
        ),
        (
            "warmer",
            "warmer",
            json!({"current": 0, "total": 0, "total_time_in_millis": 0}),
        ),
        (
            "query_cache",
            "query_cache",
            json!({"memory_size_in_bytes": 0, "total_count": 0, "hit_count": 0, "miss_count": 0, "cache_size": 0,
                "cache_count": 0, "evictions": 0}),
        ),
        (
            "fielddata",
            "fielddata",
            json!({"memory_size_in_bytes": 0, "evictions": 0}),
        ),
        ("completion", "completion", json!({"size_in_bytes": 0})),
        ("segments", "segments", segments()),
        (
            "translog",
            "translog",
            json!({"operations": 0, "size_in_bytes": 0, "uncommitted_operations": 0, "uncommitted_size_in_bytes": 0,
                "earliest_last_modified_age": 0}),
        ),
        (
            "request_cache",
            "request_cache",
            json!({"memory_size_in_bytes": 0, "evictions": 0, "hit_count": 0, "miss_count": 0}),
        ),
        (
            "recovery",
            "recovery",
            json!({"current_as_source": 0, "current_as_target": 0, "throttle_time_in_millis": 0}),
        ),
    ];
    all.into_iter()
        .filter(|(metric, ..)| {
            wanted.metrics.has(metric) || (*metric == "search" && wanted.metrics.has("suggest"))
        })
        .map(|(_, name, figures)| (name.to_owned(), figures))
        .collect()
}

/// There are no files of segments, so their sizes are an empty list whether they are asked for or not.
fn segments() -> Value {
    json!({"count": 0, "memory_in_bytes": 0, "terms_memory_in_bytes": 0, "stored_fields_memory_in_bytes": 0,
        "term_vectors_memory_in_bytes": 0, "norms_memory_in_bytes": 0, "points_memory_in_bytes": 0,
        "doc_values_memory_in_bytes": 0, "index_writer_memory_in_bytes": 0, "version_map_memory_in_bytes": 0,
        "fixed_bit_set_memory_in_bytes": 0, "max_unsafe_auto_id_timestamp": -1, "file_sizes": {}})
}
