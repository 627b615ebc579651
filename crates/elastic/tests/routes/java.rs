//! The parameters that the Java clients of Elasticsearch 7.10 add to requests.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_of_javas_clients_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /j?timeout=30s&master_timeout=30s",
        r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "d": {"type": "date"}, "loc": {"type": "geo_point"}}}}"#,
        200,
        "",
    ),
    case(
        "HEAD /j?ignore_throttled=false&ignore_unavailable=false&expand_wildcards=open%2Cclosed&allow_no_indices=false",
        "",
        200,
        "",
    ),
    case("GET /j/_mapping?ignore_throttled=false", "", 200, ""),
    case("GET /j/_mapping?ignore_throttled=perhaps", "", 400, ""),
    // Versions without effect.
    case(
        "PUT /j/_create/1?version=-4",
        r#"{"k": "a", "d": "2020-01-02", "loc": [5, 51]}"#,
        201,
        "",
    ),
    case(
        "PUT /j/_doc/2?version=-4&op_type=create",
        r#"{"k": "b"}"#,
        201,
        "",
    ),
    case("PUT /j/_doc/2?version=-3", r#"{"k": "b"}"#, 200, ""),
    case("PUT /j/_doc/2?version=-4", "{}", 400, ""),
    case("POST /j/_update/2?version=-3", r#"{"doc": {"k": "b"}}"#, 400, ""),
    case("GET /j/_doc/2?version=-3", "", 200, ""),
    case("GET /j/_doc/2?version=2&version_type=external", "", 200, ""),
    case("GET /j/_doc/2?version=2&version_type=none", "", 400, ""),
    case(
        "POST /j/_bulk",
        "{\"create\": {\"_id\": \"3\", \"version\": -4}}\n{\"k\": \"c\"}\n{\"index\": {\"_id\": \"3\", \"op_type\": \"create\"}}\n{}\n\
         {\"index\": {\"_id\": \"3\", \"version\": -3}}\n{\"k\": \"c\"}\n",
        200,
        r#"{"items": [{"create": {"status": 201}}, {"create": {"status": 409}}, {"index": {"status": 200}}]}"#,
    ),
    case(
        "POST /j/_bulk",
        "{\"index\": {\"_id\": \"3\", \"op_type\": \"none\"}}\n{}\n",
        200,
        "",
    ),
    case(
        "POST /_mget",
        r#"{"docs": [{"_index": "j", "_type": null, "_id": "1", "routing": null, "stored_fields": null, "version": -3,
            "version_type": "internal", "_source": null}, {"_index": "j", "_id": "1", "version": 9}]}"#,
        200,
        r#"{"docs": [{"found": true, "_source": {"k": "a"}}, {"error": {"type": "version_conflict_engine_exception"}}]}"#,
    ),
    case(
        "POST /j/_mget",
        r#"{"docs": [{"_id": "1", "version_type": "none"}]}"#,
        400,
        "",
    ),
    case(
        "POST /j/_update/4?doc_as_upsert=true",
        r#"{"doc": {"k": "d"}}"#,
        201,
        "",
    ),
    case(
        "POST /j/_update/5?doc_as_upsert=true",
        r#"{"doc_as_upsert": false, "doc": {}}"#,
        404,
        "",
    ),
    case(
        "POST /j/_update/5?doc_as_upsert=true",
        r#"{"script": {"source": "1"}}"#,
        400,
        "",
    ),
    // `size` of a body is the size of batches.
    case(
        "POST /j/_update_by_query?ignore_throttled=true",
        r#"{"size": 1, "script": {"source": "ctx._source.u = 1", "lang": "painless"}}"#,
        200,
        r#"{"updated": 4, "batches": 4}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": ["j"], "size": 1000}, "dest": {"index": "j2", "op_type": "index", "version_type": "internal"}}"#,
        200,
        r#"{"created": 4}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": ["j"]}, "dest": {"index": "j2", "version_type": "external"}}"#,
        501,
        "",
    ),
    case(
        "POST /j2/_delete_by_query",
        r#"{"size": 1000, "query": {"term": {"k": {"value": "d", "boost": 1.0}}}, "_source": false}"#,
        200,
        r#"{"deleted": 1}"#,
    ),
    // Bodies of queries.
    case(
        "POST /j/_search",
        r#"{"query": {"query_string": {"query": "a", "default_field": "k", "max_determinized_states": 10000,
            "enable_position_increments": true, "escape": false}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"query_string": {"query": "k:(a OR b) OR u:1", "minimum_should_match": 2}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"query_string": {"query": "k:a", "default_field": "k", "escape": true}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"query_string": {"query": "d:[* TO 2020-01-01]", "time_zone": "-01:00"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"query_string": {"query": "a", "rewrite": "scoring_boolean"}}}"#,
        200,
        "",
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"simple_query_string": {"query": "a | b", "fields": ["k"], "flags": -1}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"simple_query_string": {"query": "a|b", "fields": ["k"], "flags": 1}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"simple_query_string": {"query": "a", "flags": "-1"}}}"#,
        400,
        "",
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"regexp": {"k": {"value": "a", "flags_value": 255}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"regexp": {"k": {"value": "a", "flags_value": 4}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"ids": {"type": [], "values": ["1"]}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"ids": {"type": ["other"], "values": ["1"]}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"geo_distance": {"loc": [5.0, 51.0], "distance": 30000.0, "distance_type": "ARC"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"geo_distance": {"loc": [5, 51], "distance": 1, "distance_type": "air"}}}"#,
        400,
        "",
    ),
    case(
        "POST /j/_search",
        r#"{"query": {"function_score": {"random_score": {"seed": 3, "field": "_seq_no"}}},
            "collapse": {"field": "k", "inner_hits": {"name": "i", "ignore_unmapped": false}}}"#,
        200,
        r#"{"hits": {"total": {"value": 4}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"size": 0, "aggregations": {"x": {"date_histogram": {"field": "d", "calendar_interval": "1M", "offset": 0}},
            "y": {"date_histogram": {"field": "d", "fixed_interval": "1d", "offset": -3600000}},
            "z": {"geo_distance": {"field": "loc", "origin": [5, 51], "ranges": [{"to": 5}], "distance_type": "ARC"}}}}"#,
        200,
        r#"{"aggregations": {"y": {"buckets": [{"key_as_string": "2020-01-01T23:00:00.000Z"}]}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"size": 0, "aggregations": {"x": {"date_histogram": {"field": "d", "calendar_interval": "1M"}, "aggregations": {
            "s": {"sum": {"field": "u"}}, "b": {"bucket_sort": {"sort": [{"s": {"order": "desc"}}], "gap_policy": "SKIP"}}}},
            "p": {"percentiles_bucket": {"buckets_path": ["x>s"], "gap_policy": "skip", "percents": [50.0], "keyed": true}}}}"#,
        200,
        r#"{"aggregations": {"p": {"values": {"50.0": 1.0}}}}"#,
    ),
    case(
        "POST /j/_search",
        r#"{"suggest": {"x": {"text": "a", "term": {"field": "k", "accuracy": 0.5, "suggest_mode": "MISSING", "sort": "SCORE",
            "string_distance": "INTERNAL"}}}}"#,
        200,
        "",
    ),
    // What may be typed is any of the words at a place.
    case(
        "PUT /typed-words",
        r#"{"settings": {"analysis": {"filter": {"alike": {"type": "synonym", "synonyms": ["foo, renamed"]}},
            "analyzer": {"alike": {"tokenizer": "standard", "filter": ["lowercase", "alike"]}}}},
            "mappings": {"properties": {"what": {"type": "completion", "analyzer": "alike"}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /typed-words/_doc/1",
        r#"{"what": ["Foo Fighters"]}"#,
        201,
        "",
    ),
    case(
        "POST /typed-words/_search",
        r#"{"suggest": {"a": {"prefix": "r", "completion": {"field": "what"}}, "b": {"prefix": "foo f", "completion": {"field": "what"}},
            "c": {"prefix": "fooren", "completion": {"field": "what"}}}}"#,
        200,
        r#"{"suggest": {"a": [{"options": [{"text": "Foo Fighters"}]}], "b": [{"options": [{"text": "Foo Fighters"}]}], "c": [{"options": []}]}}"#,
    ),
];
