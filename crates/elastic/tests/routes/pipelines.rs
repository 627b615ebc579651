//! Ingest pipelines.

use super::server::{run, run_restarted};
use testing::http::{Case, case};

#[test]
fn requests_for_ingest_pipelines_get_elasticsearchs_answers() {
    run(CASES);
}

#[test]
fn pipelines_are_there_after_a_restart() {
    run_restarted(
        &[case("PUT /_ingest/pipeline/lines", LINES, 200, "")],
        &[
            case("PUT /a/_doc/1?pipeline=lines", r#"{"message": "5 x"}"#, 201, ""),
            case("GET /a/_doc/1", "", 200, r#"{"_source": {"n": 5, "what": "x"}}"#),
        ],
    );
}

const LINES: &str = r#"{"description": "lines", "processors": [
    {"grok": {"field": "message", "patterns": ["%{INT:n:int} %{GREEDYDATA:what}"]}},
    {"drop": {"if": "ctx.what == 'debug'"}},
    {"set": {"field": "_id", "value": "{{n}}", "if": "ctx.what == 'own'"}},
    {"set": {"field": "_index", "value": "others", "if": "ctx.what == 'other'"}},
    {"remove": {"field": "message"}}]}"#;
const MARK: &str = r#"{"processors": [{"set": {"field": "last", "value": true}}]}"#;

pub const CASES: &[Case] = &[
    case(
        "PUT /_ingest/pipeline/lines",
        LINES,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case("PUT /_ingest/pipeline/mark", MARK, 200, ""),
    case("POST /_ingest/pipeline/mark", MARK, 405, ""),
    case(
        "PUT /_ingest/pipeline/wrong",
        r#"{"processors": [{"set": {"value": 1}}]}"#,
        400,
        r#"{"error": {"type": "parse_exception", "reason": "[field] required property is missing", "processor_type": "set", "property_name": "field"}}"#,
    ),
    case(
        "PUT /_ingest/pipeline/wrong",
        r#"{"processors": [{"geoip": {"field": "ip"}}]}"#,
        501,
        r#"{"error": {"reason": "the processor [geoip] is not supported"}}"#,
    ),
    case(
        "GET /_ingest/pipeline",
        "",
        200,
        r#"{"lines": {"description": "lines"}, "mark": {}}"#,
    ),
    case(
        "GET /_ingest/pipeline/li*",
        "",
        200,
        r#"{"lines": {"description": "lines"}}"#,
    ),
    case("GET /_ingest/pipeline/none", "", 404, "{}"),
    case("POST /_ingest/pipeline", "", 405, ""),
    case(
        "GET /_ingest/processor/grok",
        "",
        200,
        r#"{"patterns": {"DATA": ".*?"}}"#,
    ),
    case("POST /_ingest/processor/grok", "", 405, ""),
    case("GET /_ingest/geoip/stats", "", 501, ""),
    // Simulated.
    case(
        "POST /_ingest/pipeline/lines/_simulate",
        r#"{"docs": [{"_source": {"message": "5 x"}}, {"_source": {"message": "x"}}, {"_source": {"message": "1 debug"}}]}"#,
        200,
        r#"{"docs": [{"doc": {"_source": {"n": 5, "what": "x"}}}, {"error": {"type": "illegal_argument_exception", "header": {"processor_type": "grok"}}}, null]}"#,
    ),
    case(
        "POST /_ingest/pipeline/_simulate?verbose",
        r#"{"pipeline": {"processors": [{"set": {"field": "a", "value": 1, "tag": "t"}}, {"fail": {"message": "no"}}]}, "docs": [{"_id": "7", "_source": {}}]}"#,
        200,
        r#"{"docs": [{"processor_results": [{"processor_type": "set", "tag": "t", "status": "success", "doc": {"_id": "7", "_source": {"a": 1}, "_ingest": {"pipeline": "_simulate_pipeline"}}},
            {"processor_type": "fail", "status": "error", "error": {"reason": "no"}}]}]}"#,
    ),
    case(
        "POST /_ingest/pipeline/_simulate?verbose",
        r#"{"pipeline": {"processors": [{"set": {"field": "a", "value": 1, "if": "ctx.a == 1", "description": "d"}}, {"pipeline": {"name": "lines"}}]},
            "docs": [{"_version": 3, "_source": {"message": "5 x"}}], "other": 1}"#,
        200,
        r#"{"docs": [{"processor_results": [
            {"processor_type": "set", "status": "skipped", "description": "d", "if": {"condition": "ctx.a == 1", "result": false}},
            {"processor_type": "pipeline", "status": "success"},
            {"processor_type": "grok", "status": "success", "doc": {"_version": "3", "_source": {"n": 5}, "_ingest": {"pipeline": "lines"}}},
            {"processor_type": "drop", "status": "skipped", "if": {"condition": "ctx.what == 'debug'", "result": false}},
            {"processor_type": "set", "status": "skipped"}, {"processor_type": "set", "status": "skipped"},
            {"processor_type": "remove", "status": "success"}]}]}"#,
    ),
    case(
        "POST /_ingest/pipeline/_simulate",
        r#"{"pipeline": {"processors": [], "colour": 1}, "docs": []}"#,
        400,
        r#"{"error": {"type": "parse_exception", "reason": "pipeline [_simulate_pipeline] doesn't support one or more provided configuration parameters [colour]"}}"#,
    ),
    case(
        "PUT /_ingest/pipeline/wrong",
        r#"{"processors": [], "version": "x"}"#,
        400,
        r#"{"error": {"type": "parse_exception", "reason": "[version] property cannot be converted to an int [x]"}}"#,
    ),
    case(
        "PUT /_ingest/pipeline/wrong",
        r#"{"processors": [], "on_failure": []}"#,
        400,
        r#"{"error": {"type": "parse_exception", "reason": "pipeline [wrong] cannot have an empty on_failure option defined"}}"#,
    ),
    case(
        "POST /_ingest/pipeline/_simulate",
        r#"{"pipeline": {"processors": []}, "docs": {}}"#,
        400,
        r#"{"error": {"reason": "[docs] property isn't a list, but of type [java.util.HashMap]", "property_name": "docs"}}"#,
    ),
    case(
        "POST /_ingest/pipeline/none/_simulate",
        r#"{"docs": []}"#,
        400,
        "",
    ),
    case(
        "POST /_ingest/pipeline/_simulate",
        r#"{"docs": []}"#,
        400,
        r#"{"error": {"reason": "[pipeline] required property is missing"}}"#,
    ),
    // Partial updates go through no pipeline, so a request may not name one.
    case(
        "POST /p/_update/1?pipeline=lines",
        r#"{"doc": {}, "doc_as_upsert": true}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "POST /_bulk",
        "{\"update\": {\"_index\": \"p\", \"_id\": \"1\", \"pipeline\": \"lines\"}}\n{\"doc\": {}}\n",
        200,
        r#"{"items": [{"update": {"error": {"type": "document_missing_exception"}}}]}"#,
    ),
    // Pipelines that the request names.
    case("PUT /p/_doc/1?pipeline=lines", r#"{"message": "1 one"}"#, 201, ""),
    case(
        "GET /p/_doc/1",
        "",
        200,
        r#"{"_source": {"n": 1, "what": "one"}}"#,
    ),
    case(
        "PUT /p/_doc/9?pipeline=lines",
        r#"{"message": "1 debug"}"#,
        200,
        r#"{"result": "noop"}"#,
    ),
    case("GET /p/_doc/9", "", 404, ""),
    case(
        "PUT /p/_doc/9?pipeline=none",
        "{}",
        400,
        r#"{"error": {"reason": "pipeline with id [none] does not exist"}}"#,
    ),
    case(
        "PUT /p/_doc/9?pipeline=lines",
        r#"{"message": "x"}"#,
        400,
        r#"{"error": {"header": {"processor_type": "grok"}}}"#,
    ),
    case(
        "POST /_bulk?pipeline=lines",
        "{\"index\": {\"_index\": \"p\", \"_id\": \"a\"}}\n{\"message\": \"2 own\"}\n{\"create\": {\"_index\": \"p\"}}\n{\"message\": \"3 other\"}\n{\"index\": {\"_index\": \"p\", \"_id\": \"b\"}}\n{\"message\": \"wrong\"}\n{\"index\": {\"_index\": \"p\", \"_id\": \"c\"}}\n{\"message\": \"4 debug\"}\n{\"index\": {\"_index\": \"p\", \"_id\": \"d\", \"pipeline\": \"mark\"}}\n{}\n{\"index\": {\"_index\": \"p\", \"_id\": \"e\", \"pipeline\": \"_none\"}}\n{\"x\": 1}\n",
        200,
        r#"{"ingest_took": "*", "errors": true, "items": [{"index": {"_id": "2", "status": 201}}, {"create": {"_index": "others", "status": 201}},
            {"index": {"status": 400, "error": {"type": "illegal_argument_exception"}}}, {"index": {"result": "noop", "status": 200}},
            {"index": {"_id": "d", "status": 201}}, {"index": {"_id": "e", "status": 201}}]}"#,
    ),
    case(
        "GET /p/_doc/2",
        "",
        200,
        r#"{"_source": {"n": 2, "what": "own"}}"#,
    ),
    case("GET /p/_doc/d", "", 200, r#"{"_source": {"last": true}}"#),
    case("GET /others/_count", "", 200, r#"{"count": 1}"#),
    // Pipelines that the index names, or the template of an index that does not exist yet.
    case(
        "PUT /_index_template/auto",
        r#"{"index_patterns": ["auto-*"], "template": {"settings": {"index.default_pipeline": "lines", "final_pipeline": "mark"}}}"#,
        200,
        "",
    ),
    case("POST /auto-1/_doc/1", r#"{"message": "6 six"}"#, 201, ""),
    case(
        "GET /auto-1/_doc/1",
        "",
        200,
        r#"{"_source": {"n": 6, "what": "six", "last": true}}"#,
    ),
    case(
        "PUT /auto-1/_doc/2?pipeline=_none",
        r#"{"message": "6 six"}"#,
        201,
        "",
    ),
    case(
        "GET /auto-1/_doc/2",
        "",
        200,
        r#"{"_source": {"message": "6 six", "last": true}}"#,
    ),
    // Documents that updates make.
    case(
        "POST /auto-1/_update/4",
        r#"{"script": "ctx._source.ran = true", "upsert": {"message": "7 seven"}}"#,
        201,
        "",
    ),
    case(
        "GET /auto-1/_doc/4",
        "",
        200,
        r#"{"_source": {"n": 7, "what": "seven", "last": true}}"#,
    ),
    case(
        "POST /auto-1/_update/5",
        r#"{"doc": {"message": "8 eight"}, "doc_as_upsert": true}"#,
        201,
        "",
    ),
    case(
        "POST /auto-1/_update/6",
        r#"{"doc": {"message": "8 debug"}, "doc_as_upsert": true}"#,
        200,
        r#"{"result": "noop"}"#,
    ),
    case(
        "POST /_bulk",
        "{\"update\": {\"_index\": \"auto-1\", \"_id\": \"6\"}}\n{\"doc\": {\"message\": \"9 nine\"}, \"doc_as_upsert\": true}\n{\"update\": {\"_index\": \"auto-1\", \"_id\": \"7\"}}\n{\"script\": \"ctx._source.ran = true\", \"scripted_upsert\": true, \"upsert\": {\"message\": \"10 ten\"}}\n{\"update\": {\"_index\": \"auto-1\", \"_id\": \"8\"}}\n{\"doc\": {}, \"upsert\": {\"message\": \"wrong\"}}\n",
        200,
        r#"{"errors": true, "items": [{"update": {"status": 201}}, {"update": {"status": 201}}, {"update": {"status": 400, "error": {"type": "illegal_argument_exception"}}}]}"#,
    ),
    case(
        "GET /auto-1/_mget",
        r#"{"ids": ["5", "6", "7"]}"#,
        200,
        r#"{"docs": [{"_source": {"n": 8, "last": true}}, {"_source": {"n": 9, "last": true}}, {"_source": {"n": 10, "ran": true, "last": true}}]}"#,
    ),
    case(
        "PUT /auto-1/_settings",
        r#"{"default_pipeline": "_none"}"#,
        200,
        "",
    ),
    case("POST /auto-1/_doc/3", r#"{"message": "x"}"#, 201, ""),
    case("DELETE /_ingest/pipeline/lines", "", 200, ""),
    case(
        "DELETE /_ingest/pipeline/lines",
        "",
        404,
        r#"{"error": {"type": "resource_not_found_exception", "reason": "pipeline [lines] is missing"}}"#,
    ),
];
