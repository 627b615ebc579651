//! Aggregations that compare the hits with other documents or keep the best of them, and `inner_hits`.

use super::server::run;
use testing::http::{Case, case};

const MAPPING: &str = r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "at": {"type": "date"}, "n": {"type": "integer"},
    "text": {"type": "text", "fielddata": true}, "place": {"type": "geo_point"},
    "parts": {"type": "nested", "properties": {"name": {"type": "keyword"}, "n": {"type": "integer"}}}}}}"#;

const DOCUMENTS: &str = "{\"index\": {\"_id\": 1}}\n{\"k\": \"a\", \"n\": 1, \"at\": \"2024-01-01\", \"text\": \"bad food\", \"place\": \"52.37,4.91\", \"parts\": [{\"name\": \"x\", \"n\": 1}, {\"name\": \"y\", \"n\": 2}]}\n\
     {\"index\": {\"_id\": 2}}\n{\"k\": \"a\", \"n\": 2, \"at\": \"2024-02-01\", \"text\": \"bad service\", \"place\": \"52.36,4.89\", \"parts\": {\"name\": \"x\", \"n\": 3}}\n\
     {\"index\": {\"_id\": 3}}\n{\"k\": \"a\", \"n\": 4, \"at\": \"2024-03-01\", \"text\": \"bad bad wine\", \"place\": \"52.36,4.88\"}\n\
     {\"index\": {\"_id\": 4}}\n{\"k\": \"b\", \"n\": 6, \"at\": \"2024-04-01\", \"text\": \"good wine\", \"place\": \"48.86,2.33\"}\n";

#[test]
fn requests_for_significant_terms_and_inner_hits_get_elasticsearchs_answers() {
    run(&[
        case("PUT /b", MAPPING, 200, ""),
        case("POST /b/_bulk", DOCUMENTS, 200, r#"{"errors": false}"#),
        aggs(
            r#"{"r": {"rare_terms": {"field": "k"}, "aggs": {"n": {"sum": {"field": "n"}}}}}"#,
            r#"{"r": {"buckets": [{"key": "b", "doc_count": 1, "n": {"value": 6.0}}]}}"#,
        ),
        aggs(
            r#"{"r": {"rare_terms": {"field": "n", "max_doc_count": 3, "exclude": ["1", "2"]}}}"#,
            r#"{"r": {"buckets": [{"key": 4, "doc_count": 1}, {"key": 6, "doc_count": 1}]}}"#,
        ),
        refused(r#"{"r": {"rare_terms": {"field": "k", "max_doc_count": 101}}}"#),
        refused(r#"{"r": {"rare_terms": {"field": "k", "max_doc_count": 0}}}"#),
        case(
            "POST /b/_search",
            r#"{"size": 0, "query": {"term": {"k": "b"}}, "aggs": {"k": {"terms": {"field": "k", "min_doc_count": 0}}}}"#,
            200,
            r#"{"aggregations": {"k": {"buckets": [{"key": "b", "doc_count": 1}, {"key": "a", "doc_count": 0}]}}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"size": 0, "query": {"term": {"k": "a"}}, "aggs": {"s": {"significant_terms": {"field": "text"}}}}"#,
            200,
            r#"{"aggregations": {"s": {"doc_count": 3, "bg_count": 7, "buckets": [{"key": "bad", "doc_count": 3, "score": 1.3333333333333333, "bg_count": 3}]}}}"#,
        ),
        aggs(
            r#"{"k": {"terms": {"field": "k"}, "aggs": {"s": {"significant_text": {"field": "text", "min_doc_count": 1, "size": 1,
                "background_filter": {"match_all": {}}}}}}}"#,
            r#"{"k": {"buckets": [{"key": "a", "s": {"buckets": [{"key": "bad"}]}}, {"key": "b", "s": {"buckets": [{"key": "good"}]}}]}}"#,
        ),
        // All documents that have the word are found, and no others.
        case(
            "POST /b/_search",
            r#"{"size": 0, "query": {"term": {"k": "a"}}, "aggs": {"p": {"significant_terms": {"field": "text", "percentage": {}}},
                "g": {"significant_text": {"field": "text", "gnd": {}, "filter_duplicate_text": true, "source_fields": ["text"]}}}}"#,
            200,
            r#"{"aggregations": {"p": {"buckets": [{"key": "bad", "score": 1.0}]}, "g": {"buckets": [{"key": "bad", "score": 1.0}]}}}"#,
        ),
        refused(r#"{"s": {"significant_terms": {"field": "text", "mutual_information": {"colour": 1}}}}"#),
        case(
            "POST /b/_search",
            r#"{"size": 0, "query": {"match": {"text": "bad"}}, "aggs": {"s": {"sampler": {"shard_size": 1}, "aggs": {"n": {"sum": {"field": "n"}}}}}}"#,
            200,
            r#"{"aggregations": {"s": {"doc_count": 1, "n": {"value": 4.0}}}}"#,
        ),
        aggs(
            r#"{"s": {"diversified_sampler": {"field": "k"}, "aggs": {"n": {"value_count": {"field": "n"}}}}}"#,
            r#"{"s": {"doc_count": 2, "n": {"value": 2}}}"#,
        ),
        aggs(
            r#"{"d": {"geo_distance": {"field": "place", "origin": "52.37,4.91", "unit": "km", "ranges": [{"to": 1}, {"from": 1, "to": 100}, {"from": 100}]}}}"#,
            r#"{"d": {"buckets": [{"key": "*-1.0", "to": 1.0, "doc_count": 1}, {"key": "1.0-100.0", "doc_count": 2}, {"key": "100.0-*", "doc_count": 1}]}}"#,
        ),
        refused(
            r#"{"d": {"geo_distance": {"field": "place", "origin": "52.37,4.91", "unit": "ell", "ranges": [{"to": 1}]}}}"#,
        ),
        aggs(
            r#"{"m": {"date_histogram": {"field": "at", "calendar_interval": "month"}, "aggs": {"n": {"sum": {"field": "n"}},
                "f": {"moving_fn": {"buckets_path": "n", "window": 2, "script": "MovingFunctions.max(values)"}}}}}"#,
            r#"{"m": {"buckets": [{"f": {"value": null}}, {"f": {"value": 1.0}}, {"f": {"value": 2.0}}, {"f": {"value": 4.0}}]}}"#,
        ),
        refused(
            r#"{"m": {"date_histogram": {"field": "at", "calendar_interval": "month"}, "aggs": {
                "f": {"moving_fn": {"buckets_path": "_count", "window": 0, "script": "MovingFunctions.max(values)"}}}}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"nested": {"path": "parts", "query": {"term": {"parts.name": "x"}}, "inner_hits": {"name": "found"}}}, "sort": "n"}"#,
            200,
            r#"{"hits": {"hits": [
                {"_id": "1", "inner_hits": {"found": {"hits": {"total": {"value": 1, "relation": "eq"}, "hits": [
                    {"_id": "1", "_nested": {"field": "parts", "offset": 0}, "_source": {"name": "x", "n": 1}}]}}}},
                {"_id": "2", "inner_hits": {"found": {"hits": {"hits": [{"_source": {"n": 3}}]}}}}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"bool": {"filter": {"nested": {"path": "parts", "query": {"match_all": {}},
                "inner_hits": {"size": 1, "sort": {"parts.n": "desc"}, "_source": "parts.name"}}}}}, "sort": "n"}"#,
            200,
            r#"{"hits": {"hits": [{"inner_hits": {"parts": {"hits": {"total": {"value": 2}, "max_score": null, "hits": [
                {"_nested": {"offset": 1}, "_source": {"name": "y"}, "sort": [2]}]}}}}, {}]}}"#,
        ),
        // Back to the object around, each of which counts once.
        case(
            "PUT /deep",
            r#"{"mappings": {"properties": {"a": {"type": "nested", "properties": {"n": {"type": "integer"},
                "b": {"type": "nested", "properties": {"k": {"type": "keyword"}}}}}}}}"#,
            200,
            "",
        ),
        case(
            "PUT /deep/_doc/1",
            r#"{"a": [{"n": 1, "b": [{"k": "x"}, {"k": "x"}]}, {"n": 2, "b": {"k": "x"}}, {"n": 4, "b": {"k": "y"}}]}"#,
            201,
            "",
        ),
        case(
            "POST /deep/_search",
            r#"{"size": 0, "aggs": {"a": {"nested": {"path": "a"}, "aggs": {"b": {"nested": {"path": "a.b"}, "aggs": {"k": {"terms": {"field": "a.b.k"},
                "aggs": {"back": {"reverse_nested": {"path": "a"}, "aggs": {"s": {"sum": {"field": "a.n"}}}}}}}}}}}}"#,
            200,
            r#"{"aggregations": {"a": {"b": {"doc_count": 4, "k": {"buckets": [
                {"key": "x", "doc_count": 3, "back": {"doc_count": 2, "s": {"value": 3.0}}},
                {"key": "y", "doc_count": 1, "back": {"doc_count": 1, "s": {"value": 4.0}}}]}}}}}"#,
        ),
        aggs(
            r#"{"m": {"date_histogram": {"field": "at", "calendar_interval": "month"}, "aggs": {"n": {"sum": {"field": "n"}},
                "p": {"normalize": {"buckets_path": "n", "method": "rescale_0_100"}}}}}"#,
            r#"{"m": {"buckets": [{"p": {"value": 0.0}}, {"p": {"value": 20.0}}, {"p": {"value": 60.0}}, {"p": {"value": 100.0}}]}}"#,
        ),
        // Nested objects have no versions of their own.
        case(
            "POST /b/_search",
            r#"{"query": {"nested": {"path": "parts", "query": {"term": {"parts.name": "x"}}, "inner_hits": {
                "version": true, "seq_no_primary_term": true}}}, "sort": "n"}"#,
            200,
            r#"{"hits": {"hits": [{"inner_hits": {"parts": {"hits": {"hits": [{"_version": 1}]}}}}, {}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"nested": {"path": "parts", "query": {"match_all": {}}, "inner_hits": {"size": 101}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
        ),
    ]);
}

/// A search that only asks for these aggregations.
fn aggs(asked: &str, answer: &str) -> Case {
    let answer = format!(r#"{{"aggregations": {answer}}}"#);
    case("POST /b/_search", body(asked), 200, leaked(answer))
}

/// The same, with aggregations that are refused.
fn refused(asked: &str) -> Case {
    let answer = r#"{"error": {"type": "x_content_parse_exception"}}"#;
    case("POST /b/_search", body(asked), 400, answer)
}

fn body(asked: &str) -> &'static str {
    leaked(format!(r#"{{"size": 0, "aggs": {asked}}}"#))
}

fn leaked(text: String) -> &'static str {
    Box::leak(text.into_boxed_str())
}
