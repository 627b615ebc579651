//! The type `unsigned_long`: whole numbers up to 2^64 - 1.

use super::server::{run, run_restarted};
use testing::http::{Case, case};

#[test]
fn the_whole_range_is_stored_searched_and_shown() {
    run(&[DOCUMENTS, QUERIES, SHOWN, AGGREGATIONS].concat());
}

#[test]
fn the_whole_range_is_searched_and_shown_after_a_restart() {
    run_restarted(DOCUMENTS, &[QUERIES, SHOWN].concat());
}

#[test]
fn wrong_definitions_and_values_are_refused() {
    run(REFUSED);
}

const DOCUMENTS: &[Case] = &[
    case(
        "PUT /u",
        r#"{"mappings": {"properties": {"n": {"type": "unsigned_long", "fields": {"k": {"type": "keyword"}}},
            "null": {"type": "unsigned_long", "null_value": "18446744073709551615"},
            "ignoring": {"type": "unsigned_long", "ignore_malformed": true}},
            "dynamic_templates": [{"u": {"match": "*_u", "mapping": {"type": "unsigned_long"}}}]}}"#,
        200,
        "",
    ),
    case("PUT /u/_doc/1", r#"{"n": 0, "null": null}"#, 201, ""),
    case(
        "PUT /u/_doc/2",
        r#"{"n": 9223372036854775807, "a_u": 1}"#,
        201,
        "",
    ),
    case(
        "PUT /u/_doc/3",
        r#"{"n": 9223372036854775808, "ignoring": -1}"#,
        201,
        "",
    ),
    case(
        "PUT /u/_doc/4",
        r#"{"n": "9223372036854775809", "ignoring": 18446744073709551616}"#,
        201,
        "",
    ),
    case(
        "PUT /u/_doc/5",
        r#"{"n": 18446744073709551614, "o": {"list": [9223372036854775808, 1]}}"#,
        201,
        "",
    ),
    case(
        "PUT /u/_doc/6",
        r#"{"n": 18446744073709551615, "l": [18446744073709551615]}"#,
        201,
        "",
    ),
    case(
        "PUT /u/_doc/7?refresh=true",
        r#"{"d": {"$numberDecimal": "18446744073709551615"}}"#,
        201,
        "",
    ),
    // A partial update keeps the digits of other fields.
    case(
        "POST /u/_update/6?refresh=true",
        r#"{"doc": {"more": 18446744073709551614}}"#,
        200,
        "",
    ),
    case(
        "POST /u/_update/6?refresh=true",
        r#"{"script": {"source": "ctx._source.made = params.n", "params": {"n": 9223372036854775809}}}"#,
        200,
        "",
    ),
];

const QUERIES: &[Case] = &[
    case(
        "POST /u/_search",
        r#"{"query": {"term": {"n": 18446744073709551615}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "6"}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"term": {"n": "9223372036854775808"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "3"}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"terms": {"n": [0, "9223372036854775809", -1, 1.5, 18446744073709551614]}}, "sort": "_doc"}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "hits": [{"_id": "1"}, {"_id": "4"}, {"_id": "5"}]}}"#,
    ),
    case("POST /u/_search", r#"{"query": {"term": {"n": "x"}}}"#, 400, ""),
    case(
        "POST /u/_search",
        r#"{"query": {"term": {"n.k": "18446744073709551615"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "6"}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"range": {"n": {"gte": 9223372036854775808, "lt": 18446744073709551615}}}, "sort": "_doc"}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "hits": [{"_id": "3"}, {"_id": "4"}, {"_id": "5"}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"range": {"n": {"gt": "9223372036854775806.5", "lte": "9223372036854775808.5"}}}, "sort": "_doc"}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "2"}, {"_id": "3"}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"range": {"n": {"gte": -5, "lte": 1e30}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 6}}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"range": {"n": {"gt": 18446744073709551615}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"term": {"null": 18446744073709551615}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "1"}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"term": {"_ignored": "ignoring"}}, "sort": "_doc"}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "3"}, {"_id": "4"}]}}"#,
    ),
];

const SHOWN: &[Case] = &[
    case(
        "GET /u/_doc/6",
        "",
        200,
        r#"{"_source": {"n": 18446744073709551615, "l": [18446744073709551615], "more": 18446744073709551614, "made": 9223372036854775809}}"#,
    ),
    case(
        "GET /u/_source/5",
        "",
        200,
        r#"{"n": 18446744073709551614, "o": {"list": [9223372036854775808, 1]}}"#,
    ),
    case(
        "GET /u/_source/7",
        "",
        200,
        r#"{"d": {"$numberDecimal": "18446744073709551615"}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"sort": [{"n": "asc"}], "query": {"exists": {"field": "n"}}}"#,
        200,
        r#"{"hits": {"hits": [{"sort": [0]}, {"sort": [9223372036854775807]}, {"sort": [9223372036854775808]},
            {"sort": [9223372036854775809]}, {"sort": [18446744073709551614]}, {"sort": [18446744073709551615]}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"sort": [{"n": "desc"}], "size": 3, "search_after": [18446744073709551614]}"#,
        200,
        r#"{"hits": {"hits": [{"sort": [9223372036854775809]}, {"sort": [9223372036854775808]}, {"sort": [9223372036854775807]}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"sort": [{"n": {"order": "asc", "missing": "9223372036854775808"}}], "from": 2, "size": 2}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "3"}, {"_id": "7", "sort": [9223372036854775808]}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"ids": {"values": ["6"]}}, "docvalue_fields": ["n"],
            "script_fields": {"s": {"script": "doc['n'].value"}}}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"n": [18446744073709551615], "s": [-1]}}]}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"query": {"ids": {"values": ["4"]}}, "fields": ["n"]}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"n": [9223372036854775809]}}]}}"#,
    ),
    case(
        "GET /u/_field_caps?fields=n,a_u",
        "",
        200,
        r#"{"fields": {"n": {"unsigned_long": {"searchable": true, "aggregatable": true}}, "a_u": {"unsigned_long": {}}}}"#,
    ),
];

const AGGREGATIONS: &[Case] = &[
    case(
        "POST /u/_search",
        r#"{"size": 0, "aggs": {"t": {"terms": {"field": "n", "order": {"_key": "desc"}, "size": 4}}}}"#,
        200,
        r#"{"aggregations": {"t": {"buckets": [{"key": 18446744073709551615, "doc_count": 1}, {"key": 18446744073709551614},
            {"key": 9223372036854775809}, {"key": 9223372036854775808}]}}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"size": 0, "aggs": {"t": {"terms": {"field": "n", "include": [18446744073709551615]}}}}"#,
        200,
        r#"{"aggregations": {"t": {"buckets": [{"key": 18446744073709551615, "doc_count": 1}]}}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"size": 0, "aggs": {"min": {"min": {"field": "n"}}, "max": {"max": {"field": "n"}}, "count": {"cardinality": {"field": "n"}},
            "few": {"filter": {"range": {"n": {"lte": 9223372036854775808}}}, "aggs": {"sum": {"sum": {"field": "n"}}}}}}"#,
        200,
        r#"{"aggregations": {"min": {"value": 0.0}, "max": {"value": 1.8446744073709552e19}, "count": {"value": 6},
            "few": {"sum": {"value": 1.8446744073709552e19}}}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"size": 0, "aggs": {"r": {"range": {"field": "n", "ranges": [{"to": 9.2e18}, {"from": 9.2e18, "to": 1e19}, {"from": 1e19}]}},
            "h": {"histogram": {"field": "n", "interval": 1e19}}}}"#,
        200,
        r#"{"aggregations": {"r": {"buckets": [{"doc_count": 1}, {"doc_count": 3}, {"doc_count": 2}]},
            "h": {"buckets": [{"key": 0.0, "doc_count": 4}, {"key": 1e19, "doc_count": 2}]}}}"#,
    ),
    case(
        "POST /u/_search",
        r#"{"size": 0, "aggs": {"c": {"composite": {"size": 2, "after": {"n": 9223372036854775808},
            "sources": [{"n": {"terms": {"field": "n"}}}]}}}}"#,
        200,
        r#"{"aggregations": {"c": {"after_key": {"n": 18446744073709551614},
            "buckets": [{"key": {"n": 9223372036854775809}}, {"key": {"n": 18446744073709551614}}]}}}"#,
    ),
];

const REFUSED: &[Case] = &[
    case(
        "PUT /c",
        r#"{"mappings": {"properties": {"n": {"type": "unsigned_long", "coerce": false}}}}"#,
        400,
        "",
    ),
    case(
        "PUT /c",
        r#"{"mappings": {"properties": {"n": {"type": "unsigned_long", "null_value": -1}}}}"#,
        400,
        "",
    ),
    case(
        "PUT /u",
        r#"{"mappings": {"properties": {"n": {"type": "unsigned_long"}, "i": {"type": "unsigned_long", "ignore_malformed": true}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /u/_doc/1",
        r#"{"n": -1}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception",
            "reason": "failed to parse field [n] of type [unsigned_long]: Value [-1] is out of range for unsigned long. in document with id '1'"}}"#,
    ),
    case("PUT /u/_doc/1", r#"{"n": 18446744073709551616}"#, 400, ""),
    case("PUT /u/_doc/1", r#"{"n": "18446744073709551616"}"#, 400, ""),
    case("PUT /u/_doc/1", r#"{"n": 1.5}"#, 400, ""),
    case("PUT /u/_doc/1", r#"{"n": "x"}"#, 400, ""),
    case("PUT /u/_doc/1", r#"{"n": true}"#, 400, ""),
    case("PUT /u/_doc/1", r#"{"i": {"a": 1}}"#, 400, ""),
    case("PUT /u/_doc/1", r#"{"n": 5.0}"#, 201, ""),
    case("PUT /u/_doc/2", r#"{"n": ""}"#, 201, ""),
];
