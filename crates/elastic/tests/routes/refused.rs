//! Requests that Elasticsearch refuses, with its error messages.

use super::server::{Server, run};
use testing::http::{Case, case, exchange};

#[test]
fn what_elasticsearch_refuses_is_refused_in_its_words() {
    run(CASES);
}

/// Values for the fields of an index, each with the status of a document that has it.
const VALUES: &[(&str, &str, u16)] = &[
    ("long", "9223372036854775807", 201),
    ("long", "9223372036854775808", 400),
    ("long", r#""9223372036854775808""#, 400),
    ("long", "1e30", 400),
    ("long", r#""""#, 201),
    ("long", r#"" 5""#, 400),
    ("long", "5.5", 201),
    ("exact", "5.5", 400),
    ("exact", "5", 201),
    ("ignoring", r#""x""#, 201),
    ("ignoring", r#"{"a": 1}"#, 400),
    ("float", "3.4e39", 400),
    ("float", "3.4e38", 201),
    ("half_float", "70000", 400),
    ("half_float", "65519", 201),
    ("double", r#""""#, 201),
    ("date", "-1", 400),
    ("date", "1", 201),
    ("geo_point", "5", 400),
    ("geo_point", "[1, 200]", 400),
    ("geo_point", "[1, 2, 3]", 201),
    ("geo_point", "[[1, 2], [3, 4]]", 201),
    ("geo_point", "[1]", 400),
    ("", "1", 400),
    (".a", "1", 400),
    ("a..b", "1", 400),
    ("object", r#"{"": 1}"#, 400),
    ("object", r#"{"_source": 1}"#, 201),
    ("disabled", r#"{"": 1}"#, 201),
    ("_source", "1", 400),
    ("_version", "1", 400),
];

#[test]
fn documents_with_values_that_no_field_can_have() {
    let server = Server::start();
    let mapping = r#"{"mappings": {"properties": {"long": {"type": "long"}, "exact": {"type": "long", "coerce": false},
        "ignoring": {"type": "long", "ignore_malformed": true}, "float": {"type": "float"}, "half_float": {"type": "half_float"},
        "double": {"type": "double"}, "date": {"type": "date"}, "geo_point": {"type": "geo_point"}, "keyword": {"type": "keyword"},
        "object": {"type": "object"}, "disabled": {"type": "object", "enabled": false}}}}"#;
    assert_eq!(exchange(server.address, "PUT /v", mapping).status, 200);
    for (name, value, status) in VALUES {
        let document = format!("{{\"{name}\": {value}}}");
        let answer = exchange(server.address, "POST /v/_doc", &document);
        assert_eq!(answer.status, *status, "{document}: {answer}");
    }
    for (length, status) in [(32_766, 201), (32_767, 400)] {
        let document = format!("{{\"keyword\": \"{}\"}}", "a".repeat(length));
        let answer = exchange(server.address, "POST /v/_doc", &document);
        assert_eq!(answer.status, status, "{length}: {answer}");
    }
}

/// Mappings that no index can have.
const MAPPINGS: &[&str] = &[
    r#"{"properties": {"f": {}}}"#,
    r#"{"properties": {"f": {"dynamic": "true"}}}"#,
    r#"{"properties": {"o": {"properties": {"f": {"index": true}}}}}"#,
    r#"{"properties": {"f": {"type": "scaled_float", "scaling_factor": -1}}}"#,
    r#"{"properties": {"f": {"type": "long", "null_value": "x"}}}"#,
    r#"{"properties": {"f": {"type": "long", "null_value": 1.5}}}"#,
    r#"{"properties": {"f": {"type": "byte", "null_value": 1000}}}"#,
    r#"{"properties": {"f": {"type": "boolean", "null_value": "x"}}}"#,
    r#"{"properties": {"f": {"type": "text", "null_value": "x"}}}"#,
    r#"{"dynamic_templates": {}}"#,
    r#"{"dynamic_templates": ["a"]}"#,
    r#"{"dynamic_templates": [{"a": {"mapping": {"type": "long"}}}]}"#,
    r#"{"dynamic_templates": [{"a": {"unmatch": "x", "mapping": {"type": "long"}}}]}"#,
    r#"{"dynamic_templates": [{"a": {"match_mapping_type": "number", "mapping": {"type": "long"}}}]}"#,
    r#"{"dynamic_templates": [{"a": {"match": "[", "match_pattern": "regex", "mapping": {"type": "long"}}}]}"#,
];

#[test]
fn mappings_that_no_index_can_have() {
    let server = Server::start();
    for mapping in MAPPINGS {
        for (request, body) in [
            ("PUT /m", format!("{{\"mappings\": {mapping}}}")),
            (
                "PUT /_template/m",
                format!("{{\"index_patterns\": [\"x*\"], \"mappings\": {mapping}}}"),
            ),
        ] {
            let answer = exchange(server.address, request, &body);
            assert_eq!(answer.status, 400, "{request} {mapping}: {answer}");
            assert!(
                answer.body.contains("mapper_parsing_exception"),
                "{mapping}: {answer}"
            );
        }
    }
}

pub const CASES: &[Case] = &[
    // Settings that only a new index can get.
    case(
        "PUT /kept",
        r#"{"mappings": {"properties": {"f": {"type": "keyword"}, "h": {"type": "keyword", "doc_values": true},
            "t": {"type": "text"}, "o": {"enabled": false}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"properties": {"f": {"type": "keyword", "index": true}}}"#,
        200,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"properties": {"f": {"type": "keyword", "index": false}}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception",
            "reason": "Mapper for [f] conflicts with existing mapper:\n\tCannot update parameter [index] from [true] to [false]"}}"#,
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"properties": {"h": {"type": "keyword", "doc_values": false}}}"#,
        400,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"properties": {"f": {"type": "keyword", "store": true}}}"#,
        400,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"properties": {"f": {"type": "keyword", "normalizer": "lowercase"}}}"#,
        400,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"properties": {"t": {"type": "text", "analyzer": "simple"}}}"#,
        400,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"_routing": {"required": false}}"#,
        200,
        "",
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"_routing": {"required": true}}"#,
        400,
        r#"{"error": {"reason": "Mapper for [_routing] conflicts with existing mapper:\n\tCannot update parameter [required] from [false] to [true]"}}"#,
    ),
    case(
        "PUT /kept/_mapping",
        r#"{"_source": {"enabled": false}}"#,
        400,
        "",
    ),
    case(
        "PUT /routed",
        r#"{"mappings": {"_routing": {"required": true}}}"#,
        200,
        "",
    ),
    case(
        "PUT /routed/_mapping",
        r#"{"_routing": {"required": false}}"#,
        400,
        "",
    ),
    case(
        "POST /kept/_update/1",
        r#"{"doc": {"_version": 1}, "doc_as_upsert": true}"#,
        400,
        "",
    ),
    // Times.
    case("PUT /kept/_doc/1?timeout=1m", "{}", 201, ""),
    case(
        "PUT /kept/_doc/1?timeout=1x",
        "{}",
        400,
        r#"{"error": {"reason": "failed to parse setting [timeout] with value [1x] as a time value: unit is missing or unrecognized"}}"#,
    ),
    // A disk that is full.
    case(
        "PUT /kept/_settings",
        r#"{"index.blocks.read_only_allow_delete": true}"#,
        200,
        "",
    ),
    case(
        "PUT /kept/_doc/1",
        "{}",
        429,
        r#"{"error": {"type": "cluster_block_exception", "reason": "index [kept] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage watermark, index has read-only-allow-delete block];"}}"#,
    ),
    case(
        "POST /kept/_bulk",
        "{\"index\": {}}\n{}\n",
        200,
        r#"{"items": [{"index": {"status": 429}}]}"#,
    ),
    case(
        "PUT /kept/_settings",
        r#"{"index.blocks.read_only_allow_delete": null, "index.blocks.write": true}"#,
        200,
        "",
    ),
    case("PUT /kept/_doc/1", "{}", 403, ""),
    // Two indices for what is written to one alias.
    case(
        "POST /_aliases",
        r#"{"actions": [{"add": {"index": "kept", "alias": "w", "is_write_index": true}}]}"#,
        200,
        "",
    ),
    case(
        "POST /_aliases",
        r#"{"actions": [{"add": {"index": "routed", "alias": "w", "is_write_index": true}}]}"#,
        500,
        r#"{"error": {"type": "illegal_state_exception", "reason": "alias [w] has more than one write index [kept,routed]"}}"#,
    ),
    case("PUT /routed/_alias/w", r#"{"is_write_index": true}"#, 500, ""),
    case(
        "POST /_aliases",
        r#"{"actions": [{"add": {"index": "routed", "alias": "w", "is_write_index": true}},
            {"add": {"index": "kept", "alias": "w", "is_write_index": false}}]}"#,
        200,
        "",
    ),
    case(
        "POST /_aliases",
        r#"{"actions": [{"add": {"index": "kept", "alias": "w", "is_write_index": true}}, {"remove_index": {"index": "routed"}}]}"#,
        200,
        "",
    ),
    // Conditions that are waited for in vain.
    case(
        "GET /_cluster/health/nope?timeout=1ms",
        "",
        408,
        r#"{"status": "red", "timed_out": true}"#,
    ),
    case(
        "GET /_cluster/health/nope,kept?timeout=1ms",
        "",
        408,
        r#"{"status": "red", "active_shards": 1}"#,
    ),
    case(
        "GET /_cluster/health/nop*",
        "",
        200,
        r#"{"status": "green", "timed_out": false}"#,
    ),
    case(
        "GET /_cluster/health?wait_for_nodes=%3E%3D9&timeout=1ms",
        "",
        408,
        r#"{"timed_out": true}"#,
    ),
    case("GET /_cluster/health?wait_for_nodes=ge(1)", "", 200, ""),
    case("GET /_cluster/health?wait_for_nodes=1", "", 200, ""),
    case(
        "GET /_cluster/health?wait_for_nodes=%3C1&timeout=1ms",
        "",
        408,
        "",
    ),
    case(
        "GET /_cluster/health?wait_for_nodes=many",
        "",
        400,
        r#"{"error": {"type": "number_format_exception"}}"#,
    ),
    case("GET /_cluster/health?wait_for_status=YELLOW", "", 200, ""),
    case(
        "GET /_cluster/health?wait_for_status=foo",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "GET /_cluster/health?wait_for_active_shards=9&timeout=1ms",
        "",
        408,
        "",
    ),
    case("GET /_cluster/health?wait_for_active_shards=all", "", 200, ""),
    case("GET /_cluster/health?wait_for_active_shards=-1", "", 400, ""),
    case("GET /_cluster/health?wait_for_events=foo", "", 400, ""),
    case(
        "GET /_cluster/health?wait_for_no_relocating_shards=3",
        "",
        400,
        "",
    ),
    case("GET /_cluster/health?timeout=1x", "", 400, ""),
];
