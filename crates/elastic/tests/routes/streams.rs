//! Data streams and lifecycles.

use super::server::{Server, run};
use std::time::{Duration, Instant};
use testing::http::{Case, case, faults};

#[test]
fn requests_for_streams_and_lifecycles_get_elasticsearchs_answers() {
    run(CASES);
}

const TEMPLATE: &str = r#"{"index_patterns": ["logs-*"], "data_stream": {}, "priority": 9,
    "template": {"mappings": {"properties": {"level": {"type": "keyword"}}}, "settings": {"index.lifecycle.name": "week"}}}"#;
const POLICY: &str = r#"{"policy": {"phases": {"hot": {"actions": {"rollover": {"max_age": "1d", "max_size": "5gb"}, "set_priority": {"priority": 100}}},
    "delete": {"min_age": "7d", "actions": {"delete": {}}}}}}"#;

pub const CASES: &[Case] = &[
    case("PUT /_ilm/policy/week", POLICY, 200, r#"{"acknowledged": true}"#),
    case(
        "GET /_ilm/policy/week",
        "",
        200,
        r#"{"week": {"version": 1, "policy": {"phases": {"delete": {"min_age": "7d"}}}}}"#,
    ),
    case("GET /_ilm/policy", "", 200, r#"{"week": {}}"#),
    case(
        "GET /_ilm/policy/none",
        "",
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    case("POST /_ilm/policy/week", POLICY, 405, ""),
    case("POST /_ilm/policy", "", 405, ""),
    case(
        "PUT /_ilm/policy/cold",
        r#"{"policy": {"phases": {"cold": {"actions": {"searchable_snapshot": {}}}}}}"#,
        501,
        r#"{"error": {"reason": "the action [searchable_snapshot] of a lifecycle is not supported"}}"#,
    ),
    case(
        "PUT /_ilm/policy/cold",
        r#"{"policy": {"phases": {"tepid": {}}}}"#,
        400,
        "",
    ),
    case("GET /_ilm/status", "", 200, r#"{"operation_mode": "RUNNING"}"#),
    case("POST /_ilm/status", "", 405, ""),
    case("POST /_ilm/stop", "", 200, r#"{"acknowledged": true}"#),
    case("GET /_ilm/status", "", 200, r#"{"operation_mode": "STOPPED"}"#),
    case("GET /_ilm/stop", "", 405, ""),
    case("POST /_ilm/start", "", 200, ""),
    case("GET /_ilm/status", "", 200, r#"{"operation_mode": "RUNNING"}"#),
    case("GET /_ilm/start", "", 405, ""),
    case("POST /_ilm/migrate_to_data_tiers", "", 501, ""),
    case(
        "PUT /_ilm/policy/locked",
        r#"{"policy": {"phases": {"delete": {"actions": {"readonly": {}}}}}}"#,
        400,
        r#"{"error": {"reason": "invalid action [readonly] defined in phase [delete]"}}"#,
    ),
    case(
        "PUT /_data_stream/none",
        "",
        400,
        r#"{"error": {"reason": "no matching index template found for data stream [none]"}}"#,
    ),
    case("PUT /_index_template/logs", TEMPLATE, 200, ""),
    case(
        "GET /_index_template/logs",
        "",
        200,
        r#"{"index_templates": [{"index_template": {"data_stream": {}}}]}"#,
    ),
    // Created explicitly, and by the first document.
    case("PUT /_data_stream/logs-a", "", 200, ""),
    case(
        "PUT /_data_stream/logs-a",
        "",
        400,
        r#"{"error": {"type": "resource_already_exists_exception"}}"#,
    ),
    case("PUT /logs-b", "", 400, ""),
    case(
        "POST /_bulk",
        "{\"create\": {\"_index\": \"logs-b\", \"_id\": \"1\"}}\n{\"@timestamp\": \"2024-01-01\", \"level\": \"warn\"}\n{\"index\": {\"_index\": \"logs-b\"}}\n{\"@timestamp\": 1}\n{\"create\": {\"_index\": \"logs-b\"}}\n{}\n{\"create\": {\"_index\": \"logs-b\"}}\n{\"@timestamp\": 2}\n",
        200,
        r#"{"errors": true, "items": [{"create": {"_index": "ds-logs-b-000001", "_id": "1", "status": 201}},
            {"index": {"status": 400, "error": {"reason": "only write ops with an op_type of create are allowed in data streams"}}},
            {"create": {"status": 400, "error": {"caused_by": {"reason": "data stream timestamp field [@timestamp] is missing"}}}}, {"create": {"status": 201}}]}"#,
    ),
    case(
        "POST /logs-b/_doc",
        r#"{"@timestamp": "2024-01-02"}"#,
        201,
        r#"{"_index": "ds-logs-b-000001"}"#,
    ),
    case("PUT /logs-b/_doc/7", r#"{"@timestamp": "2024-01-02"}"#, 400, ""),
    case("DELETE /logs-b/_doc/1", "", 400, ""),
    case("POST /logs-b/_update/1", r#"{"doc": {}}"#, 400, ""),
    case(
        "GET /_data_stream",
        "",
        200,
        r#"{"data_streams": [{"name": "logs-a", "generation": 1, "template": "logs", "ilm_policy": "week"}, {"name": "logs-b", "timestamp_field": {"name": "@timestamp"},
            "indices": [{"index_name": "ds-logs-b-000001"}]}]}"#,
    ),
    case("GET /_data_stream/none", "", 404, ""),
    case("POST /_data_stream", "", 405, ""),
    case(
        "GET /ds-logs-b-000001",
        "",
        200,
        r#"{"ds-logs-b-000001": {"aliases": {}, "mappings": {"properties": {"@timestamp": {"type": "date"}, "level": {"type": "keyword"}}}}}"#,
    ),
    case(
        "GET /ds-logs-b-000001/_ilm/explain",
        "",
        200,
        r#"{"indices": {"ds-logs-b-000001": {"managed": true, "policy": "week", "phase": "hot"}}}"#,
    ),
    case("POST /logs-b/_ilm/explain", "", 405, ""),
    case("DELETE /_ilm/policy/week", "", 400, ""),
    case(
        "GET /logs-b/_search",
        r#"{"query": {"term": {"level": "warn"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /logs-b/_rollover",
        r#"{"conditions": {"max_primary_shard_docs": 100, "max_primary_shard_size": "1gb"}}"#,
        200,
        r#"{"rolled_over": false, "conditions": {"[max_primary_shard_docs: 100]": false, "[max_primary_shard_size: 1gb]": false}}"#,
    ),
    case(
        "POST /logs-b/_rollover",
        "",
        200,
        r#"{"rolled_over": true, "old_index": "ds-logs-b-000001", "new_index": "ds-logs-b-000002"}"#,
    ),
    case(
        "POST /logs-b/_doc",
        r#"{"@timestamp": "2024-01-03"}"#,
        201,
        r#"{"_index": "ds-logs-b-000002"}"#,
    ),
    case("GET /logs-b/_count", "", 200, r#"{"count": 4}"#),
    case("GET /logs-*/_count", "", 200, r#"{"count": 4}"#),
    case(
        "GET /_data_stream/logs-b",
        "",
        200,
        r#"{"data_streams": [{"generation": 2}]}"#,
    ),
    case(
        "GET /_data_stream/logs-b/_stats",
        "",
        200,
        r#"{"_shards": {"failed": 0}, "data_stream_count": 1, "backing_indices": 2, "total_store_size_bytes": "*",
            "data_streams": [{"data_stream": "logs-b", "backing_indices": 2, "store_size_bytes": "*", "maximum_timestamp": 1704240000000}]}"#,
    ),
    case("GET /_data_stream/none/_stats", "", 404, ""),
    case(
        "GET /_data_stream/_stats",
        "",
        200,
        r#"{"data_stream_count": 2, "backing_indices": 3}"#,
    ),
    case("GET /_data_stream/_stats?colour", "", 400, ""),
    case(
        "GET /_resolve/index/logs-b",
        "",
        200,
        r#"{"aliases": [], "data_streams": [{"name": "logs-b", "backing_indices": ["ds-logs-b-000001", "ds-logs-b-000002"]}]}"#,
    ),
    case(
        "POST /ds-logs-b-000001/_ilm/remove",
        "",
        200,
        r#"{"has_failures": false}"#,
    ),
    case(
        "GET /ds-logs-b-000001/_ilm/explain",
        "",
        200,
        r#"{"indices": {"ds-logs-b-000001": {"managed": false}}}"#,
    ),
    case("POST /none/_ilm/remove", "", 404, ""),
    case("DELETE /ds-logs-b-000002", "", 400, ""),
    case("DELETE /ds-logs-b-000001", "", 200, ""),
    case("GET /logs-b/_count", "", 200, r#"{"count": 1}"#),
    case("DELETE /_data_stream/logs-*", "", 200, ""),
    case("GET /_data_stream", "", 200, r#"{"data_streams": []}"#),
    case("GET /ds-logs-a-000001", "", 404, ""),
    case("DELETE /_ilm/policy/week", "", 200, ""),
    case("DELETE /_ilm/policy/week", "", 404, ""),
];

const QUICK: &str = r#"{"policy": {"phases": {"hot": {"actions": {"rollover": {"max_docs": 2}}}, "delete": {"min_age": "1ms", "actions": {"delete": {}}}}}}"#;

const LOCKED: &str = r#"{"policy": {"phases": {"warm": {"actions": {"readonly": {}}}}}}"#;

#[test]
fn indices_are_rolled_over_closed_to_writes_and_dropped_when_it_is_time() {
    let server = Server::start();
    let made = [
        case(
            "PUT /_cluster/settings",
            r#"{"persistent": {"indices.lifecycle.poll_interval": "1s"}}"#,
            200,
            "",
        ),
        case("PUT /_ilm/policy/quick", QUICK, 200, ""),
        case("PUT /_ilm/policy/locked", LOCKED, 200, ""),
        case(
            "PUT /locked",
            r#"{"settings": {"index.lifecycle.name": "locked"}}"#,
            200,
            "",
        ),
        case(
            "PUT /_index_template/q",
            r#"{"index_patterns": ["q-*"], "template": {"settings": {"index.lifecycle.name": "quick", "index.lifecycle.rollover_alias": "q"}}}"#,
            200,
            "",
        ),
        case(
            "PUT /q-000001",
            r#"{"aliases": {"q": {"is_write_index": true}}}"#,
            200,
            "",
        ),
        case(
            "PUT /q/_doc/1?refresh=true",
            "{}",
            201,
            r#"{"_index": "q-000001"}"#,
        ),
        case("PUT /q/_doc/2?refresh=true", "{}", 201, ""),
    ];
    let wrong = faults(server.address, &made);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let after = [
        case("GET /q-000002", "", 200, ""),
        case("GET /q-000001", "", 404, ""),
        case("GET /q-000003", "", 404, ""),
        case("PUT /locked/_doc/1", "{}", 403, ""),
    ];
    let begun = Instant::now();
    loop {
        let wrong = faults(server.address, &after);
        if wrong.is_empty() {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", wrong.join("\n"));
        std::thread::sleep(Duration::from_millis(200));
    }
}
