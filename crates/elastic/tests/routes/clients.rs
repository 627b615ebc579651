//! What clients of several versions send, and read in answers: paths with types, synced flushes, names in bodies.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_of_older_and_newer_clients_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /known",
        r#"{"mappings": {"properties": {"n": {"type": "long"}}}}"#,
        200,
        "",
    ),
    // Names that no index can have.
    case(
        "PUT /Upper",
        "",
        400,
        r#"{"error":{"type":"invalid_index_name_exception","reason":"Invalid index name [Upper], must be lowercase","index_uuid":"_na_","index":"Upper","root_cause""#,
    ),
    case(
        "PUT /a%2Fb",
        "",
        400,
        r#"{"error": {"reason": "Invalid index name [a/b], must not contain the following characters [ , \", *, \\, <, |, ,, >, /, ?]"}}"#,
    ),
    case(
        "PUT /a:b",
        "",
        400,
        r#"{"error": {"reason": "Invalid index name [a:b], must not contain ':'"}}"#,
    ),
    // Flushes that tell of each index.
    case(
        "POST /_flush/synced",
        "",
        200,
        r#"{"_shards": {"failed": 0}, "known": {"total": 2, "successful": 1, "failed": 0}}"#,
    ),
    case("DELETE /_flush/synced", "", 405, r#"{"status": 405}"#),
    case("GET /known/_flush/synced", "", 200, r#"{"known": {"failed": 0}}"#),
    case("POST /none/_flush/synced", "", 404, r#"{"status": 404}"#),
    // Types of mappings.
    case(
        "GET /known/_mapping/_all",
        "",
        200,
        r#"{"known": {"mappings": {"properties": {"n": {"type": "long"}}}}}"#,
    ),
    case(
        "GET /_mapping/_doc?include_type_name=true",
        "",
        200,
        r#"{"known": {"mappings": {"_doc": {"properties": {"n": {"type": "long"}}}}}}"#,
    ),
    case(
        "GET /_mapping/_doc",
        "",
        400,
        r#"{"error": {"reason": "Types cannot be provided in get mapping requests, unless include_type_name is set to true."}}"#,
    ),
    case(
        "GET /known/_mapping/other?include_type_name=true",
        "",
        404,
        r#"{"error": {"type": "type_missing_exception", "reason": "type[[other]] missing"}}"#,
    ),
    case(
        "PUT /known/_mapping/_doc?include_type_name=true",
        r#"{"_doc": {"properties": {"k": {"type": "keyword"}}}}"#,
        200,
        "",
    ),
    case(
        "POST /known/_mapping/_doc?include_type_name=true",
        r#"{"properties": {"l": {"type": "keyword"}}}"#,
        200,
        "",
    ),
    case(
        "PUT /known/_mapping/_doc",
        r#"{"properties": {"m": {"type": "keyword"}}}"#,
        400,
        r#"{"error": {"reason": "Types cannot be provided in put mapping requests, unless the include_type_name parameter is set to true."}}"#,
    ),
    // The names of fields in a body.
    case(
        "POST /known/_field_caps",
        r#"{"fields": ["k", "l", "m"]}"#,
        200,
        r#"{"indices": ["known"], "fields": {"k": {"keyword": {"aggregatable": true}}, "l": {"keyword": {}}}}"#,
    ),
    case("POST /known/_field_caps", r#"{"fields": 1}"#, 400, ""),
    // Terms as they are typed.
    case("PUT /known/_doc/t1", r#"{"k": ["Kiel", "Köln"]}"#, 201, ""),
    case("PUT /known/_doc/t2", r#"{"k": ["kilometre", "Kiew"]}"#, 201, ""),
    case(
        "POST /known/_terms_enum",
        r#"{"field": "k", "string": "Ki"}"#,
        200,
        r#"{"_shards": {"total": 1, "successful": 1, "failed": 0}, "terms": ["Kiel", "Kiew"], "complete": true}"#,
    ),
    case(
        "POST /known/_terms_enum",
        r#"{"field": "k", "string": "ki", "case_insensitive": true, "size": 2, "search_after": "Kiel"}"#,
        200,
        r#"{"terms": ["Kiew", "kilometre"]}"#,
    ),
    case(
        "POST /known/_terms_enum",
        r#"{"field": "k", "index_filter": {"match_none": {}}}"#,
        200,
        r#"{"terms": []}"#,
    ),
    case(
        "GET /known/_terms_enum",
        r#"{"field": "n"}"#,
        200,
        r#"{"terms": []}"#,
    ),
    case(
        "POST /known/_terms_enum",
        "{}",
        400,
        r#"{"error": {"reason": "Validation Failed: 1: field cannot be null;"}}"#,
    ),
    // What was written with a refresh says so.
    case(
        "POST /known/_bulk?refresh=true",
        "{\"index\": {\"_id\": \"2\"}}\n{\"n\": 2}\n{\"create\": {\"_id\": \"2\"}}\n{\"n\": 2}\n",
        200,
        r#"{"errors": true, "items": [{"index": {"result": "created", "forced_refresh": true}}, {"create": {"status": 409}}]}"#,
    ),
    case(
        "POST /known/_update/2?refresh=true",
        r#"{"doc": {"n": 2}}"#,
        200,
        r#"{"_index":"known","_type":"_doc","_id":"2","_version":1,"result":"noop","_shards":{"total":0,"successful":0,"failed":0},"_seq_no":"#,
    ),
    // What is kept and never looked at is unknown to queries.
    case(
        "PUT /known/_mapping",
        r#"{"properties": {"o": {"type": "object", "enabled": false}}}"#,
        200,
        "",
    ),
    case("PUT /known/_doc/3", r#"{"o": "text"}"#, 201, ""),
    case(
        "POST /known/_search",
        r#"{"query": {"bool": {"should": [{"term": {"o": "text"}}, {"prefix": {"o": "t"}}, {"range": {"o": {"gte": "a"}}}]}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    // What a change by a query never does is not counted in its answer.
    case(
        "PUT /known/_doc/1?refresh=true",
        r#"{"n": 1}"#,
        201,
        r#"{"forced_refresh": true}"#,
    ),
    case(
        "POST /known/_update_by_query",
        r#"{"query": {"term": {"n": 1}}}"#,
        200,
        r#""total":1,"updated":1,"deleted":0,"batches":1"#,
    ),
    case(
        "POST /known/_delete_by_query",
        r#"{"query": {"term": {"n": 1}}}"#,
        200,
        r#""total":1,"deleted":1,"batches":1"#,
    ),
    // Scripts with parameters beside them, as Elasticsearch's documentation stores search templates.
    case(
        "PUT /_scripts/with-parameters",
        r#"{"script": {"lang": "mustache", "source": {"query": {"match": {"k": "{{words}}"}}}, "params": {"words": "a"}}}"#,
        200,
        "",
    ),
    case(
        "PUT /_scripts/with-parameters",
        r#"{"other": 1}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "reason": "unexpected field [other], expected [script]"}}"#,
    ),
    case(
        "GET /_analyze",
        r#"{"text": "a", "explain": true}"#,
        200,
        r#"{"detail": {"analyzer": {"name": "standard"}}}"#,
    ),
];
