//! Aggregations of nested objects, places and compound keys, and pipeline aggregations.

use super::server::run;
use testing::http::{Case, case};

const MAPPING: &str = r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "at": {"type": "date"}, "n": {"type": "integer"},
    "place": {"type": "geo_point"}, "parts": {"type": "nested", "properties": {"name": {"type": "keyword"}}}}}}"#;

const DOCUMENTS: &str = "{\"index\": {\"_id\": 1}}\n{\"k\": \"a\", \"n\": 1, \"at\": \"2024-01-01\", \"place\": \"52.37,4.91\", \"parts\": [{\"name\": \"x\"}, {\"name\": \"y\"}]}\n\
     {\"index\": {\"_id\": 2}}\n{\"k\": \"a\", \"n\": 2, \"at\": \"2024-02-01\", \"place\": {\"lat\": 52.36, \"lon\": 4.89}, \"parts\": {\"name\": \"x\"}}\n\
     {\"index\": {\"_id\": 3}}\n{\"k\": \"b\", \"n\": 6, \"at\": \"2024-02-02\", \"place\": [2.33, 48.86]}\n";

#[test]
fn buckets_that_are_not_given_do_not_count_for_the_limit() {
    run(&[
        case("PUT /b", MAPPING, 200, ""),
        case("POST /b/_bulk", DOCUMENTS, 200, r#"{"errors": false}"#),
        case(
            "PUT /_cluster/settings",
            r#"{"transient": {"search.max_buckets": 2}}"#,
            200,
            "",
        ),
        aggs(
            r#"{"n": {"terms": {"field": "n", "size": 2, "order": {"_key": "desc"}}}}"#,
            r#"{"n": {"sum_other_doc_count": 1, "buckets": [{"key": 6}, {"key": 2}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"n": {"terms": {"field": "n", "size": 3}}}}"#,
            503,
            r#"{"error": {"type": "too_many_buckets_exception"}}"#,
        ),
    ]);
}

#[test]
fn requests_for_nested_and_pipeline_aggregations_get_elasticsearchs_answers() {
    run(&[
        case("PUT /b", MAPPING, 200, ""),
        case("POST /b/_bulk", DOCUMENTS, 200, r#"{"errors": false}"#),
        case(
            "PUT /b/_doc/9",
            r#"{"place": "91,0"}"#,
            400,
            r#"{"error": {"type": "mapper_parsing_exception"}}"#,
        ),
        aggs(
            r#"{"c": {"composite": {"size": 2, "sources": [{"k": {"terms": {"field": "k"}}},
                {"m": {"date_histogram": {"field": "at", "calendar_interval": "month", "format": "yyyy-MM"}}}]}}}"#,
            r#"{"c": {"after_key": {"k": "a", "m": "2024-02"}, "buckets": [
                {"key": {"k": "a", "m": "2024-01"}, "doc_count": 1}, {"key": {"k": "a", "m": "2024-02"}, "doc_count": 1}]}}"#,
        ),
        aggs(
            r#"{"c": {"composite": {"after": {"k": "a"}, "sources": [{"k": {"terms": {"field": "k", "order": "asc"}}}]}}}"#,
            r#"{"c": {"buckets": [{"key": {"k": "b"}, "doc_count": 1}]}}"#,
        ),
        aggs(
            r#"{"p": {"nested": {"path": "parts"}, "aggs": {"names": {"terms": {"field": "parts.name"}, "aggs": {
                "whole": {"reverse_nested": {}, "aggs": {"sum": {"sum": {"field": "n"}}}}}}}}}"#,
            r#"{"p": {"doc_count": 3, "names": {"buckets": [
                {"key": "x", "doc_count": 2, "whole": {"doc_count": 2, "sum": {"value": 3.0}}},
                {"key": "y", "doc_count": 1, "whole": {"doc_count": 1, "sum": {"value": 1.0}}}]}}}"#,
        ),
        aggs(
            r#"{"k": {"terms": {"field": "k"}, "aggs": {"best": {"top_hits": {"size": 1, "sort": [{"n": "desc"}], "_source": ["n"]}}}}}"#,
            r#"{"k": {"buckets": [{"best": {"hits": {"total": {"value": 2}, "hits": [{"_id": "2", "_source": {"n": 2}, "sort": [2]}]}}}, {}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"size": 0, "query": {"term": {"k": "b"}}, "aggs": {"all": {"global": {}, "aggs": {"n": {"sum": {"field": "n"}}}}, "n": {"sum": {"field": "n"}}}}"#,
            200,
            r#"{"aggregations": {"n": {"value": 6.0}, "all": {"doc_count": 3, "n": {"value": 9.0}}}}"#,
        ),
        aggs(
            r#"{"m": {"date_histogram": {"field": "at", "calendar_interval": "month"}, "aggs": {"n": {"sum": {"field": "n"}},
                "d": {"derivative": {"buckets_path": "n"}}, "c": {"cumulative_sum": {"buckets_path": "n"}},
                "twice": {"bucket_script": {"buckets_path": {"n": "n"}, "script": "params.n * 2"}}}}, "most": {"max_bucket": {"buckets_path": "m>n"}}}"#,
            r#"{"m": {"buckets": [{"c": {"value": 1.0}, "twice": {"value": 2.0}}, {"d": {"value": 7.0}, "c": {"value": 9.0}}]},
                "most": {"value": 8.0, "keys": ["2024-02-01T00:00:00.000Z"]}}"#,
        ),
        aggs(
            r#"{"k": {"terms": {"field": "k"}, "aggs": {"n": {"sum": {"field": "n"}}, "by": {"bucket_sort": {"sort": [{"n": "desc"}], "size": 1}}}}}"#,
            r#"{"k": {"buckets": [{"key": "b"}]}}"#,
        ),
        aggs(
            r#"{"t": {"geotile_grid": {"field": "place", "precision": 8}}, "h": {"geohash_grid": {"field": "place", "precision": 3}}}"#,
            r#"{"t": {"buckets": [{"key": "8/131/84", "doc_count": 2}, {"key": "8/129/88"}]}, "h": {"buckets": [{"key": "u17", "doc_count": 2}, {"key": "u09"}]}}"#,
        ),
        aggs(
            r#"{"e": {"extended_stats": {"field": "n"}}, "d": {"median_absolute_deviation": {"field": "n"}}, "r": {"percentile_ranks": {"field": "n", "values": [2]}},
                "w": {"weighted_avg": {"value": {"field": "n"}, "weight": {"field": "n"}}}, "p": {"percentiles": {"field": "n", "hdr": {}, "percents": [50]}}}"#,
            r#"{"e": {"count": 3, "sum_of_squares": 41.0}, "d": {"value": 1.0}, "r": {"values": {"2.0": 40.0}}, "w": {"value": 4.555555555555555}, "p": {"values": {"50.0": 2.0009765625}}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"p": {"percentiles": {"field": "n", "script": {"source": "0 - _value"}, "hdr": {}}}}}"#,
            500,
            r#"{"error": {"root_cause": [{"type": "array_index_out_of_bounds_exception"}]}}"#,
        ),
        aggs(
            r#"{"v": {"variable_width_histogram": {"field": "n", "buckets": 2}, "aggs": {"s": {"sum": {"field": "n"}}}}}"#,
            r#"{"v": {"buckets": [{"min": 1.0, "key": 1.5, "max": 2.0, "doc_count": 2, "s": {"value": 3.0}}, {"min": 6.0, "key": 6.0, "max": 6.0, "doc_count": 1}]}}"#,
        ),
        aggs(
            r#"{"v": {"variable_width_histogram": {"field": "none", "format": "0.0"}}}"#,
            r#"{"v": {"buckets": []}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"v": {"variable_width_histogram": {"field": "n", "buckets": 0}}}}"#,
            400,
            r#"{"error": {"type": "x_content_parse_exception", "caused_by": {"reason": "buckets must be greater than [0] for [v]"}}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"v": {"variable_width_histogram": {"field": "n", "buckets": 3, "shard_size": 3}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "3/4 of shard_size must be at least buckets but was [2<3] for [v]"}]}}"#,
        ),
        aggs(
            r#"{"m": {"adjacency_matrix": {"filters": {"a": {"term": {"k": "a"}}, "s": {"range": {"n": {"gte": 2}}}}}}}"#,
            r#"{"m": {"buckets": [{"key": "a", "doc_count": 2}, {"key": "a&s", "doc_count": 1}, {"key": "s", "doc_count": 2}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"x": {"bucket_sort": {}}}}"#,
            400,
            r#"{"error": {"type": "action_request_validation_exception"}}"#,
        ),
        // Nested objects are compared with all nested objects, which count like documents.
        case(
            "POST /b/_search",
            r#"{"query": {"term": {"k": "a"}}, "size": 0, "aggs": {"p": {"nested": {"path": "parts"}, "aggs": {
                "s": {"significant_terms": {"field": "parts.name", "min_doc_count": 2}}}}}}"#,
            200,
            r#"{"aggregations": {"p": {"s": {"doc_count": 3, "bg_count": 6, "buckets": [{"key": "x", "doc_count": 2, "bg_count": 2}]}}}}"#,
        ),
        aggs(
            r#"{"m": {"date_histogram": {"field": "at", "calendar_interval": "month"}, "aggs": {
                "a": {"rate": {"field": "n", "unit": "year"}}, "b": {"rate": {"unit": "month"}}, "c": {"rate": {"field": "n", "unit": "day"}}}}}"#,
            r#"{"m": {"buckets": [{"a": {"value": 12.0}, "b": {"value": 1.0}},
                {"a": {"value": 96.0}, "b": {"value": 2.0}, "c": {"value": 0.27586206896551724}}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"x": {"rate": {"field": "n"}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "The rate aggregation can only be used inside a date histogram"}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"m": {"date_histogram": {"field": "at", "fixed_interval": "1d"}, "aggs": {"x": {"rate": {"unit": "month"}}}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"aggs": {"x": {"scripted_metric": {}}}}"#,
            501,
            r#"{"error": {"reason": "the aggregation [scripted_metric] is not supported"}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"geo_distance": {"distance": "5km", "place": {"lat": 52.37, "lon": 4.9}}}}"#,
            200,
            r#"{"hits": {"total": {"value": 2}}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"geo_bounding_box": {"place": {"top_left": "50,0", "bottom_right": "48,5"}}}}"#,
            200,
            r#"{"hits": {"hits": [{"_id": "3"}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"geo_polygon": {"place": {"points": ["53,4", {"lat": 53, "lon": 6}, [5, 51]]}}}}"#,
            200,
            r#"{"hits": {"total": {"value": 2}}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"geo_polygon": {"place": {"points": ["53,4", "53,6", "53,4"]}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "too few points defined for geo_polygon query"}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"wrapper": {"query": "eyJ0ZXJtIjogeyJrIjogImIifX0="}}}"#,
            200,
            r#"{"hits": {"hits": [{"_source": {"k": "b"}}]}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"wrapper": {"query": "e30", "boost": 1}}}"#,
            400,
            r#"{"error": {"type": "parsing_exception"}}"#,
        ),
        case(
            "POST /b/_search",
            r#"{"query": {"geo_distance": {"distance": "5km", "k": "1,1"}}}"#,
            400,
            r#"{"error": {"root_cause": [{"type": "query_shard_exception"}]}}"#,
        ),
    ]);
}

/// A search that only asks for these aggregations.
fn aggs(asked: &str, answer: &str) -> Case {
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    case(
        "POST /b/_search",
        leaked(format!(r#"{{"size": 0, "aggs": {asked}}}"#)),
        200,
        leaked(format!(r#"{{"aggregations": {answer}}}"#)),
    )
}
