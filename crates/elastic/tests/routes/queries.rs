//! Other uses of queries than searches: changes, explanations, terms, highlights, look-ups.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_other_uses_of_queries_get_elasticsearchs_answers() {
    run(CASES);
}

const MAPPING: &str = r#"{"settings": {"index.highlight.max_analyzed_offset": 200}, "mappings": {"properties": {
    "text": {"type": "text", "meta": {"unit": "words"}}, "tags": {"type": "keyword"}, "at": {"type": "date"}, "place": {"type": "geo_point"},
    "parts": {"type": "nested", "include_in_root": true, "properties": {"name": {"type": "keyword"}}}}}}"#;
const ONE: &str = r#"{"text": "The quick brown fox. It jumps over the lazy dog.", "tags": ["a", "b"], "at": "2024-01-01T10:00:00Z",
    "place": "52.5,13.4", "parts": [{"name": "x"}, {"name": "y"}]}"#;
const TWO: &str =
    r#"{"text": "A quick cat", "tags": ["b"], "at": "2024-01-01T12:00:00Z", "place": "48.1,11.6"}"#;

pub const CASES: &[Case] = &[
    case("PUT /texts-1", MAPPING, 200, ""),
    case("PUT /texts-1/_doc/1", ONE, 201, ""),
    case("PUT /texts-1/_doc/2", TWO, 201, ""),
    // Fields.
    case(
        "GET /texts-1/_field_caps?fields=text,tags",
        "",
        200,
        r#"{"indices": ["texts-1"], "fields": {"text": {"text": {"searchable": true, "aggregatable": false, "meta": {"unit": ["words"]}}},
            "tags": {"keyword": {"aggregatable": true}}}}"#,
    ),
    case("GET /texts-1/_field_caps", "", 400, ""),
    case("GET /_field_caps?fields=*", "", 200, ""),
    case("GET /_field_caps?fields=*", r#"{"index_filter": {}}"#, 400, ""),
    // Spans, and how they are marked.
    case(
        "POST /texts-1/_search",
        r#"{"query": {"span_near": {"clauses": [{"span_term": {"text": "quick"}}, {"span_term": {"text": "fox"}}], "slop": 1}},
            "highlight": {"fields": {"text": {"fragment_size": 25}}, "pre_tags": ["<b>"], "post_tags": ["</b>"]}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "1", "highlight": {"text": ["The <b>quick</b> brown <b>fox</b>."]}}]}}"#,
    ),
    case(
        "POST /texts-1/_search",
        r#"{"query": {"span_near": {"clauses": []}}}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "reason": "span_near must include [clauses]"}}"#,
    ),
    // Highlights.
    case(
        "POST /texts-1/_search",
        r#"{"query": {"match": {"text": "quick fox"}}, "highlight": {"fields": {"text": {"fragment_size": 25}}, "pre_tags": ["<b>"], "post_tags": ["</b>"]}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "highlight": {"text": ["The <b>quick</b> brown <b>fox</b>."]}},
            {"_id": "2", "highlight": {"text": ["A <b>quick</b> cat"]}}]}}"#,
    ),
    case(
        "POST /texts-1/_search",
        r#"{"query": {"match_phrase": {"text": "lazy dog"}}, "highlight": {"type": "plain", "number_of_fragments": 0, "fields": {"*": {}}}}"#,
        200,
        r#"{"hits": {"hits": [{"highlight": {"text": ["The quick brown fox. It jumps over the <em>lazy</em> <em>dog</em>."]}}]}}"#,
    ),
    case(
        "POST /texts-1/_search",
        r#"{"highlight": {"fields": {"text": {"type": "colour"}}}}"#,
        400,
        "",
    ),
    case(
        "POST /texts-1/_search",
        r#"{"highlight": {"colour": 1}}"#,
        400,
        "",
    ),
    // One of several `should` clauses has to match if no other clause must; a share of two clauses that rounds to none means one.
    case(
        "POST /texts-1/_search",
        r#"{"query": {"bool": {"should": [{"match": {"text": "cat"}}, {"match": {"text": "cow"}}], "minimum_should_match": "30%"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    // As many batches as Elasticsearch would need with five shards.
    case(
        "PUT /five",
        r#"{"settings": {"number_of_shards": 5}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "POST /five/_search?batched_reduce_size=2",
        "",
        200,
        r#"{"num_reduce_phases": 4}"#,
    ),
    case("DELETE /five", "", 200, ""),
    // Queries that are only validated.
    case(
        "GET /texts-1/_validate/query?explain",
        r#"{"query": {"match_all": {}}}"#,
        200,
        r#"{"valid": true, "_shards": {"failed": 0}, "explanations": [{"index": "texts-1", "valid": true, "explanation": "*:*"}]}"#,
    ),
    case(
        "GET /texts-1/_validate/query?q=text:dog",
        "",
        200,
        r#"{"valid": true}"#,
    ),
    case(
        "POST /texts-1/_validate/query?explain=true",
        r#"{"match_all": {}}"#,
        200,
        r#"{"valid": false, "error": "org.elasticsearch.common.ParsingException: request does not support [match_all]"}"#,
    ),
    case(
        "POST /_validate/query",
        r#"{"query": {"guess": {}}}"#,
        200,
        r#"{"valid": false}"#,
    ),
    case("GET /nothing/_validate/query", "", 404, ""),
    case("PUT /texts-1/_validate/query", "", 405, ""),
    case("PUT /_validate/query", "", 405, ""),
    // Explanations and terms.
    case(
        "GET /texts-1/_explain/2?_source=tags",
        r#"{"query": {"match": {"text": "cat"}}}"#,
        200,
        r#"{"matched": true, "get": {"found": true, "_source": {"tags": ["b"]}}}"#,
    ),
    case(
        "GET /texts-1/_explain/2?q=text:dog",
        "",
        200,
        r#"{"matched": false}"#,
    ),
    case("GET /texts-1/_explain/9?q=text:dog", "", 404, ""),
    case(
        "GET /texts-1/_explain/2?q=at:x&lenient=true&stored_fields=_source",
        "",
        200,
        r#"{"matched": false, "get": {"found": true, "_source": {"tags": ["b"]}}}"#,
    ),
    case(
        "GET /texts-1/_termvectors/2?term_statistics&fields=text",
        "",
        200,
        r#"{"found": true, "term_vectors": {"text": {"field_statistics": {"doc_count": 2}, "terms": {
            "quick": {"doc_freq": 2, "ttf": 2, "term_freq": 1, "tokens": [{"position": 1, "start_offset": 2, "end_offset": 7}]}}}}}"#,
    ),
    case("GET /texts-1/_termvectors/9", "", 200, r#"{"found": false}"#),
    case("POST /texts-1/_termvectors/2", r#"{"colour": 1}"#, 400, ""),
    case(
        "POST /texts-1/_termvectors",
        r#"{"doc": {"text": "one"}}"#,
        200,
        r#"{"term_vectors": {"text": {"terms": {"one": {}}}}}"#,
    ),
    case("POST /texts-1/_termvectors", "", 400, ""),
    case(
        "GET /texts-1/_mtermvectors?ids=1,9",
        "",
        200,
        r#"{"docs": [{"found": true}, {"found": false}]}"#,
    ),
    case("GET /texts-1/_mtermvectors", "", 400, ""),
    case(
        "POST /_mtermvectors",
        r#"{"docs": [{"_index": "texts-1", "_id": "1"}]}"#,
        200,
        "",
    ),
    case("POST /_mtermvectors", r#"{"docs": 1}"#, 400, ""),
    // Queries that look into documents, and how near something is.
    case(
        "GET /texts-1/_count",
        r#"{"query": {"terms": {"tags": {"index": "texts-1", "id": "2", "path": "tags"}}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"wrapper": {"query": "eyJ0ZXJtcyI6IHsidGFncyI6IHsiaW5kZXgiOiAidGV4dHMtMSIsICJpZCI6ICIyIiwgInBhdGgiOiAidGFncyJ9fX0="}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    // A prefix may consist of several words.
    case(
        "GET /texts-1/_count",
        r#"{"query": {"query_string": {"query": "text:quick-bro*", "analyze_wildcard": true, "default_operator": "and"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"query_string": {"query": "text:quick-bro*"}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"query_string": {"query": "at:2024*", "analyze_wildcard": true, "lenient": false}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "query_shard_exception"}]}}"#,
    ),
    // The queries of dashboards without a filter, and words without a field.
    case(
        "GET /texts-1/_count",
        r#"{"query": {"bool": {"filter": [{"query_string": {"query": "*", "analyze_wildcard": true}}]}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"query_string": {"query": "tags:* AND Bro*", "analyze_wildcard": true, "type": "cross_fields"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"query_string": {"query": "at:2024*", "analyze_wildcard": true}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"query": "quick-ca*", "fields": ["text"], "analyze_wildcard": true, "default_operator": "and"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"terms": {"tags": {"id": "2", "path": "tags"}}}}"#,
        400,
        "",
    ),
    case(
        "GET /texts-1/_search",
        r#"{"query": {"more_like_this": {"like": [{"_id": "2"}], "fields": ["text"], "min_term_freq": 1, "min_doc_freq": 1}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "1"}]}}"#,
    ),
    case(
        "GET /texts-1/_search",
        r#"{"query": {"more_like_this": {"like": []}}}"#,
        400,
        "",
    ),
    case(
        "GET /texts-1/_search",
        r#"{"query": {"distance_feature": {"field": "at", "origin": "2024-01-01T12:00:00Z", "pivot": "1h"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2", "_score": 1.0}, {"_id": "1"}]}}"#,
    ),
    case(
        "GET /texts-1/_search",
        r#"{"query": {"distance_feature": {"field": "place", "origin": "52.5,13.4", "pivot": "1km"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "_score": 1.0}, {"_id": "2"}]}}"#,
    ),
    case(
        "GET /texts-1/_search",
        r#"{"query": {"distance_feature": {"field": "tags", "origin": "a", "pivot": "1km"}}}"#,
        400,
        "",
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"term": {"parts.name": "x"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    // `simple_query_string`.
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"query": "quick -fox", "fields": ["text"], "default_operator": "and"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"query": "(cat | \"lazy dog\") + qui*", "fields": ["text^2", "tags"]}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"query": "qiuck~2 + \"", "fields": ["text"]}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"query": "quick + none", "fields": ["text"], "flags": "OR"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"fields": ["text"]}}}"#,
        400,
        "",
    ),
    case(
        "GET /texts-1/_count",
        r#"{"query": {"simple_query_string": {"query": "a", "flags": "COLOUR"}}}"#,
        400,
        "",
    ),
    // Changes.
    case(
        "POST /_reindex",
        r#"{"source": {"index": "texts-1", "query": {"term": {"tags": "a"}}}, "dest": {"index": "copies"}}"#,
        200,
        r#"{"total": 1, "created": 1, "failures": []}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "texts-1"}, "dest": {"index": "copies", "op_type": "create"}}"#,
        409,
        r#"{"created": 1, "version_conflicts": 1}"#,
    ),
    case("GET /copies/_count", "", 200, r#"{"count": 2}"#),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "copies"}, "dest": {"index": "copies"}}"#,
        400,
        "",
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "copies"}, "dest": {"index": "c"}, "script": {}}"#,
        400,
        "",
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "copies", "_source": false}, "dest": {"index": "c"}}"#,
        400,
        r#"{"error": {"reason": "Validation Failed: 1: _source:false is not supported in this context;"}}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "copies"}, "dest": {"index": "c"}, "size": 4, "max_docs": 5}"#,
        400,
        r#"{"error": {"reason": "[max_docs] set to two different values [4] and [5]"}}"#,
    ),
    case(
        "POST /_reindex?max_docs=5",
        r#"{"source": {"index": "copies"}, "dest": {"index": "c"}, "max_docs": 4}"#,
        400,
        r#"{"error": {"reason": "[max_docs] set to two different values [4] and [5]"}}"#,
    ),
    case(
        "POST /_reindex?max_docs=1&slices=2",
        r#"{"source": {"index": "copies"}, "dest": {"index": "c"}}"#,
        400,
        r#"{"error": {"reason": "[max_docs] should be >= [slices]"}}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"remote": {"host": "localhost:9200"}, "index": "a"}, "dest": {"index": "c"}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "POST /_reindex?slices=2",
        r#"{"source": {"remote": {"host": "http://localhost:9200"}, "index": "a"}, "dest": {"index": "c"}}"#,
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"remote": {"host": "http://localhost:9200", "colour": 1}, "index": "a"}, "dest": {"index": "c"}}"#,
        400,
        r#"{"error": {"type": "parsing_exception"}}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"remote": {"host": "http://localhost:9200", "username": "u"}, "index": "a"}, "dest": {"index": "c"}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "POST /copies/_update_by_query",
        r#"{"slice": {"id": 0, "max": 1}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "[slice] failed to parse field [max]"}]}}"#,
    ),
    case(
        "POST /copies/_update_by_query?max_docs=1",
        "",
        200,
        r#"{"total": 1, "updated": 1}"#,
    ),
    case("POST /copies/_update_by_query", r#"{"colour": 1}"#, 400, ""),
    case(
        "POST /copies/_delete_by_query",
        r#"{"query": {"term": {"tags": "a"}}}"#,
        200,
        r#"{"deleted": 1, "version_conflicts": 0}"#,
    ),
    case("POST /copies/_delete_by_query", "", 400, ""),
    case("GET /copies/_count", "", 200, r#"{"count": 1}"#),
    case(
        "POST /copies/_delete_by_query?wait_for_completion=false&q=*",
        "",
        200,
        "",
    ),
    case(
        "GET /_tasks/LarderNode000000000001:1",
        "",
        200,
        r#"{"completed": true, "task": {"action": "indices:data/write/reindex", "cancelled": false}, "response": {"created": 1}}"#,
    ),
    case("POST /_tasks/LarderNode000000000001:1/_cancel", "", 200, ""),
    // Rollover of a large index.
    case("PUT /texts-1/_alias/texts", "", 200, ""),
    case(
        "POST /texts/_rollover",
        r#"{"conditions": {"max_docs": 3, "max_age": "7d"}}"#,
        200,
        r#"{"rolled_over": false, "conditions": {"[max_docs: 3]": false, "[max_age: 7d]": false}}"#,
    ),
    case(
        "POST /texts/_rollover",
        r#"{"conditions": {"max_docs": 2}}"#,
        200,
        r#"{"rolled_over": true, "old_index": "texts-1", "new_index": "texts-000002", "conditions": {"[max_docs: 2]": true}}"#,
    ),
    case("GET /texts/_count", "", 200, r#"{"count": 0}"#),
    case(
        "POST /texts/_rollover",
        r#"{"conditions": {"colour": 2}}"#,
        400,
        r#"{"error": {"type": "x_content_parse_exception", "reason": "[rollover] failed to parse field [conditions]"}}"#,
    ),
    case(
        "POST /texts/_rollover",
        r#"{"mappings": {"_doc": {"properties": {}}}}"#,
        400,
        r#"{"error": {"type": "x_content_parse_exception", "caused_by": {"type": "illegal_argument_exception", "reason":
            "The mapping definition cannot be nested under a type [_doc] unless include_type_name is set to true."}}}"#,
    ),
    case("POST /texts/_rollover", r#"{"colour": 2}"#, 400, ""),
    case(
        "POST /texts/_rollover/texts-new?dry_run",
        "",
        200,
        r#"{"dry_run": true, "rolled_over": false}"#,
    ),
    case("POST /texts/_rollover/Wrong", "", 400, ""),
    // A mapping that shows only a part of documents.
    case(
        "PUT /hidden",
        r#"{"mappings": {"_source": {"enabled": false}}}"#,
        200,
        "",
    ),
    case("PUT /hidden/_doc/1", r#"{"a": 1}"#, 201, ""),
    case("GET /hidden/_source/1", "", 404, ""),
    case(
        "GET /hidden/_search",
        r#"{"query": {"term": {"a": 1}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case("GET /hidden/_search", r#"{"fields": ["a"]}"#, 400, ""),
];
