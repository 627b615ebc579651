//! Scripts on the hits of a search: fields of hits, and values of aggregations.

use super::server::{Server, run};
use serde_json::Value;
use testing::http::{Case, case, exchange};

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
        r#"{"size": 0, "query": {"constant_score": {"filter": {"match_all": {}}, "boost": 2}}, "aggs": {
            "scores": {"sum": {"script": "_score"}}, "texts": {"string_stats": {"field": "k", "show_distribution": true}},
            "box": {"boxplot": {"field": "n"}}}}"#,
        200,
        r#"{"aggregations": {"scores": {"value": 4.0}, "box": {"min": 1.0, "max": 3.0, "q2": 3.0},
            "texts": {"count": 2, "min_length": 1, "max_length": 1, "avg_length": 1.0, "entropy": 1.0, "distribution": {"a": 0.5, "b": 0.5}}}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"aggs": {"texts": {"string_stats": {"field": "n"}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
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
        r#"{"error": {"root_cause": [{"type": "script_exception"}]}}"#,
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
        r#"{"error": {"root_cause": [{"type": "script_exception"}]}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"script_fields": {"a": {"script": {"id": "none"}}}}"#,
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    case(
        "POST /made/_search",
        r#"{"aggs": {"top": {"top_hits": {"script_fields": {"a": {"script": {"source": "1", "options": {"a": "b"}}}}}}}}"#,
        501,
        "",
    ),
    // Scripts of `_reindex`.
    case(
        "POST /_reindex?refresh=true",
        r#"{"source": {"index": "made"}, "dest": {"index": "remade"},
            "script": {"source": "if (ctx._source.k == 'b') { ctx.op = 'noop' } ctx._source.was = ctx._id + ' in ' + ctx._index; ctx._source.remove('n')"}}"#,
        200,
        r#"{"total": 2, "created": 1, "noops": 1, "failures": []}"#,
    ),
    case(
        "GET /remade/_search",
        "",
        200,
        r#"{"hits": {"hits": [{"_id": "1", "_routing": "r", "_source": {"k": "a", "was": "1 in remade"}}]}}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "made"}, "dest": {"index": "remade"}, "script": "ctx._id = 'x'"}"#,
        501,
        r#"{"error": {"reason": "another [_id], which a script of reindexing gives a document, is not supported"}}"#,
    ),
    case(
        "POST /_reindex",
        r#"{"source": {"index": "made"}, "dest": {"index": "remade"}, "script": "ctx.op = 'none such'"}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    // Stored scripts.
    case(
        "PUT /_scripts/times",
        r#"{"script": {"lang": "painless", "source": "doc['n'].size() == 0 ? -1 : doc['n'].value * params.by"}}"#,
        200,
        "",
    ),
    case(
        "POST /made/_search",
        r#"{"sort": {"_script": {"type": "number", "script": {"id": "times", "params": {"by": -1}}, "order": "desc"}},
            "script_fields": {"a": {"script": {"id": "times", "params": {"by": 3}}}},
            "aggs": {"s": {"sum": {"script": {"id": "times", "params": {"by": 2}}}}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "*", "sort": [-1.0]}, {"sort": [-1.0]}]}, "aggregations": {"s": {"value": 1.0}}}"#,
    ),
];

/// Aggregations, each with its result for three documents.
const AGGREGATIONS: &[(&str, &str)] = &[
    (
        r#"{"sum": {"script": "doc['n'].value * 2"}}"#,
        r#"{"value": 16.0}"#,
    ),
    (
        r#"{"sum": {"field": "n", "script": {"source": "_value * params.by", "params": {"by": 0.5}}}}"#,
        r#"{"value": 4.0}"#,
    ),
    (
        r#"{"max": {"script": "params._source.at.startsWith('2020-02') ? 7 : null"}}"#,
        r#"{"value": 7.0}"#,
    ),
    (
        r#"{"min": {"field": "none", "script": "_value * 2"}}"#,
        r#"{"value": null}"#,
    ),
    (
        r#"{"terms": {"script": "doc['k'].value + doc['n'].value"}}"#,
        r#"{"buckets": [{"key": "a1", "doc_count": 1}, {"key": "a2"}, {"key": "b5"}]}"#,
    ),
    (
        r#"{"terms": {"script": "doc['n'].value % 2", "value_type": "long"}}"#,
        r#"{"buckets": [{"key": 1, "doc_count": 2}, {"key": 0, "doc_count": 1}]}"#,
    ),
    (
        r#"{"terms": {"field": "n", "script": "_value % 2"}}"#,
        r#"{"buckets": [{"key": 1.0, "doc_count": 2}, {"key": 0.0, "doc_count": 1}]}"#,
    ),
    (
        r#"{"terms": {"script": "doc['n'].value / 2.0"}}"#,
        r#"{"buckets": [{"key": "0.5"}, {"key": "1.0"}, {"key": "2.5"}]}"#,
    ),
    (
        r#"{"terms": {"field": "k", "script": "_value.toUpperCase()"}}"#,
        r#"{"buckets": [{"key": "A", "doc_count": 2}, {"key": "B", "doc_count": 1}]}"#,
    ),
    (
        r#"{"histogram": {"script": "doc['n'].value * 10", "interval": 20}}"#,
        r#"{"buckets": [{"key": 0.0, "doc_count": 1}, {"key": 20.0}, {"key": 40.0}]}"#,
    ),
    (
        r#"{"date_histogram": {"field": "at", "script": "_value + 86400000L * 20", "calendar_interval": "month"}}"#,
        r#"{"buckets": [{"key_as_string": "2020-01-01T00:00:00.000Z", "doc_count": 1}, {"doc_count": 2}]}"#,
    ),
    (
        r#"{"date_histogram": {"script": "doc['at'].value.minusYears(1)", "calendar_interval": "year"}}"#,
        r#"{"buckets": [{"key_as_string": "2019-01-01T00:00:00.000Z", "doc_count": 3}]}"#,
    ),
    (
        r#"{"cardinality": {"script": "[doc['k'].value, 'x']"}}"#,
        r#"{"value": 3}"#,
    ),
    (
        r#"{"missing": {"script": "doc['k'].value == 'a' ? null : 1"}}"#,
        r#"{"doc_count": 2}"#,
    ),
    (
        r#"{"weighted_avg": {"value": {"script": "doc['n'].value"}, "weight": {"field": "n"}}}"#,
        r#"{"value": 3.75}"#,
    ),
    (
        r#"{"range": {"script": "doc['n'].value", "ranges": [{"from": 2}]}}"#,
        r#"{"buckets": [{"doc_count": 2}]}"#,
    ),
    (
        r#"{"composite": {"sources": [{"size": {"terms": {"script": "doc['n'].value > 1 ? 'more' : 'one'"}}}]}}"#,
        r#"{"buckets": [{"key": {"size": "more"}, "doc_count": 2}, {"key": {"size": "one"}}]}"#,
    ),
    (
        r#"{"filter": {"term": {"k": "b"}}, "aggs": {"k": {"terms": {"script": "doc['k'].value", "min_doc_count": 0}}}}"#,
        r#"{"k": {"buckets": [{"key": "b", "doc_count": 1}, {"key": "a", "doc_count": 0}]}}"#,
    ),
];

/// Aggregations with scripts that are refused.
const REFUSED: &[(&str, u16, &str)] = &[
    (
        r#"{"sum": {"script": "'x'"}}"#,
        500,
        "Unsupported script value [x], expected a number, date, or boolean",
    ),
    (
        r#"{"sum": {"field": "k", "script": "1"}}"#,
        400,
        "is not supported for aggregation [sum]",
    ),
    (
        r#"{"geo_bounds": {"field": "place", "script": "1"}}"#,
        400,
        "[geo_bounds] unknown field [script]",
    ),
    (
        r#"{"geo_distance": {"field": "place", "script": "1", "origin": "1,1", "ranges": [{"to": 1}]}}"#,
        500,
        "value source of type [geopoint] is not supported by scripts",
    ),
    (
        r#"{"weighted_avg": {"value": {"field": "n", "script": "1"}, "weight": {"field": "n"}}}"#,
        400,
        "[field] and [script] cannot both be configured.  Please specify one or the other.",
    ),
];

#[test]
fn scripts_make_values_of_aggregations() {
    let server = Server::start();
    let ask = |request: &str, body: &str| exchange(server.address, request, body);
    let mapping = r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "n": {"type": "long"}, "at": {"type": "date"},
        "place": {"type": "geo_point"}}}}"#;
    assert_eq!(ask("PUT /sums", mapping).status, 200);
    for document in [
        r#"{"k": "a", "n": 1, "at": "2020-01-01"}"#,
        r#"{"k": "a", "n": 2, "at": "2020-01-15"}"#,
        r#"{"k": "b", "n": 5, "at": "2020-02-01"}"#,
    ] {
        assert_eq!(ask("POST /sums/_doc?refresh=true", document).status, 201);
    }
    for (aggregation, wanted) in AGGREGATIONS {
        let body = format!(r#"{{"size": 0, "aggs": {{"x": {aggregation}}}}}"#);
        let answer = ask("POST /sums/_search", &body);
        let wanted = format!(r#"{{"aggregations": {{"x": {wanted}}}}}"#);
        let wanted: Value = serde_json::from_str(&wanted).unwrap();
        let found: Value = serde_json::from_str(&answer.body).unwrap();
        assert!(has(&found, &wanted), "{aggregation}: {answer}");
    }
    for (aggregation, status, reason) in REFUSED {
        let body = format!(r#"{{"size": 0, "aggs": {{"x": {aggregation}}}}}"#);
        let answer = ask("POST /sums/_search", &body);
        assert_eq!(answer.status, *status, "{aggregation}: {answer}");
        assert!(answer.body.contains(reason), "{aggregation}: {answer}");
    }
}

/// Whether the answer has all members that are wanted.
fn has(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted
            .iter()
            .all(|(name, wanted)| found.get(name).is_some_and(|found| has(found, wanted))),
        (Value::Array(found), Value::Array(wanted)) => {
            found.len() == wanted.len() && found.iter().zip(wanted).all(|(found, wanted)| has(found, wanted))
        }
        (found, wanted) => found == wanted,
    }
}
