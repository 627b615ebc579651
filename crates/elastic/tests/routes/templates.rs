//! Search templates, stored templates, and copies of indices.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_templates_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /words/_doc/1",
        r#"{"word": "a \"quoted\" one", "n": 1}"#,
        201,
        "",
    ),
    case("PUT /words/_doc/2", r#"{"word": "another", "n": 2}"#, 201, ""),
    case(
        "POST /words/_search/template",
        r#"{"source": "{\"query\": {\"match\": {\"word\": \"{{q}}\"}}, \"size\": {{size}}{{^size}}10{{/size}}}", "params": {"q": "\"quoted\"", "size": 1}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "1"}]}}"#,
    ),
    case(
        "GET /_search/template",
        r#"{"source": {"query": {"terms": {"n": [1, 2]}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "POST /words/_search/template",
        "{}",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case("POST /_search/template", r#"{"source": "{{#a}}"}"#, 400, ""),
    case(
        "POST /_search/template",
        r#"{"id": "nowhere"}"#,
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    // Stored templates.
    case(
        "PUT /_scripts/find",
        r#"{"script": {"lang": "mustache", "source": {"query": {"term": {"n": "{{n}}"}}}}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "GET /_scripts/find",
        "",
        200,
        r#"{"_id": "find", "found": true, "script": {"lang": "mustache"}}"#,
    ),
    case("GET /_scripts/nowhere", "", 404, r#"{"found": false}"#),
    case(
        "PUT /_scripts/score/score",
        r#"{"script": {"lang": "expression", "source": "1"}}"#,
        501,
        "",
    ),
    case(
        "PUT /_scripts/other/template",
        r#"{"script": {"lang": "mustache", "source": "{}"}}"#,
        200,
        "",
    ),
    case(
        "PUT /_scripts/find",
        r#"{"script": {"lang": "mustache", "source": "{{#a}}"}}"#,
        400,
        "",
    ),
    case(
        "POST /_search/template",
        r#"{"id": "find", "params": {"n": 2}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2"}]}}"#,
    ),
    case(
        "POST /_render/template",
        r#"{"source": "{\"terms\": {{#toJson}}list{{/toJson}}}", "params": {"list": ["a", 1]}}"#,
        200,
        r#"{"template_output": {"terms": ["a", 1]}}"#,
    ),
    case("POST /_render/template", r#"{"colour": 1}"#, 400, ""),
    case(
        "POST /_render/template/find",
        r#"{"params": {"n": 7}}"#,
        200,
        r#"{"template_output": {"query": {"term": {"n": "7"}}}}"#,
    ),
    case("POST /_render/template/nowhere", "{}", 404, ""),
    case(
        "POST /words/_msearch/template",
        "{}\n{\"id\": \"find\", \"params\": {\"n\": 1}}\n{}\n{\"id\": \"nowhere\"}\n",
        200,
        r#"{"responses": [{"status": 200, "hits": {"total": {"value": 1}}}, {"status": 404}]}"#,
    ),
    case("POST /words/_msearch/template", "{}", 400, ""),
    case(
        "POST /_msearch/template",
        "{\"index\": \"words\"}\n{\"source\": \"{}\"}\n",
        200,
        r#"{"responses": [{"hits": {"total": {"value": 2}}}]}"#,
    ),
    case("POST /_msearch/template", "{}", 400, ""),
    case("DELETE /_scripts/find", "", 200, ""),
    case("DELETE /_scripts/find", "", 404, ""),
    case("GET /_script_context", "", 200, ""),
    case("POST /_script_context", "", 405, ""),
    // A copy of a write-blocked index.
    case(
        "POST /words/_clone/copy",
        "",
        500,
        r#"{"error": {"type": "illegal_state_exception"}}"#,
    ),
    case("PUT /words/_settings", r#"{"index.blocks.write": true}"#, 200, ""),
    case(
        "POST /words/_clone/copy",
        r#"{"settings": {"number_of_shards": 2}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "POST /words/_clone/copy",
        r#"{"settings": {"number_of_replicas": 0}, "aliases": {"second": {}}}"#,
        200,
        r#"{"acknowledged": true, "index": "copy"}"#,
    ),
    case(
        "GET /second/_doc/2",
        "",
        200,
        r#"{"_version": 1, "_source": {"n": 2}}"#,
    ),
    case(
        "GET /copy/_settings",
        "",
        200,
        r#"{"copy": {"settings": {"index": {"number_of_replicas": "0", "blocks": {"write": "true"}}}}}"#,
    ),
    case("PUT /copy/_doc/3", "{}", 403, ""),
    case(
        "POST /words/_clone/copy",
        "",
        400,
        r#"{"error": {"type": "resource_already_exists_exception"}}"#,
    ),
    // With fewer shards, and with more.
    case(
        "PUT /four",
        r#"{"settings": {"number_of_shards": 4, "number_of_replicas": 0, "blocks.write": true}}"#,
        200,
        "",
    ),
    case(
        "POST /four/_shrink/two",
        r#"{"settings": {"number_of_shards": 2, "index.blocks.write": null}}"#,
        200,
        r#"{"acknowledged": true, "shards_acknowledged": true, "index": "two"}"#,
    ),
    case(
        "GET /two/_settings?flat_settings",
        "",
        200,
        r#"{"two": {"settings": {"index.number_of_shards": "2"}}}"#,
    ),
    case("PUT /two/_doc/1", "{}", 201, ""),
    case("POST /four/_shrink/one", "", 200, ""),
    case(
        "GET /one/_settings",
        "",
        200,
        r#"{"one": {"settings": {"index": {"number_of_shards": "1"}}}}"#,
    ),
    case(
        "POST /four/_shrink/three",
        r#"{"settings": {"number_of_shards": 3}}"#,
        400,
        r#"{"error": {"reason": "the number of source shards [4] must be a multiple of [3]"}}"#,
    ),
    case(
        "POST /two/_shrink/one-again",
        "",
        500,
        r#"{"error": {"reason": "index two must be read-only to resize index. use \"index.blocks.write=true\""}}"#,
    ),
    case(
        "PUT /four/_split/eight",
        r#"{"settings": {"number_of_shards": 8}}"#,
        200,
        r#"{"index": "eight"}"#,
    ),
    case(
        "PUT /four/_split/six",
        r#"{"settings": {"number_of_shards": 6}}"#,
        500,
        r#"{"error": {"type": "illegal_state_exception",
            "reason": "the number of routing shards [1024] must be a multiple of the target shards [6]"}}"#,
    ),
    case(
        "PUT /four/_split/two-again",
        r#"{"settings": {"number_of_shards": 2}}"#,
        400,
        r#"{"error": {"reason": "the number of source shards [4] must be less that the number of target shards [2]"}}"#,
    ),
    case(
        "PUT /four/_split/some",
        "",
        400,
        r#"{"error": {"reason": "Validation Failed: 1: index.number_of_shards is required for split operations;"}}"#,
    ),
];
