//! Scripts that change documents.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_scripts_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /s/_doc/1", r#"{"n": 1, "tags": ["a"]}"#, 201, ""),
    case(
        "POST /s/_update/1",
        r#"{"script": {"source": "ctx._source.n += params.by; if (!ctx._source.tags.contains('b')) { ctx._source.tags.add('b') }", "lang": "painless", "params": {"by": 4}}}"#,
        200,
        r#"{"result": "updated", "_version": 2}"#,
    ),
    case(
        "GET /s/_doc/1",
        "",
        200,
        r#"{"_source": {"n": 5, "tags": ["a", "b"]}}"#,
    ),
    case(
        "POST /s/_update/1",
        r#"{"script": "ctx.op = 'none'"}"#,
        200,
        r#"{"result": "noop", "_version": 2}"#,
    ),
    case(
        "POST /s/_update/2",
        r#"{"script": "ctx._source.n++", "upsert": {"n": 1}}"#,
        201,
        r#"{"result": "created"}"#,
    ),
    case("GET /s/_doc/2", "", 200, r#"{"_source": {"n": 1}}"#),
    case(
        "POST /s/_update/3",
        r#"{"script": "ctx._source.n = 7; ctx._source.was = ctx.op", "scripted_upsert": true, "upsert": {}}"#,
        201,
        "",
    ),
    case(
        "GET /s/_doc/3",
        "",
        200,
        r#"{"_source": {"n": 7, "was": "create"}}"#,
    ),
    case(
        "POST /s/_update/4",
        r#"{"script": "ctx._source.n++"}"#,
        404,
        r#"{"error": {"type": "document_missing_exception"}}"#,
    ),
    case(
        "POST /s/_update/1",
        r#"{"script": "nothing.n++"}"#,
        400,
        r#"{"error": {"type": "script_exception", "reason": "compile error", "lang": "painless"}}"#,
    ),
    case(
        "POST /s/_update/1",
        r#"{"script": "ctx._source.none.n = 1"}"#,
        400,
        r#"{"error": {"type": "script_exception", "reason": "runtime error"}}"#,
    ),
    case(
        "POST /s/_update/1",
        r#"{"script": "while (true) {}"}"#,
        400,
        r#"{"error": {"reason": "runtime error"}}"#,
    ),
    case(
        "POST /s/_update/1",
        r#"{"script": {"id": "x"}}"#,
        404,
        r#"{"error": {"type": "resource_not_found_exception", "reason": "unable to find script [x] in cluster state"}}"#,
    ),
    // Scripts that are tried out.
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "(double)params.count / params.total", "params": {"count": 100, "total": 1000}}}"#,
        200,
        r#"{"result": "0.1"}"#,
    ),
    case(
        "GET /_scripts/painless/_execute",
        r#"{"script": {"source": "return [1, 'a', null]"}, "context": "painless_test"}"#,
        200,
        r#"{"result": "[1, a, null]"}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "doc['n'].value < params.most", "params": {"most": 4}}, "context": "filter", "context_setup": {"index": "s", "document": {"n": 3}}}"#,
        200,
        r#"{"result": true}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "doc['n'].value / params.most", "params": {"most": 5.0}}, "context": "score", "context_setup": {"index": "s", "document": {"n": 4}}}"#,
        200,
        r#"{"result": 0.8}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "true"}, "context": "filter", "context_setup": {"index": "s", "document": {"n": "many"}}}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "true"}, "context": "filter"}"#,
        400,
        r#"{"error": {"reason": "Validation Failed: 1: index is a required parameter for current context;2: document is a required parameter for current context;"}}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "emit(1)"}, "context": "long_field"}"#,
        501,
        r#"{"error": {"reason": "the script context [long_field] is not supported"}}"#,
    ),
    // Scores that fall with the distance.
    case(
        "PUT /fall",
        r#"{"mappings": {"properties": {"n": {"type": "long"}, "when": {"type": "date"}, "where": {"type": "geo_point"}}}}"#,
        200,
        "",
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "decayNumericLinear(params.origin, 10, 0, 0.5, doc['n'].value)", "params": {"origin": 20}},
            "context": "score", "context_setup": {"index": "fall", "document": {"n": 30}}}"#,
        200,
        r#"{"result": 0.5}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "decayDateLinear('2018-01-01T01:00:00.000+01:00', '1h', '0', 0.5, doc['when'].value)"},
            "context": "score", "context_setup": {"index": "fall", "document": {"when": "2018-01-01T01:00:00Z"}}}"#,
        200,
        r#"{"result": 0.5}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "decayGeoGauss('40, -70', '200km', '1km', 0.5, doc['where'].value)"},
            "context": "score", "context_setup": {"index": "fall", "document": {"where": [-70, 40.001]}}}"#,
        200,
        r#"{"result": 1.0}"#,
    ),
    case(
        "POST /_scripts/painless/_execute",
        r#"{"script": {"source": "decayGeoExp('40, -70', '200 parsecs', '0km', 0.5, doc['where'].value)"},
            "context": "score", "context_setup": {"index": "fall", "document": {"where": [-70, 40]}}}"#,
        400,
        r#"{"error": {"type": "script_exception"}}"#,
    ),
    // Stored scripts.
    case(
        "PUT /_scripts/add",
        r#"{"script": {"lang": "painless", "source": "ctx._source.n += params.by"}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "GET /_scripts/add",
        "",
        200,
        r#"{"_id": "add", "script": {"lang": "painless", "source": "ctx._source.n += params.by"}}"#,
    ),
    case(
        "POST /s/_update/1?_source=n",
        r#"{"script": {"id": "add", "params": {"by": 2}}}"#,
        200,
        r#"{"result": "updated", "get": {"_source": {"n": 7}}}"#,
    ),
    case(
        "POST /_bulk",
        "{\"update\": {\"_index\": \"s\", \"_id\": \"1\"}}\n{\"script\": {\"id\": \"add\", \"params\": {\"by\": 1}}}\n\
         {\"update\": {\"_index\": \"s\", \"_id\": \"1\"}}\n{\"script\": {\"id\": \"none\"}}\n",
        200,
        r#"{"errors": true, "items": [{"update": {"status": 200}}, {"update": {"status": 404}}]}"#,
    ),
    case(
        "POST /s/_update_by_query?refresh=true",
        r#"{"query": {"ids": {"values": ["1"]}}, "script": {"id": "add", "params": {"by": 1}}}"#,
        200,
        r#"{"updated": 1}"#,
    ),
    case("GET /s/_doc/1", "", 200, r#"{"_source": {"n": 9}}"#),
    case(
        "PUT /_scripts/mark",
        r#"{"script": {"lang": "painless", "source": "ctx.mark = params.by"}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /_ingest/pipeline/marks",
        r#"{"processors": [{"script": {"id": "mark", "params": {"by": 2}}}]}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /marked/_doc/1?pipeline=marks",
        r#"{"n": 1}"#,
        201,
        r#"{"result": "created"}"#,
    ),
    case(
        "GET /marked/_doc/1",
        "",
        200,
        r#"{"_source": {"n": 1, "mark": 2}}"#,
    ),
    // Text in documents is never run as a script.
    case(
        "PUT /_ingest/pipeline/data",
        r#"{"processors": [{"set": {"field": "a", "value": {"script": {"id": "nowhere"}}}}]}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /_ingest/pipeline/none",
        r#"{"processors": [{"foreach": {"field": "a", "processor": {"script": {"id": "nowhere"}}}}]}"#,
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    case(
        "POST /_search/template",
        r#"{"id": "add"}"#,
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    case(
        "PUT /_scripts/add",
        r#"{"script": {"lang": "painless", "source": "1 +"}}"#,
        400,
        r#"{"error": {"type": "script_exception", "reason": "compile error"}}"#,
    ),
    case("POST /s/_update/1", r#"{"script": "1", "doc": {}}"#, 400, ""),
    case(
        "POST /s/_update/3",
        r#"{"script": "ctx.op = 'delete'"}"#,
        200,
        r#"{"result": "deleted"}"#,
    ),
    case(
        "POST /_bulk",
        "{\"update\": {\"_index\": \"s\", \"_id\": \"1\"}}\n{\"script\": {\"source\": \"ctx._source.n = 10\"}}\n",
        200,
        r#"{"errors": false}"#,
    ),
    case(
        "POST /s/_update_by_query",
        r#"{"script": {"source": "if (ctx._source.n > 5) { ctx._source.big = true } else { ctx.op = 'noop' }"}}"#,
        200,
        r#"{"total": 2, "updated": 1, "noops": 1}"#,
    ),
    case("GET /s/_doc/1", "", 200, r#"{"_source": {"n": 10, "big": true}}"#),
    case(
        "POST /s/_update_by_query",
        r#"{"script": "ctx._id = 'x'"}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception", "reason": "Modifying [_id] not allowed"}}"#,
    ),
    case(
        "POST /s/_update_by_query",
        r#"{"script": "ctx._version = 8"}"#,
        400,
        r#"{"error": {"reason": "Modifying [_version] not allowed"}}"#,
    ),
    case(
        "POST /s/_update_by_query",
        r#"{"script": "ctx.junk = 'x'"}"#,
        400,
        r#"{"error": {"reason": "Invalid fields added to context [junk]"}}"#,
    ),
    case(
        "POST /s/_update_by_query",
        r#"{"script": "ctx.op = 'junk'"}"#,
        400,
        r#"{"error": {"reason": "Operation type [junk] not allowed, only [noop, index, delete] are allowed"}}"#,
    ),
    case(
        "POST /s/_update_by_query",
        r#"{"script": "throw new IllegalArgumentException('no')"}"#,
        400,
        r#"{"error": {"type": "script_exception"}}"#,
    ),
    // A failure tells the status.
    case(
        "PUT /strict-s",
        r#"{"mappings": {"dynamic": "strict", "properties": {"a": {"type": "long"}}}}"#,
        200,
        "",
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "s"}, "dest": {"index": "strict-s"}}"#,
        400,
        r#"{"created": 0, "failures": "*"}"#,
    ),
    case(
        "POST /s/_delete_by_query",
        r#"{"query": {"match_all": {}}, "script": "1"}"#,
        400,
        "",
    ),
];
