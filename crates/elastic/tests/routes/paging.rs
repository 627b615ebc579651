//! Scrolls and points in time, several searches at once, and groups of hits.

use super::server::{Server, run};
use testing::http::{Case, case, exchange};

#[test]
fn requests_for_pages_get_elasticsearchs_answers() {
    run(CASES);
}

/// All slices together have every document exactly once.
#[test]
fn slices_are_all_documents_together() {
    let server = Server::start();
    let settings = r#"{"settings": {"number_of_shards": 2}}"#;
    assert_eq!(exchange(server.address, "PUT /s", settings).status, 200);
    for id in 0..9 {
        let path = format!("PUT /s/_doc/{id}");
        assert_eq!(exchange(server.address, &path, "{\"n\": 1}").status, 201);
    }
    for max in [2, 3, 7] {
        let found = (0..max).map(|id| {
            let body = format!("{{\"slice\": {{\"id\": {id}, \"max\": {max}}}}}");
            let answer = exchange(server.address, "POST /s/_search?scroll=1m", &body);
            assert_eq!(answer.status, 200, "{answer}");
            let answer: serde_json::Value = serde_json::from_str(&answer.body).unwrap();
            answer["hits"]["total"]["value"].as_u64().unwrap()
        });
        assert_eq!(found.sum::<u64>(), 9);
    }
}

const DOCUMENTS: &str = "{\"index\": {\"_id\": 1}}\n{\"n\": 1, \"k\": \"a\"}\n{\"index\": {\"_id\": 2}}\n{\"n\": 2, \"k\": \"a\"}\n\
     {\"index\": {\"_id\": 3}}\n{\"n\": 2, \"k\": \"b\"}\n";

pub const CASES: &[Case] = &[
    case(
        "PUT /p",
        r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "n": {"type": "long", "store": true}}}}"#,
        200,
        "",
    ),
    case("POST /p/_bulk", DOCUMENTS, 200, r#"{"errors": false}"#),
    case(
        "POST /p/_search?scroll=1m&size=2",
        r#"{"sort": [{"n": "desc"}]}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "hits": [{"_id": "2"}, {"_id": "3"}]}}"#,
    ),
    // Later writes are not seen.
    case("PUT /p/_doc/4", r#"{"n": 0, "k": "c"}"#, 201, ""),
    case(
        "POST /_search/scroll",
        r#"{"scroll_id": "<_scroll_id>", "scroll": "1m"}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "hits": [{"_id": "1"}]}}"#,
    ),
    case(
        "GET /_search/scroll/<_scroll_id>",
        "",
        200,
        r#"{"hits": {"hits": []}}"#,
    ),
    case(
        "DELETE /_search/scroll",
        r#"{"scroll_id": "<_scroll_id>"}"#,
        200,
        r#"{"num_freed": 1}"#,
    ),
    case(
        "GET /_search/scroll/<_scroll_id>",
        "",
        404,
        r#"{"error": {"type": "search_phase_execution_exception", "reason": "all shards failed", "phase": "query", "grouped": true,
            "root_cause": [{"type": "search_context_missing_exception"}], "caused_by": {"type": "search_context_missing_exception"},
            "failed_shards": [{"shard": -1, "reason": {"type": "search_context_missing_exception"}}]}}"#,
    ),
    case(
        "POST /_search/scroll",
        "{}",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case(
        "POST /p/_search?scroll=1m",
        r#"{"size": 0}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Validation Failed: 1: [size] cannot be [0] in a scroll context;"}]}}"#,
    ),
    case(
        "POST /p/_search?scroll=2d",
        "",
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /p/_search?scroll=1m",
        r#"{"slice": {"id": 2, "max": 2}}"#,
        400,
        r#"{"error": {"reason": "[slice] failed to parse field [max]", "caused_by": {"reason": "max must be greater than id"}}}"#,
    ),
    case(
        "POST /p/_search?scroll=1m",
        r#"{"slice": {"id": 0, "max": 1025}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "The number of slices [1025] is too large. It must be less than [1024]. This limit can be set by changing the [index.max_slices_per_scroll] index level setting."}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"slice": {"id": 0, "max": 2}}"#,
        500,
        r#"{"error": {"root_cause": [{"reason": "`slice` cannot be used outside of a scroll context"}]}}"#,
    ),
    case("POST /p/_pit?keep_alive=1m", "", 200, r#"{"id": "*"}"#),
    case("PUT /p/_doc/5", r#"{"n": 9, "k": "c"}"#, 201, ""),
    case(
        "POST /_search",
        r#"{"pit": {"id": "<id>"}, "sort": ["_shard_doc"]}"#,
        200,
        r#"{"pit_id": "*", "hits": {"total": {"value": 4}}}"#,
    ),
    case("DELETE /_pit", r#"{"id": "<id>"}"#, 200, r#"{"num_freed": 1}"#),
    case("DELETE /_pit", r#"{"id": "<id>"}"#, 404, r#"{"num_freed": 0}"#),
    case("POST /p/_pit", "", 400, r#"{"status": 400}"#),
    case(
        "POST /p/_search/point_in_time?keep_alive=1m",
        "",
        200,
        r#"{"pit_id": "*"}"#,
    ),
    case("GET /p/_search/point_in_time", "", 405, r#"{"status": 405}"#),
    case(
        "DELETE /_search/point_in_time",
        r#"{"pit_id": ["<pit_id>"]}"#,
        200,
        r#"{"pits": [{"successful": true}]}"#,
    ),
    case("DELETE /_search/point_in_time", "{}", 400, r#"{"status": 400}"#),
    case(
        "POST /_msearch",
        "{\"index\": \"p\"}\n{\"query\": {\"term\": {\"k\": \"b\"}}}\n{\"index\": \"none\"}\n{}\n",
        200,
        r#"{"responses": [{"status": 200, "hits": {"total": {"value": 1}}}, {"status": 404, "error": {"type": "index_not_found_exception"}}]}"#,
    ),
    case("POST /_msearch", "{\"colour\": 1}", 400, r#"{"status": 400}"#),
    case(
        "POST /_msearch",
        "{\"index\": \"p*\", \"expand_wildcards\": \"none\"}\n{}\n{\"index\": \"p*\", \"expand_wildcards\": [\"open\"]}\n{}\n",
        200,
        r#"{"responses": [{"hits": {"total": {"value": 0}}}, {"hits": {"total": {"value": 5}}}]}"#,
    ),
    case(
        "POST /p/_msearch?typed_keys",
        "{}\n{\"size\": 0}\n",
        200,
        r#"{"responses": [{"hits": {"total": {"value": 5}}}]}"#,
    ),
    case(
        "POST /p/_msearch",
        "",
        400,
        r#"{"error": {"type": "parse_exception"}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"collapse": {"field": "k", "inner_hits": {"name": "others", "size": 1, "sort": [{"n": "asc"}]}}, "sort": [{"n": "desc"}, "k"]}"#,
        200,
        r#"{"hits": {"total": {"value": 5}, "hits": [
            {"_id": "5", "fields": {"k": ["c"]}, "inner_hits": {"others": {"hits": {"total": {"value": 2}, "hits": [{"_id": "4"}]}}}},
            {"_id": "2", "fields": {"k": ["a"]}}, {"_id": "3"}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"collapse": {"field": "k", "inner_hits": {"name": "best", "sort": [{"n": "asc"}], "collapse": {"field": "k"}}}, "sort": [{"n": "desc"}, "k"]}"#,
        200,
        r#"{"hits": {"total": {"value": 5}, "hits": [
            {"_id": "5", "inner_hits": {"best": {"hits": {"total": {"value": 2}, "hits": [{"_id": "4", "fields": {"k": ["c"]}}]}}}},
            {"_id": "2"}, {"_id": "3"}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"collapse": {"field": "k", "inner_hits": {"collapse": {"field": "k", "inner_hits": {}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "parse_exception"}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"collapse": {"field": "nowhere"}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "no mapping found for `nowhere` in order to collapse on"}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"collapse": {"field": "_id"}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "unknown type for collapse field `_id`, only keywords and numbers are accepted"}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"collapse": {"field": "k"}, "search_after": [1], "sort": ["n"]}"#,
        400,
        r#"{"status": 400}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"query": {"ids": {"values": ["1"]}}, "_source": false, "fields": ["k"], "docvalue_fields": ["n"]}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"k": ["a"], "n": [1]}}]}}"#,
    ),
    case(
        "POST /p/_search?stored_fields=n&q=n:9",
        "",
        200,
        r#"{"hits": {"hits": [{"_id": "5", "fields": {"n": [9]}}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"fields": [{"field": "k", "format": "yyyy"}]}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"timeout": "soon"}"#,
        400,
        r#"{"status": 400}"#,
    ),
    case("POST /p/_search?timeout=0ms", "", 200, r#"{"timed_out": true}"#),
    case(
        "POST /p/_search",
        r#"{"timeout": "1m"}"#,
        200,
        r#"{"timed_out": false}"#,
    ),
    case(
        "POST /p/_search",
        r#"{"query": {"term": {"_index": "p"}}, "size": 0}"#,
        200,
        r#"{"hits": {"total": {"value": 5}}}"#,
    ),
];
