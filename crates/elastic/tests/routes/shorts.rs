//! `float` and `half_float`: answers show as many digits as Elasticsearch's.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_short_numbers_get_elasticsearchs_answers() {
    run(CASES);
}

const CASES: &[Case] = &[
    case(
        "PUT /short",
        r#"{"mappings": {"properties": {"f": {"type": "float"}, "h": {"type": "half_float"}, "d": {"type": "double"}}}}"#,
        200,
        "",
    ),
    case("PUT /short/_doc/1", r#"{"f": 0.1, "h": 0.1, "d": 0.1}"#, 201, ""),
    case(
        "PUT /short/_doc/2",
        r#"{"f": 0.3, "h": "0.3", "d": 0.3}"#,
        201,
        "",
    ),
    // Columns store the nearest number of the type.
    case(
        "POST /short/_search",
        r#"{"size": 0, "aggs": {"f": {"min": {"field": "f"}}, "h": {"min": {"field": "h"}}, "d": {"min": {"field": "d"}},
            "t": {"terms": {"field": "f"}}}}"#,
        200,
        r#"{"aggregations": {"f": {"value": 0.10000000149011612}, "h": {"value": 0.0999755859375}, "d": {"value": 0.1},
            "t": {"buckets": [{"key": 0.10000000149011612}, {"key": 0.30000001192092896}]}}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"query": {"term": {"_id": "1"}}, "docvalue_fields": ["f", "h", "d"]}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"f": [0.10000000149011612], "h": [0.0999755859375], "d": [0.1]}}]}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"query": {"bool": {"filter": {"script": {"script": "doc['f'].value > 0.1"}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    // Values read from the document have the digits of a 32-bit number.
    case(
        "POST /short/_search",
        r#"{"query": {"term": {"_id": "2"}}, "fields": ["f", "h", "d"]}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"f": [0.3], "h": [0.3], "d": [0.3]}}]}}"#,
    ),
    // So do sort values.
    case(
        "POST /short/_search",
        r#"{"sort": ["f", "h"]}"#,
        200,
        r#"{"hits": {"hits": [{"sort": [0.1, 0.099975586]}, {"sort": [0.3, 0.30004883]}]}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"sort": [{"f": {"order": "asc", "numeric_type": "double"}}], "size": 1}"#,
        200,
        r#"{"hits": {"hits": [{"sort": [0.10000000149011612]}]}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"sort": ["f"], "search_after": [0.1]}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2"}]}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"size": 0, "aggs": {"a": {"top_metrics": {"metrics": {"field": "h"}, "sort": {"f": "asc"}}}}}"#,
        200,
        r#"{"aggregations": {"a": {"top": [{"sort": [0.10000000149011612], "metrics": {"h": 0.0999755859375}}]}}}"#,
    ),
    // Queries compare numbers of the type; bounds of ranges may lie between two of them.
    case(
        "POST /short/_search",
        r#"{"query": {"bool": {"must": [{"term": {"f": 0.1}}, {"term": {"h": 0.1}}, {"range": {"f": {"gte": 0.1, "lte": 0.1}}}]}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"query": {"range": {"f": {"gt": 0.1}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /short/_search",
        r#"{"query": {"range": {"h": {"gte": 0.1}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "2"}]}}"#,
    ),
];
