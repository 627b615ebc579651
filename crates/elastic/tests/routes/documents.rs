//! Documents: single ones, in bulk requests, and by several ids.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_documents_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /stored",
        r#"{"mappings": {"properties": {"a": {"type": "keyword", "store": true}}}}"#,
        200,
        "",
    ),
    case("PUT /stored/_doc/1", r#"{"a": "x", "b": 1}"#, 201, ""),
    case(
        "GET /stored/_doc/1?stored_fields=a,b",
        "",
        200,
        r#"{"fields": {"a": ["x"]}}"#,
    ),
    case(
        "POST /stored/_mget",
        r#"{"docs": [{"_id": "1", "stored_fields": ["a", "_source"]}]}"#,
        200,
        r#"{"docs": [{"fields": {"a": ["x"]}, "_source": {"b": 1}}]}"#,
    ),
    case(
        "PUT /things/_doc/1",
        r#"{"name": "Anna", "age": 5}"#,
        201,
        r#"{"_index": "things", "_id": "1", "_version": 1, "result": "created", "_seq_no": 0, "_primary_term": 1}"#,
    ),
    case(
        "PUT /things/_doc/1",
        r#"{"name": "Bert", "in": {"a": 1, "b": 2}}"#,
        200,
        r#"{"_version": 2, "result": "updated"}"#,
    ),
    case(
        "GET /things/_doc/1",
        "",
        200,
        r#"{"found": true, "_version": 2, "_seq_no": 1, "_source": {"name": "Bert"}}"#,
    ),
    case(
        "GET /things/_doc/1?_source=in.a",
        "",
        200,
        r#"{"_source": {"in": {"a": 1}}}"#,
    ),
    case(
        "GET /things/_doc/1?_source_excludes=in",
        "",
        200,
        r#"{"_source": {"name": "Bert"}}"#,
    ),
    case("HEAD /things/_doc/1", "", 200, ""),
    case("HEAD /things/_doc/2", "", 404, ""),
    case("GET /things/_doc/2", "", 404, r#"{"_id": "2", "found": false}"#),
    case(
        "GET /things/_doc/1?colour=red",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception", "reason": "request [/things/_doc/1] contains unrecognized parameter: [colour]"}}"#,
    ),
    case(
        "GET /things/_doc/1?colour=red&preferences=1",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception", "reason": "request [/things/_doc/1] contains unrecognized parameters: [colour], [preferences] -> did you mean [preference]?"}}"#,
    ),
    case(
        "PUT /things/_doc/1",
        r#"{"_id": 1}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}, "status": 400}"#,
    ),
    // A conditional write changes the version that was read, or nothing.
    case(
        "PUT /things/_doc/1?if_seq_no=0&if_primary_term=1",
        "{}",
        409,
        r#"{"error": {"type": "version_conflict_engine_exception"}}"#,
    ),
    case(
        "PUT /things/_doc/1?if_seq_no=1&if_primary_term=1",
        r#"{"age": 6}"#,
        200,
        r#"{"_version": 3, "_seq_no": 2}"#,
    ),
    case(
        "PUT /things/_create/1",
        "{}",
        409,
        r#"{"error": {"type": "version_conflict_engine_exception", "index": "things"}}"#,
    ),
    case("POST /things/_create/2", "{}", 201, r#"{"result": "created"}"#),
    case(
        "POST /things/_doc",
        r#"{"name": "Cleo"}"#,
        201,
        r#"{"_id": "*", "result": "created"}"#,
    ),
    case("DELETE /things/_doc", "", 405, r#"{"status": 405}"#),
    // The form of shippers of logs that still name a type.
    case(
        "POST /things/events",
        r#"{"name": "Dora"}"#,
        201,
        r#"{"_id": "*", "_type": "_doc"}"#,
    ),
    case(
        "POST /things/events",
        "no JSON",
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
    case(
        "PUT /things/events/3",
        r#"{"name": "Emil"}"#,
        201,
        r#"{"_id": "3"}"#,
    ),
    case(
        "POST /things/events/3/_update",
        r#"{"doc": {"early": true}}"#,
        200,
        r#"{"result": "updated"}"#,
    ),
    case("GET /things/_all/3", "", 200, r#"{"_source": {"early": true}}"#),
    case("DELETE /things/_all/3", "", 400, ""),
    case(
        "GET /things/events/_search?q=early:true",
        "",
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "GET /things/events/_count?q=early:true",
        "",
        200,
        r#"{"count": 1}"#,
    ),
    case("GET /things/_events/_count", "", 400, ""),
    case("GET /things/events/4", "", 404, r#"{"found": false}"#),
    case(
        "POST /things/_update/1",
        r#"{"doc": {"name": "Fina"}}"#,
        200,
        r#"{"_version": 4, "result": "updated"}"#,
    ),
    case(
        "POST /things/_update/1",
        r#"{"doc": {"name": "Fina"}}"#,
        200,
        r#"{"_version": 4, "result": "noop"}"#,
    ),
    case(
        "POST /things/_update/9",
        r#"{"doc": {}}"#,
        404,
        r#"{"error": {"type": "document_missing_exception"}}"#,
    ),
    case(
        "POST /things/_update/9",
        r#"{"doc": {"a": 1}, "doc_as_upsert": true}"#,
        201,
        r#"{"result": "created"}"#,
    ),
    case(
        "POST /things/_update/1",
        r#"{"script": {"source": "ctx.op = 'delete'", "lang": "mustache"}}"#,
        501,
        r#"{"error": {"reason": "scripts in [mustache] is not supported"}}"#,
    ),
    case("GET /things/_source/1", "", 200, r#"{"name": "Fina", "age": 6}"#),
    case(
        "GET /things/_source/none",
        "",
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    case(
        "POST /_mget",
        r#"{"docs": [{"_index": "things", "_id": "1"}, {"_index": "none", "_id": "1"}]}"#,
        200,
        r#"{"docs": [{"found": true}, {"error": {"type": "index_not_found_exception"}}]}"#,
    ),
    case(
        "POST /_mget",
        r#"{"docs": [{"_id": "1"}]}"#,
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case(
        "GET /things/_mget",
        r#"{"ids": ["1", "none"]}"#,
        200,
        r#"{"docs": [{"_id": "1", "found": true}, {"_id": "none", "found": false}]}"#,
    ),
    case(
        "POST /things/_mget",
        r#"{"colours": []}"#,
        400,
        r#"{"error": {"type": "*"}}"#,
    ),
    case(
        "POST /_bulk",
        "{\"index\": {\"_index\": \"bulk\", \"_id\": \"1\"}}\n{\"a\": 1}\n{\"create\": {\"_index\": \"bulk\", \"_id\": \"1\"}}\n{\"a\": 2}\n\
         {\"update\": {\"_index\": \"bulk\", \"_id\": \"1\"}}\n{\"doc\": {\"b\": 2}}\n{\"delete\": {\"_index\": \"bulk\", \"_id\": \"2\"}}\n",
        200,
        r#"{"errors": true, "items": [{"index": {"status": 201}}, {"create": {"status": 409, "error": {"type": "version_conflict_engine_exception"}}},
            {"update": {"status": 200, "_version": 2}}, {"delete": {"status": 404, "result": "not_found"}}]}"#,
    ),
    case(
        "POST /_bulk",
        r#"{"index": {}}"#,
        400,
        r#"{"error": {"reason": "The bulk request must be terminated by a newline [\\n]"}}"#,
    ),
    case(
        "PUT /bulk/_bulk?refresh=wait_for",
        "{\"index\": {}}\n{\"a\": 3}\n",
        200,
        r#"{"errors": false, "items": [{"index": {"_index": "bulk", "status": 201}}]}"#,
    ),
    case(
        "POST /bulk/_bulk",
        "{\"index\": {\"colour\": 1}}\n{}\n",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "POST /bulk/events/_bulk",
        "{\"index\": {\"_type\": \"events\"}}\n{\"a\": 4}\n",
        200,
        r#"{"errors": false}"#,
    ),
    case(
        "POST /bulk/events/_bulk",
        "\n",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    // Documents without ids are inserted together; if one fails, the others do not.
    case(
        "PUT /inserted",
        r#"{"mappings": {"properties": {"a": {"type": "long"}}}}"#,
        200,
        "",
    ),
    case(
        "POST /inserted/_bulk",
        "{\"create\": {}}\n{\"a\": 1}\n{\"index\": {}}\n{\"a\": \"none\"}\n{\"create\": {}}\n{\"a\": 2, \"b\": \"new\"}\n",
        200,
        r#"{"errors": true, "items": [{"create": {"status": 201, "_version": 1, "_seq_no": 0, "result": "created"}},
            {"index": {"status": 400, "error": {"type": "mapper_parsing_exception"}}}, {"create": {"status": 201, "_seq_no": 1}}]}"#,
    ),
    case(
        "POST /inserted/_search?seq_no_primary_term=true&version=true",
        r#"{"query": {"match": {"b": "new"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_seq_no": 1, "_version": 1, "_source": {"a": 2, "b": "new"}}]}}"#,
    ),
    // The numbers of changes are a column.
    case(
        "POST /inserted/_search",
        r#"{"query": {"term": {"_seq_no": 1}}, "docvalue_fields": ["_seq_no"], "aggs": {"m": {"max": {"field": "_seq_no"}}}}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"_seq_no": [1]}}]}, "aggregations": {"m": {"value": 1.0}}}"#,
    ),
    case(
        "POST /inserted/_search",
        r#"{"docvalue_fields": ["_routing"]}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Fielddata is not supported on field [_routing] of type [_routing]"}]}}"#,
    ),
    case(
        "GET /inserted/_mapping",
        "",
        200,
        r#"{"inserted": {"mappings": {"properties": {"a": {"type": "long"}, "b": {"type": "text"}}}}}"#,
    ),
    // A field keeps its type: a document that does not fit is refused, and no part of it is written.
    case(
        "POST /bulk/_doc",
        r#"{"a": "no number"}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
    case(
        "DELETE /things/_doc/1",
        "",
        200,
        r#"{"result": "deleted", "_version": 5}"#,
    ),
    case("DELETE /things/_doc/1", "", 404, r#"{"result": "not_found"}"#),
    case(
        "PUT /things/_doc/1",
        "{}",
        201,
        r#"{"result": "created", "_version": 6}"#,
    ),
    case(
        "POST /_bulk",
        "{\"index\": {\"_index\": \"owned\", \"_id\": \"1\", \"version\": 12, \"version_type\": \"external\"}}\n{\"a\": 1}\n\
         {\"index\": {\"_index\": \"owned\", \"_id\": \"1\", \"version\": 12, \"version_type\": \"external\"}}\n{\"a\": 2}\n\
         {\"delete\": {\"_index\": \"owned\", \"_id\": \"1\", \"version\": 14, \"version_type\": \"external_gte\"}}\n",
        200,
        r#"{"errors": true, "items": [{"index": {"status": 201, "_version": 12}}, {"index": {"status": 409}}, {"delete": {"status": 200, "_version": 14}}]}"#,
    ),
    case(
        "POST /_bulk",
        "{\"create\": {\"_index\": \"owned\", \"_id\": \"1\", \"version\": 12, \"version_type\": \"external\"}}\n{\"a\": 1}\n",
        400,
        "",
    ),
    case(
        "PUT /things/_doc/own?version=7&version_type=external",
        r#"{"a": 1}"#,
        201,
        r#"{"_version": 7, "result": "created"}"#,
    ),
    case(
        "PUT /things/_doc/own?version=7&version_type=external",
        r#"{"a": 2}"#,
        409,
        r#"{"error": {"reason": "[own]: version conflict, current version [7] is higher or equal to the one provided [7]"}}"#,
    ),
    case(
        "PUT /things/_doc/own?version=5000000000&version_type=external_gte",
        r#"{"a": 3}"#,
        200,
        r#"{"_version": 5000000000, "result": "updated"}"#,
    ),
    case(
        "GET /things/_doc/own",
        "",
        200,
        r#"{"_version": 5000000000, "_source": {"a": 3}}"#,
    ),
    case(
        "PUT /things/_doc/own",
        r#"{"a": 4}"#,
        200,
        r#"{"_version": 5000000001}"#,
    ),
    case(
        "DELETE /things/_doc/own?version=6000000000&version_type=external&refresh",
        "",
        200,
        r#"{"result": "deleted", "forced_refresh": true}"#,
    ),
    case("GET /things/_doc/own", "", 404, r#"{"found": false}"#),
    case(
        "PUT /things/_doc/1?op_type=create&version=3&version_type=external",
        "{}",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case(
        "PUT /things/_doc/1?version=3",
        "{}",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case(
        "PUT /things/_doc/1?version=3&version_type=colour",
        "{}",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "PUT /things/_doc/1?require_alias",
        "{}",
        404,
        r#"{"error": {"type": "index_not_found_exception"}}"#,
    ),
    case(
        "POST /none/_update/1",
        r#"{"doc": {}}"#,
        404,
        r#"{"error": {"type": "document_missing_exception"}}"#,
    ),
    case(
        "POST /things/_update/1",
        r#"{"dac": {}}"#,
        400,
        r#"{"error": {"reason": "[UpdateRequest] unknown field [dac] did you mean [doc]?"}}"#,
    ),
];
