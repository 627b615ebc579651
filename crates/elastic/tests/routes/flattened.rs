//! Fields of the type `flattened`.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_flattened_fields_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /issues",
        r#"{"mappings": {"properties": {"labels": {"type": "flattened", "depth_limit": 3}, "words": {"type": "flattened", "split_queries_on_whitespace": true}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /issues/_doc/1",
        r#"{"labels": {"priority": "urgent", "release": ["v1.2.5", "v1.3.0"], "time": {"created": 1541458026, "open": true}}}"#,
        201,
        "",
    ),
    case(
        "PUT /issues/_doc/2",
        r#"{"labels": {"priority": "low", "release": "v1.2.5", "note": "urgent"}}"#,
        201,
        "",
    ),
    case(
        "PUT /issues/_doc/3",
        r#"{"labels": null, "words": {"a": "one two"}}"#,
        201,
        "",
    ),
    case(
        "PUT /issues/_doc/4",
        r#"{"labels": [{"priority": "high"}, {"release": null}], "words": {"a": "two"}}"#,
        201,
        "",
    ),
    // Keys do not become fields of the mapping.
    case(
        "GET /issues/_mapping",
        "",
        200,
        r#"{"issues": {"mappings": {"properties": {"labels": {"type": "flattened", "depth_limit": 3}}}}}"#,
    ),
    case(
        "GET /issues/_field_caps?fields=labels*",
        "",
        200,
        r#"{"fields": {"labels": {"flattened": {"searchable": true, "aggregatable": true}}}}"#,
    ),
    case(
        "PUT /issues/_doc/5",
        r#"{"labels": "urgent"}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
    case(
        "PUT /issues/_doc/5",
        r#"{"labels": {"a": {"b": {"c": {"d": 1}}}}}"#,
        400,
        r#"{"error": {"caused_by": {"reason": "The provided [flattened] field [labels] exceeds the maximum depth limit of [3]."}}}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"term": {"labels": "urgent"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"term": {"labels.priority": "urgent"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"term": {"labels.time.created": 1541458026}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"terms": {"labels.priority": ["low", "high"]}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"exists": {"field": "labels"}}}"#,
        200,
        r#"{"count": 3}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"exists": {"field": "labels.release"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"exists": {"field": "labels.time"}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"prefix": {"labels.release": "v1.3"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"range": {"labels.release": {"gt": "v1.2.5", "lt": "v2"}}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"match": {"labels.priority": "urgent"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"multi_match": {"query": "urgent", "fields": ["labels.priority", "labels.note"]}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"query_string": {"query": "labels.release:v1.2.5 AND labels.priority:low"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"match": {"labels.priority": "urgent low"}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"match": {"words.a": "two three"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"wildcard": {"labels": "*gent"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"wildcard": {"labels.priority": "*gent"}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "query_shard_exception", "reason": "failed to create query: [wildcard] queries are not currently supported on keyed [flattened] fields."}]}}"#,
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"regexp": {"labels.priority": "u.*"}}}"#,
        400,
        "",
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"fuzzy": {"labels.priority": "urgend"}}}"#,
        400,
        "",
    ),
    case(
        "GET /issues/_count",
        r#"{"query": {"match": {"labels.priority": {"query": "urgend", "fuzziness": 1}}}}"#,
        400,
        "",
    ),
    case(
        "POST /issues/_search",
        r#"{"query": {"exists": {"field": "labels.priority"}}, "sort": "labels.priority", "_source": false, "fields": ["labels.release", "labels.time.open"], "docvalue_fields": ["labels"]}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "4", "sort": ["high"], "fields": {"labels": ["high"]}},
            {"_id": "2", "sort": ["low"], "fields": {"labels": ["low", "urgent", "v1.2.5"], "labels.release": ["v1.2.5"]}},
            {"_id": "1", "sort": ["urgent"], "fields": {"labels.release": ["v1.2.5", "v1.3.0"], "labels.time.open": [true]}}]}}"#,
    ),
    case(
        "POST /issues/_search",
        r#"{"query": {"ids": {"values": ["2"]}}, "fields": ["labels"]}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"labels": [{"priority": "low", "release": "v1.2.5", "note": "urgent"}]}}]}}"#,
    ),
    case(
        "POST /issues/_search",
        r#"{"size": 0, "aggs": {"all": {"terms": {"field": "labels", "size": 2}}, "releases": {"terms": {"field": "labels.release"}}, "n": {"cardinality": {"field": "labels.priority"}}}}"#,
        200,
        r#"{"aggregations": {"all": {"buckets": [{"key": "urgent", "doc_count": 2}, {"key": "v1.2.5", "doc_count": 2}]},
            "releases": {"buckets": [{"key": "v1.2.5", "doc_count": 2}, {"key": "v1.3.0", "doc_count": 1}]}, "n": {"value": 3}}}"#,
    ),
    case(
        "PUT /wrong",
        r#"{"mappings": {"properties": {"f": {"type": "flattened", "fields": {"g": {"type": "text"}}}}}}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
];
