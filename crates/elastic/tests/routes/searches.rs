//! Searches and counts.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_searches_get_elasticsearchs_answers() {
    run(CASES);
}

const DOCUMENTS: &str = "{\"index\": {\"_id\": \"1\"}}\n{\"title\": \"The quick brown fox\", \"level\": \"info\", \"size\": 5, \"at\": \"2024-01-01T10:00:00Z\"}\n\
     {\"index\": {\"_id\": \"2\"}}\n{\"title\": \"A quick dog, quick as a fox\", \"level\": \"warn\", \"size\": 7, \"at\": \"2024-01-02\", \"tags\": [{\"k\": \"a\", \"v\": 1}, {\"k\": \"b\", \"v\": 2}]}\n\
     {\"index\": {\"_id\": \"3\"}}\n{\"title\": \"Lazy dogs\", \"level\": \"info\", \"at\": \"2024-01-03\", \"extra\": true}\n";

const MAPPING: &str = r#"{"mappings": {"properties": {"level": {"type": "keyword"}, "at": {"type": "date"}, "size": {"type": "integer"},
    "title": {"type": "text", "fields": {"stem": {"type": "text", "analyzer": "english"}}}, "tags": {"type": "nested"}}}}"#;

/// The ids that are found, in this order.
const BOTH: &str =
    r#"{"hits": {"total": {"value": 2, "relation": "eq"}, "hits": [{"_id": "1"}, {"_id": "2"}]}}"#;
const SECOND: &str = r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "2"}]}}"#;

#[test]
fn expensive_queries_can_be_forbidden() {
    run(&[
        case("PUT /e/_doc/1", r#"{"t": "quick", "n": 1}"#, 201, ""),
        case(
            "PUT /_cluster/settings",
            r#"{"transient": {"search.allow_expensive_queries": false}}"#,
            200,
            "",
        ),
        case(
            "POST /e/_search",
            r#"{"query": {"bool": {"filter": {"prefix": {"t": "q"}}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"type": "query_shard_exception", "reason": "failed to create query: [prefix] queries cannot be executed when 'search.allow_expensive_queries' is set to false. For optimised prefix queries on text fields please enable [index_prefixes]."}]}}"#,
        ),
        case(
            "GET /e/_count?q=t:qu*ck",
            "",
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: [wildcard] queries cannot be executed when 'search.allow_expensive_queries' is set to false."}]}}"#,
        ),
        case(
            "POST /e/_search",
            r#"{"query": {"range": {"n": {"gte": 1}}}}"#,
            200,
            r#"{"hits": {"total": {"value": 1}}}"#,
        ),
    ]);
}

#[test]
fn indices_limit_terms_and_expressions() {
    run(&[
        case(
            "PUT /l",
            r#"{"settings": {"index.max_terms_count": 2, "index.max_regex_length": 3}}"#,
            200,
            "",
        ),
        case(
            "POST /l/_search",
            r#"{"query": {"terms": {"k": ["a", "b", "c"]}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: The number of terms [3] used in the Terms Query request has exceeded the allowed maximum of [2]. This maximum can be set by changing the [index.max_terms_count] index level setting."}]}}"#,
        ),
        case(
            "POST /l/_count",
            r#"{"query": {"regexp": {"k": "abcd"}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: The length of regex [4] used in the Regexp Query request has exceeded the allowed maximum of [3]. This maximum can be set by changing the [index.max_regex_length] index level setting."}]}}"#,
        ),
    ]);
}

#[test]
fn texts_are_looked_for_in_the_fields_that_an_index_says() {
    run(&[
        case(
            "PUT /d",
            r#"{"settings": {"index.query.default_field": ["t*"]}}"#,
            200,
            "",
        ),
        case("PUT /d/_doc/1", r#"{"title": "quick", "other": "slow"}"#, 201, ""),
        case(
            "POST /d/_search?q=quick",
            "",
            200,
            r#"{"hits": {"total": {"value": 1}}}"#,
        ),
        case(
            "POST /d/_search?q=slow",
            "",
            200,
            r#"{"hits": {"total": {"value": 0}}}"#,
        ),
        case(
            "POST /d/_search?q=sl*w",
            "",
            200,
            r#"{"hits": {"total": {"value": 0}}}"#,
        ),
        case(
            "POST /d/_search",
            r#"{"query": {"multi_match": {"query": "slow", "fields": ["*"]}}}"#,
            200,
            r#"{"hits": {"total": {"value": 1}}}"#,
        ),
        case(
            "PUT /d/_settings",
            r#"{"index.query.default_field": "*"}"#,
            200,
            "",
        ),
        case(
            "POST /d/_search?q=slow",
            "",
            200,
            r#"{"hits": {"total": {"value": 1}}}"#,
        ),
    ]);
}

#[test]
fn shards_that_have_nothing_are_skipped_where_it_is_asked() {
    let query = r#"{"query": {"range": {"at": {"gte": "2016-01-01"}}}}"#;
    run(&[
        case("PUT /y1/_doc/1", r#"{"at": "2015-05-01"}"#, 201, ""),
        case("PUT /y2/_doc/1", r#"{"at": "2016-05-01"}"#, 201, ""),
        case(
            "POST /y1,y2/_search?pre_filter_shard_size=1",
            query,
            200,
            r#"{"_shards": {"total": 2, "successful": 2, "skipped": 1}, "hits": {"total": {"value": 1}}}"#,
        ),
        case(
            "POST /y1,y2/_search?pre_filter_shard_size=2",
            query,
            200,
            r#"{"_shards": {"skipped": 0}}"#,
        ),
        // One is always asked.
        case(
            "POST /y1,y2/_search?pre_filter_shard_size=1",
            r#"{"query": {"match_none": {}}}"#,
            200,
            r#"{"_shards": {"skipped": 1}}"#,
        ),
    ]);
}

pub const CASES: &[Case] = &[
    // How good hits are, by ratings.
    case("PUT /rated/_doc/1", r#"{"t": "a b"}"#, 201, ""),
    case("PUT /rated/_doc/2", r#"{"t": "a c d e"}"#, 201, ""),
    case(
        "POST /rated/_rank_eval",
        r#"{"requests": [{"id": "q", "request": {"query": {"match": {"t": "a"}}}, "ratings": [{"_index": "rated", "_id": "1", "rating": 2}]},
            {"id": "wrong", "request": {"query": {"nested": {"path": "none", "query": {"match_all": {}}}}}, "ratings": []}], "metric": {"precision": {}}}"#,
        200,
        r#"{"metric_score": 0.5, "details": {"q": {"metric_score": 0.5, "unrated_docs": [{"_index": "rated", "_id": "2"}],
            "hits": [{"hit": {"_id": "1"}, "rating": 2}, {"hit": {"_id": "2"}, "rating": null}],
            "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}}}},
            "failures": {"wrong": {"error": {"type": "search_phase_execution_exception", "root_cause": [{"type": "query_shard_exception"}]}}}}"#,
    ),
    case(
        "GET /_rank_eval",
        r#"{"templates": [{"id": "t", "template": {"source": {"query": {"match": {"t": "{{word}}"}}}}}], "metric": {"mean_reciprocal_rank": {"k": 1}},
            "requests": [{"id": "q", "template_id": "t", "params": {"word": "c"}, "ratings": [{"_index": "rated", "_id": "2", "rating": 1}]}]}"#,
        200,
        r#"{"metric_score": 1.0, "details": {"q": {"metric_details": {"mean_reciprocal_rank": {"first_relevant": 1}}}}, "failures": {}}"#,
    ),
    case(
        "POST /_rank_eval",
        r#"{"requests": [], "metric": {"precision": {}}}"#,
        400,
        r#"{"error": {"reason": "Cannot evaluate ranking if no search requests with rated results are provided. Seen: []"}}"#,
    ),
    case("POST /rated/_rank_eval", "{}", 400, ""),
    case("DELETE /rated", "", 200, ""),
    case("PUT /docs", MAPPING, 200, r#"{"acknowledged": true}"#),
    case("POST /docs/_bulk", DOCUMENTS, 200, r#"{"errors": false}"#),
    // A write is seen by the next search, without a refresh.
    case(
        "GET /docs/_search",
        "",
        200,
        r#"{"timed_out": false, "hits": {"total": {"value": 3, "relation": "eq"}, "max_score": 1.0}}"#,
    ),
    case(
        "POST /_search",
        r#"{"size": 0}"#,
        200,
        r#"{"hits": {"total": {"value": 3}}}"#,
    ),
    case("PUT /_search", "", 405, r#"{"status": 405}"#),
    case(
        "POST /none/_search",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception"}}"#,
    ),
    case(
        "POST /none*/_search",
        "",
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"match": {"title": "quick fox"}}, "sort": ["_doc"]}"#,
        200,
        BOTH,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"match": {"title": {"query": "quick dog", "operator": "and"}}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"match_phrase": {"title": "quick dog"}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"match_phrase_prefix": {"title": "quick do"}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"multi_match": {"query": "dog", "fields": ["title"]}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"match": {"title.stem": "dog"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"range": {"at": {"gte": "2024-01-02", "lte": "2024-01-02||/d"}}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"bool": {"filter": [{"term": {"level": "warn"}}, {"range": {"size": {"gt": 5}}}], "must_not": {"exists": {"field": "extra"}}}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"nested": {"path": "tags", "query": {"bool": {"must": [{"match": {"tags.k": "a"}}, {"term": {"tags.v": 1}}]}}}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"nested": {"path": "tags", "query": {"bool": {"must": [{"match": {"tags.k": "a"}}, {"term": {"tags.v": 2}}]}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"wildcard": {"level": "w*n"}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"fuzzy": {"title": "dogz"}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"ids": {"values": ["2"]}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"terms": {"level": ["warn", "error"]}}}"#,
        200,
        SECOND,
    ),
    case(
        "POST /docs/_search",
        r#"{"sort": [{"at": "desc"}], "size": 1, "search_after": [1704240000000]}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2", "sort": [1704153600000]}]}}"#,
    ),
    case(
        "POST /docs/_search?from=1&size=1&sort=size:desc",
        "",
        200,
        r#"{"hits": {"hits": [{"_id": "1", "sort": [5]}]}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"_source": ["lev*"], "size": 1, "version": true, "seq_no_primary_term": true}"#,
        200,
        r#"{"hits": {"hits": [{"_source": {"level": "info"}, "_version": 1, "_seq_no": 0}]}}"#,
    ),
    case(
        "POST /docs/_search?rest_total_hits_as_int=true",
        "",
        200,
        r#"{"hits": {"total": 3}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"colour": {}}}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "reason": "unknown query [colour]"}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"mtch": {}}}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "reason": "unknown query [mtch] did you mean [match]?"}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"match": {"title": {"query": "a", "colour": 1}}}}"#,
        400,
        r#"{"error": {"type": "parsing_exception"}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"colour": {}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Unknown key for a START_OBJECT in [colour]."}]}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"size": 10001}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"percolate": {}}}"#,
        501,
        r#"{"error": {"reason": "the query [percolate] is not supported"}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"profile": "yes"}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Failed to parse value [yes] as only [true] or [false] are allowed."}]}}"#,
    ),
    case(
        "POST /docs/_search?scroll=1m",
        r#"{"profile": true}"#,
        501,
        r#"{"error": {"reason": "[profile] of a scroll is not supported"}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"retriever": {}}"#,
        501,
        r#"{"error": {"reason": "[retriever] of a search is not supported"}}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"term": {"size": "many"}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "query_shard_exception"}]}}"#,
    ),
    case(
        "GET /docs/_count",
        r#"{"query": {"match": {"title": "fox"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /docs/_count",
        r#"{"size": 1}"#,
        400,
        r#"{"error": {"type": "parsing_exception"}}"#,
    ),
    case("POST /_count", "", 200, r#"{"count": 3}"#),
    case("POST /_count?colour", "", 400, r#"{"status": 400}"#),
    case(
        "POST /docs/_search",
        r#"{"query": {"query_string": {"query": "title:(quick AND dog) AND size:[6 TO *] AND NOT level:info"}}}"#,
        200,
        SECOND,
    ),
    case("GET /docs/_search?q=level:w*", "", 200, SECOND),
    case(
        "GET /docs/_count?q=quick&df=title&default_operator=AND",
        "",
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "POST /docs/_search",
        r#"{"query": {"query_string": {"query": "title:(quick"}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "query_shard_exception"}]}}"#,
    ),
];
