//! What scripts make of documents that are found: fields of hits.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn scripts_make_fields_of_hits() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /made",
        r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "n": {"type": "integer"}, "at": {"type": "date"},
            "place": {"type": "geo_point"}, "parts": {"type": "nested", "properties": {"m": {"type": "long"}}}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /made/_doc/1?refresh=true&routing=r",
        r#"{"k": "a", "n": [3, 1, 3], "at": "2020-02-29T12:00:00Z", "place": "52,13", "text": "some words", "parts": [{"m": 2}, {"m": 5}]}"#,
        201,
        "",
    ),
    case("PUT /made/_doc/2?refresh=true", r#"{"k": "b"}"#, 201, ""),
    case(
        "POST /made/_search",
        r#"{"query": {"ids": {"values": "1"}}, "script_fields": {
            "twice": {"script": {"source": "doc['n'].value * params.by", "params": {"by": 2}}},
            "all": {"script": "doc['n']"},
            "year": {"script": {"lang": "painless", "source": "doc['at'].value.year"}},
            "at": {"script": "doc['at'].value"},
            "place": {"script": "doc['place'].value"},
            "words": {"script": "params._source.text.toUpperCase()"},
            "members": {"script": "params['_source'].keySet()"},
            "list": {"script": "[1.5, null, ['a': true]]"},
            "nothing": {"script": "null"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "fields": {"twice": [2], "all": [1, 3, 3], "year": [2020], "at": ["2020-02-29T12:00:00.000Z"],
            "place": [{"lat": 52.0, "lon": 13.0}], "words": ["SOME WORDS"], "members": ["k", "n", "at", "place", "text", "parts"],
            "list": [1.5, null, {"a": true}]}}]}}"#,
    ),
    // A document of which a script can make nothing.
    case(
        "POST /made/_search",
        r#"{"script_fields": {"n": {"script": "doc['n'].value"}}}"#,
        400,
        r#"{"error": {"type": "script_exception"}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"sort": "k", "_source": "k", "docvalue_fields": ["k"], "script_fields": {"k": {"script": "'other'"},
            "n": {"ignore_failure": true, "script": "doc['n'].value"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_source": {"k": "a"}, "fields": {"k": ["a"], "n": [1]}}, {"_source": {"k": "b"}, "fields": {"k": ["b"]}}]}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"query": {"nested": {"path": "parts", "query": {"range": {"parts.m": {"gt": 2}}}, "inner_hits": {
            "script_fields": {"m": {"script": "doc['parts.m'].value + 1"}}}}}}"#,
        200,
        r#"{"hits": {"hits": [{"inner_hits": {"parts": {"hits": {"hits": [{"_nested": {"offset": 1}, "fields": {"m": [6]}}]}}}}]}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"size": 0, "aggs": {"top": {"top_hits": {"size": 1, "sort": ["k"], "script_fields": {"k": {"script": "doc['k'].value + '!'"}}}}}}"#,
        200,
        r#"{"aggregations": {"top": {"hits": {"hits": [{"_id": "1", "fields": {"k": ["a!"]}}]}}}}"#,
    ),
    // The form of scripts.
    case(
        "POST /made/_search",
        r#"{"script_fields": {"a": {"script": "1", "lang": "painless"}}}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "reason": "Unknown key for a VALUE_STRING in [lang]."}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"script_fields": {"a": "1"}}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "reason": "Expected [START_OBJECT] in [a] but found [VALUE_STRING]"}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"script_fields": {"a": {"script": "_score"}}}"#,
        400,
        r#"{"error": {"type": "script_exception"}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"script_fields": {"a": {"script": {"id": "kept"}}}}"#,
        501,
        r#"{"error": {"reason": "a stored script is not supported"}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"aggs": {"top": {"top_hits": {"script_fields": {"a": {"script": {"id": "kept"}}}}}}}"#,
        501,
        "",
    ),
];
