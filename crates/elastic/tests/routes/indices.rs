//! Indices, their mappings and settings, and requests to the server as a whole.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_indices_get_elasticsearchs_answers() {
    run(CASES);
}

#[test]
fn mappings_have_a_type_only_where_it_is_asked_for() {
    const TYPED: &str = r#"{"mappings": {"_doc": {"properties": {"n": {"type": "long"}}}}}"#;
    const REASON: &str = r#"{"error": {"type": "illegal_argument_exception",
        "reason": "The mapping definition cannot be nested under a type [_doc] unless include_type_name is set to true."}}"#;
    run(&[
        case("PUT /typed", TYPED, 400, REASON),
        case("PUT /typed?include_type_name=true", TYPED, 200, ""),
        case(
            "PUT /typed/_mapping",
            r#"{"_doc": {"properties": {"m": {"type": "long"}}}}"#,
            400,
            r#"{"error": {"reason": "Types cannot be provided in put mapping requests, unless the include_type_name parameter is set to true."}}"#,
        ),
        case(
            "PUT /typed/_mapping?include_type_name=true",
            r#"{"properties": {"m": {"type": "long"}}}"#,
            400,
            r#"{"error": {"reason": "Validation Failed: 1: mapping type is missing;"}}"#,
        ),
        case(
            "GET /typed/_mapping?include_type_name=true",
            "",
            200,
            r#"{"typed": {"mappings": {"_doc": {"properties": {"n": {"type": "long"}}}}}}"#,
        ),
        case(
            "GET /typed/_mapping/field/n?include_type_name=true",
            "",
            200,
            r#"{"typed": {"mappings": {"_doc": {"n": {"full_name": "n"}}}}}"#,
        ),
        case("GET /none*/_mapping/field/n", "", 404, "{}"),
        case("PUT /typed-2", r#"{"aliases": {"both": {}}}"#, 200, ""),
        case("PUT /typed/_alias/both", r#"{"is_write_index": true}"#, 200, ""),
        case(
            "PUT /both/_mapping?write_index_only",
            r#"{"properties": {"only": {"type": "long"}}}"#,
            200,
            "",
        ),
        case(
            "GET /typed-2/_mapping",
            "",
            200,
            r#"{"typed-2": {"mappings": {}}}"#,
        ),
        case(
            "PUT /x*/_mapping",
            r#"{"properties": {"m": {"type": "long"}}}"#,
            404,
            "",
        ),
    ]);
}

#[test]
fn copies_that_are_waited_for_are_not_there() {
    run(&[
        case(
            "PUT /alone?wait_for_active_shards=all",
            r#"{"settings": {"number_of_replicas": 0}}"#,
            200,
            r#"{"shards_acknowledged": true}"#,
        ),
        case(
            "PUT /copied?wait_for_active_shards=all",
            r#"{"settings": {"number_of_replicas": 1}}"#,
            200,
            r#"{"shards_acknowledged": false}"#,
        ),
        case("POST /alone/_close", "", 200, ""),
        case(
            "POST /alone/_refresh",
            "",
            400,
            r#"{"error": {"type": "index_closed_exception"}}"#,
        ),
        case("POST /_refresh", "", 200, ""),
    ]);
}

#[test]
fn templates_of_streams_and_of_every_index_have_bounds() {
    run(&[
        case(
            "PUT /_index_template/all",
            r#"{"index_patterns": ["*"], "template": {"settings": {"hidden": true}}}"#,
            400,
            r#"{"error": {"type": "invalid_index_template_exception",
                "reason": "index_template [all] invalid, cause [global composable templates may not specify the setting index.hidden]"}}"#,
        ),
        case(
            "PUT /_index_template/of",
            r#"{"index_patterns": ["x"], "composed_of": ["a", "b"]}"#,
            400,
            r#"{"error": {"reason": "index_template [of] invalid, cause [index template [of] specifies component templates [a, b] that do not exist]"}}"#,
        ),
        case(
            "PUT /_index_template/logs",
            r#"{"index_patterns": ["logs-*"], "data_stream": {}}"#,
            200,
            "",
        ),
        case("PUT /_data_stream/logs-a", "", 200, ""),
        case(
            "DELETE /_index_template/logs",
            "",
            400,
            r#"{"error": {"reason": "unable to remove composable templates [logs] as they are in use by a data streams [logs-a]"}}"#,
        ),
        case(
            "POST /logs-a/_rollover/logs-b",
            "",
            400,
            r#"{"error": {"reason": "new index name may not be specified when rolling over a data stream"}}"#,
        ),
        case("PUT /plain", "", 200, ""),
        case(
            "POST /plain/_rollover",
            "",
            400,
            r#"{"error": {"reason": "rollover target is a [concrete index] but one of [alias,data_stream] was expected"}}"#,
        ),
        case(
            "DELETE /_index_template/no*",
            "",
            404,
            r#"{"error": {"type": "index_template_missing_exception", "reason": "index_template [no*] missing"}}"#,
        ),
        case(
            "POST /_index_template/_simulate",
            "",
            400,
            r#"{"error": {"reason": "a template name to match or a new template body must be specified"}}"#,
        ),
    ]);
}

pub const CASES: &[Case] = &[
    case(
        "GET /",
        "",
        200,
        "X-Elastic-Product: Elasticsearch\n\n{\"version\": {\"number\": \"7.10.2\"}, \"tagline\": \"You Know, for Search\"}",
    ),
    case("HEAD /", "", 200, ""),
    case("DELETE /", "", 405, r#"{"status": 405}"#),
    case("GET /_license", "", 200, r#"{"license": {"status": "active"}}"#),
    case("DELETE /_license", "", 405, r#"{"status": 405}"#),
    case(
        "GET /_nothing",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "PUT /logs-2024.01.01",
        r#"{"settings": {"number_of_replicas": 0, "index.analysis.analyzer.own": {"tokenizer": "whitespace", "filter": ["lowercase"]}},
            "mappings": {"properties": {"at": {"type": "date"}, "level": {"type": "keyword"}, "message": {"type": "text", "analyzer": "own"}}}}"#,
        200,
        r#"{"acknowledged": true, "index": "logs-2024.01.01"}"#,
    ),
    case(
        "PUT /logs-2024.01.01",
        "",
        400,
        r#"{"error": {"type": "resource_already_exists_exception"}}"#,
    ),
    case(
        "PUT /Upper",
        "",
        400,
        r#"{"error": {"type": "invalid_index_name_exception"}}"#,
    ),
    case(
        "PUT /other",
        r#"{"mappings": {"properties": {"a": {"type": "colour"}}}}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
    case(
        "PUT /other",
        r#"{"settings": {"colour": 1}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "PUT /other",
        r#"{"settings": {"number_of_shards": 1000000000000}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception", "reason": "Failed to parse value [1000000000000] for setting [index.number_of_shards] must be <= 1024"}}"#,
    ),
    case(
        "PUT /other",
        r#"{"settings": {"index": {"number_of_shards": 3, "number_of_routing_shards": 8}}}"#,
        400,
        r#"{"error": {"reason": "the number of source shards [3] must be a factor of [8]"}}"#,
    ),
    case(
        "PUT /_template/other",
        r#"{"index_patterns": ["other"], "settings": {"number_of_replicas": "many"}}"#,
        400,
        r#"{"error": {"reason": "Failed to parse value [many] for setting [index.number_of_replicas]"}}"#,
    ),
    case("HEAD /logs-2024.01.01", "", 200, ""),
    case("HEAD /none", "", 404, ""),
    case(
        "GET /logs-*",
        "",
        200,
        r#"{"logs-2024.01.01": {"aliases": {}, "mappings": {"properties": {"at": {"type": "date"}}}}}"#,
    ),
    case(
        "GET /none",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception", "index": "none"}, "status": 404}"#,
    ),
    case(
        "PUT /logs-2024.01.01/_mapping",
        r#"{"properties": {"size": {"type": "long"}}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /logs-2024.01.01/_mapping",
        r#"{"properties": {"size": {"type": "text"}}}"#,
        400,
        r#"{"error": {"reason": "mapper [size] cannot be changed from type [long] to [text]"}}"#,
    ),
    case(
        "GET /_mapping",
        "",
        200,
        r#"{"logs-2024.01.01": {"mappings": {"properties": {"size": {"type": "long"}}}}}"#,
    ),
    case("DELETE /_mapping", "", 405, r#"{"status": 405}"#),
    case(
        "GET /_mapping/field/le*",
        "",
        200,
        r#"{"logs-2024.01.01": {"mappings": {"level": {"full_name": "level"}}}}"#,
    ),
    case("PUT /_mapping/field/a", "", 405, r#"{"status": 405}"#),
    case(
        "GET /logs-2024.01.01/_mapping/field/size",
        "",
        200,
        r#"{"logs-2024.01.01": {"mappings": {"size": {"mapping": {"size": {"type": "long"}}}}}}"#,
    ),
    case("GET /none/_mapping/field/size", "", 404, r#"{"status": 404}"#),
    case(
        "GET /_settings?flat_settings",
        "",
        200,
        r#"{"logs-2024.01.01": {"settings": {"index.number_of_replicas": "0"}}}"#,
    ),
    case("DELETE /_settings", "", 405, r#"{"status": 405}"#),
    case(
        "GET /logs-2024.01.01/_settings",
        "",
        200,
        r#"{"logs-2024.01.01": {"settings": {"index": {"number_of_shards": "1"}}}}"#,
    ),
    case(
        "PUT /logs-2024.01.01/_settings",
        r#"{"index": {"number_of_shards": 2}}"#,
        400,
        r#"{"error": {"reason": "Can't update non dynamic settings [[index.number_of_shards]] for open indices [[logs-2024.01.01]]"}}"#,
    ),
    case(
        "PUT /logs-2024.01.01/_settings",
        r#"{"number_of_replicas": 4294967295}"#,
        400,
        r#"{"error": {"reason": "Failed to parse value [4294967295] for setting [index.number_of_replicas] must be <= 100"}}"#,
    ),
    case(
        "PUT /logs-2024.01.01/_settings",
        r#"{"index.refresh_interval": "30s"}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "GET /logs-2024.01.01/_settings/index.refresh*?flat_settings",
        "",
        200,
        r#"{"logs-2024.01.01": {"settings": {"index.refresh_interval": "30s"}}}"#,
    ),
    case(
        "GET /_settings/index.refresh_interval",
        "",
        200,
        r#"{"logs-2024.01.01": {"settings": {"index": {"refresh_interval": "30s"}}}}"#,
    ),
    case("GET /_settings/x?colour", "", 400, r#"{"status": 400}"#),
    case("GET /none/_settings/x", "", 404, r#"{"status": 404}"#),
    case(
        "POST /logs-2024.01.01/_close",
        "",
        200,
        r#"{"acknowledged": true, "indices": {"logs-2024.01.01": {"closed": true}}}"#,
    ),
    case(
        "GET /logs-2024.01.01/_search",
        "",
        400,
        r#"{"error": {"type": "index_closed_exception"}}"#,
    ),
    case(
        "POST /logs-2024.01.01/_doc",
        "{}",
        400,
        r#"{"error": {"type": "index_closed_exception"}}"#,
    ),
    case("GET /logs-*/_mapping", "", 200, "{}"),
    case(
        "GET /logs-*/_mapping?expand_wildcards=closed",
        "",
        200,
        r#"{"logs-2024.01.01": {}}"#,
    ),
    case("POST /none/_close", "", 404, r#"{"status": 404}"#),
    case(
        "POST /logs-2024.01.01/_open",
        "",
        200,
        r#"{"acknowledged": true}"#,
    ),
    case("POST /none/_open", "", 404, r#"{"status": 404}"#),
    case(
        "POST /_analyze",
        r#"{"analyzer": "english", "text": "The running foxes"}"#,
        200,
        r#"{"tokens": [{"token": "run", "start_offset": 4, "end_offset": 11, "position": 1}, {"token": "fox"}]}"#,
    ),
    case(
        "POST /_analyze",
        r#"{"analyzer": "own", "text": "a"}"#,
        400,
        r#"{"error": {"reason": "failed to find global analyzer [own]"}}"#,
    ),
    case(
        "GET /logs-2024.01.01/_analyze",
        r#"{"field": "message", "text": "A-b C"}"#,
        200,
        r#"{"tokens": [{"token": "a-b"}, {"token": "c"}]}"#,
    ),
    case(
        "GET /logs-2024.01.01/_analyze",
        "{}",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case("POST /_refresh", "", 200, r#"{"_shards": {"failed": 0}}"#),
    case("POST /_refresh?colour", "", 400, r#"{"status": 400}"#),
    case(
        "POST /logs-2024.01.01/_refresh",
        "",
        200,
        r#"{"_shards": {"successful": 1}}"#,
    ),
    case("POST /none/_refresh", "", 404, r#"{"status": 404}"#),
    case("POST /_flush", "", 200, r#"{"_shards": {"failed": 0}}"#),
    case("DELETE /_flush", "", 405, r#"{"status": 405}"#),
    case(
        "POST /logs-2024.01.01/_flush",
        "",
        200,
        r#"{"_shards": {"failed": 0}}"#,
    ),
    case("POST /none/_flush", "", 404, r#"{"status": 404}"#),
    case(
        "POST /_forcemerge?max_num_segments=1",
        "",
        200,
        r#"{"_shards": {"failed": 0}}"#,
    ),
    case("PUT /_forcemerge", "", 405, r#"{"status": 405}"#),
    case(
        "POST /logs-2024.01.01/_forcemerge",
        "",
        200,
        r#"{"_shards": {"failed": 0}}"#,
    ),
    case("POST /none/_forcemerge", "", 404, r#"{"status": 404}"#),
    case(
        "GET /_cluster/health",
        "",
        200,
        r#"{"status": "green", "number_of_nodes": 1}"#,
    ),
    case("PUT /_cluster/health", "", 405, r#"{"status": 405}"#),
    case(
        "GET /_cluster/health/logs-2024.01.01?level=indices",
        "",
        200,
        r#"{"indices": {"logs-2024.01.01": {"status": "green"}}}"#,
    ),
    case(
        "GET /_cluster/health/logs-2024.01.01?colour=1",
        "",
        400,
        r#"{"status": 400}"#,
    ),
    case(
        "GET /_cat/indices?v&h=index,docs.count",
        "",
        200,
        "index           docs.count\nlogs-2024.01.01          0",
    ),
    case(
        "GET /_cat/indices?s=colour",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "GET /_cat/indices/logs*?format=json",
        "",
        200,
        r#"[{"health": "green", "index": "logs-2024.01.01", "docs.count": "0"}]"#,
    ),
    case("GET /_cat/indices/none", "", 404, r#"{"status": 404}"#),
    case("GET /_cat/count?h=count", "", 200, "0"),
    case("POST /_cat/count", "", 405, r#"{"status": 405}"#),
    case("GET /_cat/count/logs*?h=count", "", 200, "0"),
    case("GET /_cat/count/none", "", 404, r#"{"status": 404}"#),
    case("GET /_cat/health?h=status", "", 200, "green"),
    case("GET /_cat/health?format=smile", "", 501, r#"{"status": 501}"#),
    case(
        "GET /_mapping?filter_path=*.mappings.properties.size",
        "",
        200,
        r#"{"logs-2024.01.01": {"mappings": {"properties": {"size": {"type": "long"}}}}}"#,
    ),
    case("PUT /x/_mapping", "{}", 404, r#"{"status": 404}"#),
    case(
        "GET /logs-2024.01.01/_mapping",
        "",
        200,
        r#"{"logs-2024.01.01": {"mappings": "*"}}"#,
    ),
    case("DELETE /logs-2024.01.01", "", 200, r#"{"acknowledged": true}"#),
    case(
        "DELETE /logs-2024.01.01",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception"}}"#,
    ),
    case(
        "PUT /_snapshot/mine",
        "{}",
        501,
        r#"{"error": {"type": "unsupported_operation_exception"}}"#,
    ),
    case("GET /_cat/indices?health=colour", "", 400, r#"{"status": 400}"#),
    // The settings of a sort have to fit the mapping, although nothing is stored by them.
    case(
        "PUT /sorted",
        r#"{"settings": {"index": {"sort.field": ["rank", "at"], "sort.order": ["asc", "desc"]}},
            "mappings": {"properties": {"rank": {"type": "integer"}, "at": {"type": "date"}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /sorted/_mapping",
        r#"{"properties": {"parts": {"type": "nested"}}}"#,
        400,
        r#"{"error": {"reason": "cannot have nested fields when index sort is activated"}}"#,
    ),
    case("DELETE /sorted", "", 200, ""),
    case(
        "PUT /sorted",
        r#"{"settings": {"index": {"sort.field": "rank"}}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception", "reason": "unknown index sort field:[rank]"}}"#,
    ),
    case(
        "GET /_cat/indices?bytes=colour",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
];
