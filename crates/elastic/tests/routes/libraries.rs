//! What the tests of libraries on Elasticsearch's clients look at.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_of_libraries_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /read", "", 200, ""),
    case("PUT /read/_doc/_stats", r#"{"size_in_bytes": 1024}"#, 201, ""),
    // Texts for people beside numbers, but not in documents.
    case(
        "GET /read/_stats/store,get?human",
        "",
        200,
        r#"{"indices": {"read": {"primaries": {"store": {"size": "*", "size_in_bytes": "*"}, "get": {"getTime": "*"}}}}}"#,
    ),
    case(
        "GET /_cluster/health?human=true",
        "",
        200,
        r#"{"active_shards_percent": "*", "task_max_waiting_in_queue": "0s"}"#,
    ),
    case(
        "GET /read/_recovery?human",
        "",
        200,
        r#"{"read": {"shards": [{"start_time": "*", "total_time": "0s"}]}}"#,
    ),
    case("GET /_tasks?human", "", 200, "running_time\":\""),
    case(
        "GET /read/_doc/_stats?human",
        "",
        200,
        r#""_source":{"size_in_bytes":1024}"#,
    ),
    // What shards refuse is told of each, and what they refuse it for is the root of it.
    case(
        "POST /read/_search",
        r#"{"sort": "nowhere"}"#,
        400,
        r#"{"status": 400, "error": {"type": "search_phase_execution_exception", "reason": "all shards failed", "phase": "query",
            "grouped": true, "root_cause": [{"type": "query_shard_exception", "reason": "No mapping found for [nowhere] in order to sort on",
            "index_uuid": "*", "index": "read"}], "failed_shards": [{"shard": 0, "index": "read", "node": "*",
            "reason": {"type": "query_shard_exception", "index": "read"}}]}}"#,
    ),
    case(
        "POST /read/_search",
        r#"{"size": 10001}"#,
        400,
        r#"{"error": {"type": "search_phase_execution_exception", "root_cause": [{"type": "illegal_argument_exception"}],
            "caused_by": {"type": "illegal_argument_exception", "caused_by": {"type": "illegal_argument_exception"}}}}"#,
    ),
    case(
        "POST /read/_count",
        r#"{"query": {"term": {"size_in_bytes": "many"}}}"#,
        400,
        r#"{"error": {"type": "search_phase_execution_exception", "root_cause": [{"type": "query_shard_exception", "index": "read"}]}}"#,
    ),
    case(
        "POST /read/_delete_by_query",
        r#"{"query": {"term": {"size_in_bytes": "many"}}}"#,
        400,
        r#"{"error": {"type": "search_phase_execution_exception", "root_cause": [{"type": "query_shard_exception"}]}}"#,
    ),
    // What cannot be parsed comes to no shard.
    case(
        "POST /read/_search",
        r#"{"query": {"colour": {}}}"#,
        400,
        r#"{"error": {"type": "parsing_exception", "root_cause": [{"type": "parsing_exception"}]}}"#,
    ),
    case(
        "POST /_search",
        r#"{"pit": {"id": "none"}}"#,
        404,
        r#"{"error": {"type": "search_phase_execution_exception", "root_cause": [{"type": "search_context_missing_exception"}]}}"#,
    ),
    // Tasks are told how fast they are to be.
    case("PUT /read/_doc/2", "{}", 201, ""),
    case(
        "POST /read/_update_by_query?wait_for_completion=false&scroll_size=1&requests_per_second=0.001",
        "",
        200,
        r#"{"task": "*"}"#,
    ),
    case(
        "POST /_reindex/<task>/_rethrottle",
        "",
        400,
        "requests_per_second is a required parameter",
    ),
    case(
        "POST /_update_by_query/<task>/_rethrottle?requests_per_second=0",
        "",
        400,
        "[requests_per_second] must be a float greater than 0. Use -1 to disable throttling.",
    ),
    case(
        "POST /_delete_by_query/<task>/_rethrottle?requests_per_second=100&group_by=none",
        "",
        200,
        r#"{"tasks": [{"action": "indices:data/write/update/byquery"}]}"#,
    ),
    case(
        "POST /_reindex/n:1/_rethrottle?requests_per_second=1",
        "",
        404,
        "resource_not_found_exception",
    ),
    // An index that is not there is an expression where one document is asked for, and a name otherwise.
    case(
        "GET /none/_doc/1",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception", "resource.type": "index_expression", "resource.id": "none"}}"#,
    ),
    case(
        "DELETE /none/_doc/1",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception", "resource.type": "index_expression", "resource.id": "none"}}"#,
    ),
    case(
        "GET /none/_search",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception", "resource.type": "index_or_alias", "resource.id": "none"}}"#,
    ),
    // Half of the words of a phrase may be wrong.
    case("PUT /sharks/_doc/1", r#"{"name": "Great White Shark"}"#, 201, ""),
    case("PUT /sharks/_doc/2", r#"{"name": "Tiger Shark"}"#, 201, ""),
    case(
        "POST /sharks/_search",
        r#"{"suggest": {"p": {"text": "a tigre or shar", "phrase": {"field": "name", "size": 1}},
            "q": {"text": "a tigre or shar", "phrase": {"field": "name", "size": 1, "max_errors": 1}}}}"#,
        200,
        r#"{"suggest": {"p": [{"options": [{"text": "a tiger or shark"}]}], "q": [{"options": ["*"]}]}}"#,
    ),
    // Of a list of filters of a function the last counts.
    case(
        "POST /sharks/_search",
        r#"{"query": {"function_score": {"functions": [{"filter": [{"match": {"name": "great"}}, {"match": {"name": "tiger"}}], "weight": 3}]}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2", "_score": 3.0}, {"_id": "1", "_score": 1.0}]}}"#,
    ),
    // The clauses that must match come first, in errors too.
    case(
        "POST /sharks/_search",
        r#"{"query": {"bool": {"should": {"nested": {"path": "none", "query": {"match_all": {}}}},
            "must": {"match": {"name": {"query": "a", "analyzer": "none"}}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "query_shard_exception", "reason": "[match] analyzer [none] not found"}]}}"#,
    ),
    // Signs of operators that an expression does not have are letters.
    case("PUT /signs/_doc/1", r#"{"k": "A&B <3"}"#, 201, ""),
    case(
        "POST /signs/_search",
        r#"{"query": {"regexp": {"k.keyword": {"value": "A&B <.", "flags": "NONE"}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}}}"#,
    ),
    case(
        "POST /signs/_search",
        r#"{"query": {"regexp": {"k.keyword": {"value": "A&B <.", "flags": "COMPLEMENT|INTERVAL"}}}}"#,
        501,
        "the operator [<] of [regexp] is not supported",
    ),
    case(
        "POST /signs/_search",
        r#"{"query": {"regexp": {"k.keyword": {"value": "A", "flags": "SOME"}}}}"#,
        400,
        "Unknown regexp flag [SOME]",
    ),
    // Aliases and patterns stand for indices in queries for their names, and where texts are analyzed.
    case("PUT /signs/_alias/marks", "", 200, ""),
    case(
        "POST /signs,sharks/_search",
        r#"{"query": {"bool": {"filter": {"term": {"_index": {"value": "marks", "boost": 2}}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_index": "signs"}]}}"#,
    ),
    case(
        "POST /signs,sharks/_count",
        r#"{"query": {"terms": {"_index": ["none", "mar*", "sharks"]}}}"#,
        200,
        r#"{"count": 3}"#,
    ),
    case(
        "GET /marks/_analyze",
        r#"{"text": "a", "field": "k"}"#,
        200,
        r#"{"tokens": [{"token": "a"}]}"#,
    ),
    case(
        "POST /signs/_reload_search_analyzers",
        "",
        200,
        r#"{"_shards": {"failed": 0}, "reload_details": [{"index": "signs", "reloaded_analyzers": []}]}"#,
    ),
    case(
        "GET /none/_reload_search_analyzers",
        "",
        404,
        "index_not_found_exception",
    ),
    // What documents are to be like: one with its routing, and texts cut by an analyzer that is named.
    case(
        "PUT /routed",
        r#"{"mappings": {"_routing": {"required": true}, "properties": {"t": {"type": "text"}}}}"#,
        200,
        "",
    ),
    case("PUT /routed/_doc/1?routing=a", r#"{"t": "one two"}"#, 201, ""),
    case("PUT /routed/_doc/2?routing=b", r#"{"t": "two"}"#, 201, ""),
    case(
        "POST /routed/_search",
        r#"{"query": {"more_like_this": {"fields": ["t"], "like": {"_index": "routed", "_id": "1", "routing": "a"},
            "min_term_freq": 1, "min_doc_freq": 1}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2"}]}}"#,
    ),
    case(
        "POST /routed/_search",
        r#"{"query": {"more_like_this": {"fields": ["t"], "like": {"_index": "routed", "_id": "1"}}}}"#,
        400,
        "routing_missing_exception",
    ),
    case(
        "POST /routed/_count",
        r#"{"query": {"more_like_this": {"fields": ["t"], "like": "one two", "analyzer": "keyword", "min_term_freq": 1, "min_doc_freq": 1}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "POST /routed/_count",
        r#"{"query": {"more_like_this": {"fields": ["t"], "like": "one", "analyzer": "none"}}}"#,
        400,
        "[more_like_this] analyzer [none] not found",
    ),
    // Numbers in ranges of dates are read by the format.
    case(
        "PUT /moments",
        r#"{"mappings": {"properties": {"at": {"type": "date", "format": "epoch_second"}}}}"#,
        200,
        "",
    ),
    case("PUT /moments/_doc/1", r#"{"at": 100}"#, 201, ""),
    case(
        "POST /moments/_search",
        r#"{"aggs": {"d": {"date_range": {"field": "at", "ranges": [{"from": 99, "to": 101}]}}}}"#,
        200,
        r#"{"aggregations": {"d": {"buckets": [{"from": 99000.0, "to": 101000.0, "doc_count": 1}]}}}"#,
    ),
    case(
        "POST /moments/_search",
        r#"{"aggs": {"d": {"date_range": {"field": "at", "format": "MM-dd-yyyy", "ranges": [{"from": 1390958535000}]}}}}"#,
        400,
        "failed to parse date field [1390958535000]",
    ),
    // A mapping that is the first of its index may say anything.
    case("PUT /blank", "", 200, ""),
    case(
        "PUT /blank/_mapping",
        r#"{"_source": {"enabled": false}}"#,
        200,
        "",
    ),
    case(
        "PUT /blank/_mapping",
        r#"{"_source": {"enabled": true}}"#,
        400,
        "Mapper for [_source] conflicts with existing mapper",
    ),
    // Types before the word that says what is asked.
    case(
        "PUT /blank/kind/_mapping?include_type_name=true",
        r#"{"properties": {"k": {"type": "keyword"}}}"#,
        200,
        "",
    ),
    case(
        "GET /blank/kind/_mapping?include_type_name=true",
        "",
        404,
        r#"{"error": {"type": "type_missing_exception", "reason": "type[[kind]] missing"}}"#,
    ),
    // An object of a pipeline may have several processors, and values are put behind a null.
    case(
        "POST /_ingest/pipeline/_simulate",
        r#"{"pipeline": {"processors": [{"append": {"field": "a", "value": ["b"]}, "set": {"field": "c", "value": 1}}]},
            "docs": [{"_source": {"a": null}}]}"#,
        200,
        r#"{"docs": [{"doc": {"_source": {"a": [null, "b"], "c": 1}}}]}"#,
    ),
    // Searches that go on are counted.
    case("POST /sharks/_search?scroll=1m&size=1", "", 200, ""),
    case(
        "GET /sharks/_stats/search",
        "",
        200,
        r#"{"_all": {"total": {"search": {"open_contexts": 1}}}}"#,
    ),
    case("DELETE /_search/scroll/<_scroll_id>", "", 200, ""),
    case(
        "GET /sharks/_stats/search",
        "",
        200,
        r#"{"_all": {"total": {"search": {"open_contexts": 0}}}}"#,
    ),
    // Settings of the cluster forbid what changes it.
    case(
        "PUT /_cluster/settings",
        r#"{"transient": {"cluster.blocks.read_only": true}}"#,
        200,
        "",
    ),
    case(
        "POST /sharks/_doc",
        "{}",
        403,
        r#"{"error": {"type": "cluster_block_exception", "reason": "blocked by: [FORBIDDEN/6/cluster read-only (api)];"}}"#,
    ),
    case("DELETE /sharks", "", 403, "cluster_block_exception"),
    case("POST /sharks/_search", "", 200, ""),
    case(
        "PUT /_cluster/settings",
        r#"{"transient": {"cluster.blocks.read_only": null, "cluster.blocks.read_only_allow_delete": true}}"#,
        200,
        "",
    ),
    case(
        "PUT /sharks/_doc/_search",
        "{}",
        403,
        "cluster read-only / allow delete (api)",
    ),
    case("DELETE /sharks", "", 200, ""),
    case(
        "PUT /_cluster/settings",
        r#"{"transient": {"cluster.blocks.read_only_allow_delete": null}}"#,
        200,
        "",
    ),
    case("PUT /sharks", "", 200, ""),
];
