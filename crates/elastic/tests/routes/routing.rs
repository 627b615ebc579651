//! The routing of documents: it is kept with them, and required for reading if the index has several shards.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_routing_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /five",
        r#"{"settings": {"number_of_shards": 5, "number_of_routing_shards": 5}}"#,
        200,
        "",
    ),
    case("PUT /five/_doc/1?routing=5", r#"{"a": 1}"#, 201, ""),
    case(
        "GET /five/_doc/1?routing=5",
        "",
        200,
        r#"{"_routing": "5", "_source": {"a": 1}}"#,
    ),
    case("GET /five/_doc/1", "", 404, r#"{"found": false}"#),
    case("GET /five/_source/1", "", 404, ""),
    case("GET /five/_source/1?routing=5", "", 200, r#"{"a": 1}"#),
    case(
        "POST /five/_mget",
        r#"{"docs": [{"_id": 1}, {"_id": 1, "routing": "5"}]}"#,
        200,
        r#"{"docs": [{"found": false}, {"found": true, "_routing": "5"}]}"#,
    ),
    case("GET /five/_explain/1", r#"{"query": {"match_all": {}}}"#, 404, ""),
    case("GET /five/_termvectors/1", "", 200, r#"{"found": false}"#),
    // A partial update keeps the routing.
    case("POST /five/_update/1", r#"{"doc": {"a": 2}}"#, 404, ""),
    case(
        "POST /five/_update/1",
        r#"{"doc": {"a": 2}, "doc_as_upsert": true}"#,
        409,
        r#"{"error": {"type": "version_conflict_engine_exception"}}"#,
    ),
    case(
        "POST /five/_update/1?routing=5&_source=true",
        r#"{"doc": {"a": 2}}"#,
        200,
        r#"{"get": {"_source": {"a": 2}}}"#,
    ),
    case("GET /five/_doc/1?routing=5", "", 200, r#"{"_routing": "5"}"#),
    case(
        "POST /five/_update/1?routing=5",
        r#"{"script": "ctx._source.was = ctx._routing"}"#,
        200,
        "",
    ),
    // Searches find it wherever it is, and show its routing.
    case(
        "GET /five/_search",
        r#"{"query": {"term": {"_routing": "5"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "_routing": "5", "_source": {"a": 2, "was": "5"}}]}}"#,
    ),
    case(
        "GET /five/_count",
        r#"{"query": {"exists": {"field": "_routing"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /five/_mapping",
        "",
        200,
        r#"{"five": {"mappings": {"properties": {"a": {"type": "long"}}}}}"#,
    ),
    case("POST /five/_update_by_query", "", 200, r#"{"updated": 1}"#),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "five"}, "dest": {"index": "one"}}"#,
        200,
        r#"{"created": 1}"#,
    ),
    // With one shard all documents are on it.
    case("GET /one/_doc/1", "", 200, r#"{"_routing": "5"}"#),
    case(
        "DELETE /five/_doc/1?routing=4",
        "",
        404,
        r#"{"result": "not_found"}"#,
    ),
    case(
        "DELETE /five/_doc/1?routing=5",
        "",
        200,
        r#"{"result": "deleted"}"#,
    ),
    // An index may want a routing of every document.
    case(
        "PUT /must",
        r#"{"mappings": {"_routing": {"required": true}}, "aliases": {"north": {"routing": "n"}}}"#,
        200,
        "",
    ),
    case(
        "PUT /wrong",
        r#"{"mappings": {"_routing": {"wanted": true}}}"#,
        400,
        "",
    ),
    case(
        "PUT /must/_doc/1",
        r#"{"a": 1}"#,
        400,
        r#"{"error": {"type": "routing_missing_exception", "reason": "routing is required for [must]/[_doc]/[1]", "index": "must"}}"#,
    ),
    case(
        "GET /must/_doc/1",
        "",
        400,
        r#"{"error": {"type": "routing_missing_exception"}}"#,
    ),
    case(
        "POST /must/_doc",
        r#"{"a": 1}"#,
        400,
        r#"{"error": {"type": "routing_missing_exception"}}"#,
    ),
    case(
        "POST /must/_bulk",
        "{\"index\": {\"_id\": \"1\"}}\n{\"a\": 1}\n{\"index\": {\"_id\": \"2\", \"routing\": \"x\"}}\n{\"a\": 1}\n",
        200,
        r#"{"errors": true, "items": [{"index": {"status": 400}}, {"index": {"status": 201}}]}"#,
    ),
    case("GET /must/_doc/2?routing=x", "", 200, r#"{"_routing": "x"}"#),
    // The routing of an alias is that of what is written by it.
    case("PUT /north/_doc/3", r#"{"a": 3}"#, 201, ""),
    case("GET /north/_doc/3", "", 200, r#"{"_routing": "n"}"#),
    case(
        "PUT /north/_doc/3?routing=s",
        r#"{"a": 3}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "POST /north/_bulk",
        "{\"index\": {\"_id\": \"4\"}}\n{\"a\": 1}\n{\"index\": {\"_id\": \"5\", \"routing\": \"s\"}}\n{\"a\": 1}\n",
        200,
        r#"{"errors": true, "items": [{"index": {"status": 201}}, {"index": {"status": 400}}]}"#,
    ),
    case(
        "PUT /five/_doc/2",
        r#"{"_routing": "5"}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
];
