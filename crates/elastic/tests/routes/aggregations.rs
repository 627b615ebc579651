//! Aggregations of searches.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_aggregations_get_elasticsearchs_answers() {
    run(CASES);
}

const DOCUMENTS: &str = "{\"index\": {}}\n{\"level\": \"info\", \"size\": 5, \"at\": \"2024-01-01T10:00:00Z\"}\n\
     {\"index\": {}}\n{\"level\": \"warn\", \"size\": 7, \"at\": \"2024-01-01T23:30:00Z\"}\n\
     {\"index\": {}}\n{\"level\": \"info\", \"size\": 15, \"at\": \"2024-01-03T00:00:00Z\"}\n\
     {\"index\": {}}\n{\"at\": \"2024-03-01\"}\n";

const MAPPING: &str = r#"{"mappings": {"properties": {"level": {"type": "keyword"}, "at": {"type": "date"}, "size": {"type": "integer"}, "text": {"type": "text"}}}}"#;

pub const CASES: &[Case] = &[
    case("PUT /logs", MAPPING, 200, r#"{"acknowledged": true}"#),
    case("POST /logs/_bulk", DOCUMENTS, 200, r#"{"errors": false}"#),
    // The values of the documents that come first.
    case(
        "POST /logs/_search?typed_keys=true",
        r#"{"size": 0, "aggs": {"last": {"top_metrics": {"metrics": [{"field": "size"}, {"field": "level"}], "sort": {"at": "desc"}, "size": 2}}}}"#,
        200,
        r#"{"aggregations": {"top_metrics#last": {"top": [
            {"sort": ["2024-03-01T00:00:00.000Z"], "metrics": {"size": null, "level": null}},
            {"sort": ["2024-01-03T00:00:00.000Z"], "metrics": {"size": 15, "level": "info"}}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"levels": {"terms": {"field": "level", "order": {"first.size": "desc"}}, "aggs": {"first": {"top_metrics": {"metrics": {"field": "size"}, "sort": "at"}}}}}}"#,
        200,
        r#"{"aggregations": {"levels": {"buckets": [{"key": "warn", "first": {"top": [{"metrics": {"size": 7}}]}}, {"key": "info", "first": {"top": [{"metrics": {"size": 5}}]}}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"last": {"top_metrics": {"metrics": {"field": "size"}, "sort": ["at", "size"]}}}}"#,
        400,
        "",
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"last": {"top_metrics": {"metrics": {"field": "size"}, "sort": "at", "size": 11}}}}"#,
        400,
        "",
    ),
    // Combinations of values.
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"both": {"multi_terms": {"terms": [{"field": "level", "missing": "none"}, {"field": "size", "missing": 0}], "order": {"_key": "asc"}, "size": 2}, "aggs": {"last": {"max": {"field": "at"}}}}}}"#,
        200,
        r#"{"aggregations": {"both": {"sum_other_doc_count": 2, "buckets": [
            {"key": ["info", 5], "key_as_string": "info|5", "doc_count": 1, "last": {"value": 1704103200000.0}}, {"key": ["info", 15], "doc_count": 1}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"both": {"multi_terms": {"terms": [{"field": "level"}]}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "query": {"exists": {"field": "size"}}, "aggs": {"days": {"date_histogram": {"field": "at", "fixed_interval": "1d"}, "aggs": {
            "all": {"sum": {"field": "size"}}, "mean": {"moving_avg": {"buckets_path": "all", "window": 2, "model": "simple"}}}}}}"#,
        200,
        r#"{"aggregations": {"days": {"buckets": [{"all": {"value": 12.0}}, {"doc_count": 0, "all": {"value": 0.0}}, {"all": {"value": 15.0}, "mean": {"value": 12.0}}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "query": {"exists": {"field": "size"}}, "aggs": {"days": {"date_histogram": {"field": "at", "fixed_interval": "1d"}, "aggs": {
            "all": {"sum": {"field": "size"}}, "mean": {"moving_avg": {"buckets_path": "all", "model": "holt", "predict": 2,
                "settings": {"alpha": 1, "beta": 1}}}}}}}"#,
        200,
        r#"{"aggregations": {"days": {"buckets": [{"all": {"value": 12.0}}, {"doc_count": 0}, {"all": {"value": 15.0}, "mean": {"value": 12.0}},
            {"doc_count": 0, "mean": {"value": 15.0}}, {"doc_count": 0, "mean": {"value": 18.0}}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"days": {"date_histogram": {"field": "at", "fixed_interval": "1d"}, "aggs": {"mean": {"moving_avg": {"buckets_path": "_count",
            "model": "holt_winters", "window": 4, "settings": {"period": 3}}}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"days": {"date_histogram": {"field": "at", "fixed_interval": "1d"}, "aggs": {"mean": {"moving_avg": {"buckets_path": "_count",
            "model": "simple", "minimize": true}}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /logs/_search?typed_keys=true",
        r#"{"size": 0, "aggs": {"none": {"terms": {"field": "nothing"}}}}"#,
        200,
        r#"{"aggregations": {"sterms#none": {"doc_count_error_upper_bound": 0, "buckets": []}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"levels": {"terms": {"field": "level"}, "aggs": {"mean": {"avg": {"field": "size"}}}}}}"#,
        200,
        r#"{"aggregations": {"levels": {"sum_other_doc_count": 0, "buckets": [
            {"key": "info", "doc_count": 2, "mean": {"value": 10.0}}, {"key": "warn", "doc_count": 1, "mean": {"value": 7.0}}]}}}"#,
    ),
    case(
        "POST /logs/_search?typed_keys=true",
        r#"{"size": 0, "aggs": {"levels": {"terms": {"field": "level", "order": {"mean": "asc"}, "size": 1}, "aggs": {"mean": {"avg": {"field": "size"}}}}}}"#,
        200,
        r#"{"aggregations": {"sterms#levels": {"sum_other_doc_count": 2, "buckets": [{"key": "warn", "avg#mean": {"value": 7.0}}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"days": {"date_histogram": {"field": "at", "calendar_interval": "day", "time_zone": "+01:00"}}}, "query": {"range": {"at": {"lt": "2024-02-01"}}}}"#,
        200,
        r#"{"aggregations": {"days": {"buckets": [
            {"key": 1704063600000, "key_as_string": "2024-01-01T00:00:00.000+01:00", "doc_count": 1}, {"doc_count": 1}, {"doc_count": 1}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"months": {"date_histogram": {"field": "at", "calendar_interval": "month", "format": "yyyy-MM"}}}}"#,
        200,
        r#"{"aggregations": {"months": {"buckets": [{"key_as_string": "2024-01", "doc_count": 3}, {"key_as_string": "2024-02", "doc_count": 0}, {"key_as_string": "2024-03", "doc_count": 1}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"months": {"auto_date_histogram": {"field": "at", "buckets": 3}, "aggs": {"most": {"max": {"field": "size"}}}}, "best": {"max_bucket": {"buckets_path": "months.most"}}}}"#,
        200,
        r#"{"aggregations": {"months": {"interval": "1M", "buckets": [
            {"key_as_string": "2024-01-01T00:00:00.000Z", "doc_count": 3, "most": {"value": 15.0}}, {"doc_count": 0},
            {"key_as_string": "2024-03-01T00:00:00.000Z", "doc_count": 1}]}, "best": {"value": 15.0}}}"#,
    ),
    case(
        "POST /logs/_search?typed_keys=true",
        r#"{"size": 0, "query": {"term": {"level": "info"}}, "aggs": {"a": {"auto_date_histogram": {"field": "at", "time_zone": "+01:00", "minimum_interval": "day"}}}}"#,
        200,
        r#"{"aggregations": {"auto_date_histogram#a": {"interval": "1d", "buckets": [
            {"key_as_string": "2024-01-01T00:00:00.000+01:00", "doc_count": 1}, {"doc_count": 0}, {"doc_count": 1}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "query": {"match_none": {}}, "aggs": {"a": {"auto_date_histogram": {"field": "at"}}}}"#,
        200,
        r#"{"aggregations": {"a": {"interval": "1s", "buckets": []}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"auto_date_histogram": {"field": "at", "buckets": 0}}}}"#,
        400,
        r#"{"error": {"caused_by": {"reason": "buckets must be greater than 0 for [a]"}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"auto_date_histogram": {"field": "at", "minimum_interval": "week"}}}}"#,
        400,
        r#"{"error": {"caused_by": {"reason": "minimum_interval must be one of [year, month, day, hour, minute, second]"}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"terms": {"field": "level"}, "aggs": {"b": {"auto_date_histogram": {"field": "at"}}}}}}"#,
        501,
        r#"{"error": {"reason": "[auto_date_histogram] within other aggregations is not supported"}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"sizes": {"histogram": {"field": "size", "interval": 5, "min_doc_count": 1}}}}"#,
        200,
        r#"{"aggregations": {"sizes": {"buckets": [{"key": 5.0, "doc_count": 2}, {"key": 15.0, "doc_count": 1}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"sizes": {"range": {"field": "size", "ranges": [{"to": 7}, {"from": 7, "key": "more"}]}},
            "stats": {"stats": {"field": "size"}}, "kinds": {"cardinality": {"field": "level"}}, "none": {"missing": {"field": "level"}},
            "half": {"percentiles": {"field": "size", "percents": [50]}}}}"#,
        200,
        r#"{"aggregations": {"sizes": {"buckets": [{"key": "*-7.0", "to": 7.0, "doc_count": 1}, {"key": "more", "from": 7.0, "doc_count": 2}]},
            "stats": {"count": 3, "min": 5.0, "max": 15.0, "avg": 9.0, "sum": 27.0}, "kinds": {"value": 2}, "none": {"doc_count": 1},
            "half": {"values": {"50.0": 7.0}}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"kinds": {"filters": {"filters": {"small": {"range": {"size": {"lt": 6}}}, "warnings": {"term": {"level": "warn"}}}, "other_bucket": true},
            "aggs": {"one": {"filter": {"exists": {"field": "size"}}, "aggs": {"most": {"max": {"field": "size"}}}}}}}}"#,
        200,
        r#"{"aggregations": {"kinds": {"buckets": {"small": {"doc_count": 1, "one": {"doc_count": 1, "most": {"value": 5.0}}},
            "warnings": {"doc_count": 1, "one": {"most": {"value": 7.0}}}, "_other_": {"doc_count": 2, "one": {"doc_count": 1, "most": {"value": 15.0}}}}}}}"#,
    ),
    // Ranges of addresses are in their order, not in the request's.
    case(
        "PUT /hosts",
        r#"{"mappings": {"properties": {"ip": {"type": "ip"}}}}"#,
        200,
        "",
    ),
    case("PUT /hosts/_doc/1", r#"{"ip": "10.0.0.130"}"#, 201, ""),
    case(
        "POST /hosts/_search",
        r#"{"size": 0, "aggs": {"nets": {"ip_range": {"field": "ip", "ranges": [{"from": "10.0.0.128"}, {"mask": "10.0.0.0/24"},
            {"from": "10.0.0.128", "to": "10.0.0.131"}, {"to": "10.0.0.128"}]}}}}"#,
        200,
        r#"{"aggregations": {"nets": {"buckets": [{"key": "*-10.0.0.128", "to": "10.0.0.128", "doc_count": 0},
            {"key": "10.0.0.0/24", "from": "10.0.0.0", "to": "10.0.1.0", "doc_count": 1},
            {"key": "10.0.0.128-10.0.0.131", "doc_count": 1}, {"key": "10.0.0.128-*", "doc_count": 1}]}}}"#,
    ),
    // The last day of a range ends with it.
    case(
        "POST /logs/_search",
        r#"{"size": 0, "aggs": {"days": {"date_range": {"field": "at", "ranges": [{"from": "2024-01-01", "to": "2024-01-02"}]}}}}"#,
        200,
        r#"{"aggregations": {"days": {"buckets": [{"from_as_string": "2024-01-01T00:00:00.000Z", "doc_count": 2}]}}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"colour": {}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Unknown aggregation type [colour]"}]}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"cardinalty": {}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Unknown aggregation type [cardinalty] did you mean [cardinality]?"}]}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"terms": {"field": "level", "colour": 1}}}}"#,
        400,
        r#"{"error": {"type": "x_content_parse_exception"}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"terms": {"field": "text"}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"t_test": {}}}}"#,
        501,
        r#"{"error": {"reason": "the aggregation [t_test] is not supported"}}"#,
    ),
    case(
        "POST /logs/_search",
        r#"{"aggs": {"a": {"date_histogram": {"field": "at", "fixed_interval": "1s"}}}}"#,
        503,
        r#"{"error": {"type": "too_many_buckets_exception"}}"#,
    ),
];
