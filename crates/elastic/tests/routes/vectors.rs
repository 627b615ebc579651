//! Vectors: their fields, the nearest documents, scripts over them.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_vectors_get_elasticsearchs_answers() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /near",
        r#"{"mappings": {"properties": {
            "v": {"type": "dense_vector", "dims": 2, "similarity": "l2_norm", "index_options": {"type": "hnsw", "m": 16, "ef_construction": 100}},
            "kind": {"type": "keyword"}, "n": {"type": "integer"},
            "parts": {"type": "nested", "properties": {"v": {"type": "dense_vector", "similarity": "max_inner_product"}}}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /near/_doc/1",
        r#"{"v": [1, 1], "kind": "a", "n": 1}"#,
        201,
        "",
    ),
    case(
        "PUT /near/_doc/2",
        r#"{"v": [1, 2.0], "kind": "b", "n": 2, "parts": [{"v": [1, 0]}, {"v": [0, 5]}]}"#,
        201,
        "",
    ),
    case(
        "PUT /near/_doc/3",
        r#"{"v": [1, 4], "kind": "a", "n": 3, "parts": {"v": [2, 1]}}"#,
        201,
        "",
    ),
    case(
        "PUT /near/_doc/4",
        r#"{"v": [1, 7], "kind": "b", "n": 4}"#,
        201,
        "",
    ),
    case("PUT /near/_doc/5", r#"{"v": null, "kind": "c", "n": 5}"#, 201, ""),
    // The first document set the number of dimensions.
    case(
        "GET /near/_mapping",
        "",
        200,
        r#"{"near": {"mappings": {"properties": {"parts": {"properties": {"v": {"type": "dense_vector", "dims": 2}}}}}}}"#,
    ),
    case(
        "PUT /near/_doc/6",
        r#"{"v": [1, 2, 3]}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception", "caused_by": {"type": "illegal_argument_exception",
            "reason": "The [dense_vector] field [v] has more dimensions than defined in the mapping [2]"}}}"#,
    ),
    case("PUT /near/_doc/6", r#"{"parts": [{"v": [1]}]}"#, 400, ""),
    case("PUT /near/_doc/6", r#"{"v": [[1, 2]]}"#, 400, ""),
    case(
        "PUT /near/_mapping",
        r#"{"properties": {"v": {"type": "dense_vector", "dims": 2, "similarity": "cosine"}}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "GET /near/_field_caps?fields=v",
        "",
        200,
        r#"{"fields": {"v": {"dense_vector": {"searchable": true, "aggregatable": false}}}}"#,
    ),
    case(
        "GET /near/_count",
        r#"{"query": {"exists": {"field": "v"}}}"#,
        200,
        r#"{"count": 4}"#,
    ),
    // Only the nearest documents.
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 2], "k": 2, "num_candidates": 10}, "fields": ["v"], "_source": false}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "max_score": 1.0, "hits": [
            {"_id": "2", "_score": 1.0, "fields": {"v": [1, 2.0]}}, {"_id": "1", "_score": 0.5}]}}"#,
    ),
    // With a filter there are still as many results as are wanted.
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 2], "k": 2, "num_candidates": 10, "filter": [{"term": {"kind": "a"}}, {"range": {"n": {"gt": 1}}}]}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "3", "_score": 0.2}]}}"#,
    ),
    // A minimum similarity, here a distance.
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 9, "num_candidates": 10, "similarity": 3}, "size": 0}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "hits": []}}"#,
    ),
    // With a query, scores are added; aggregations are over what either finds.
    case(
        "POST /near/_search",
        r#"{"query": {"constant_score": {"filter": {"terms": {"n": [1, 5]}}, "boost": 3}},
            "knn": {"field": "v", "query_vector": [1, 1], "k": 2, "num_candidates": 2, "boost": 2},
            "aggs": {"kinds": {"terms": {"field": "kind"}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "max_score": 5.0, "hits": [
            {"_id": "1", "_score": 5.0}, {"_id": "5", "_score": 3.0}, {"_id": "2", "_score": 1.0}]},
            "aggregations": {"kinds": {"buckets": [{"key": "a", "doc_count": 1}, {"key": "b", "doc_count": 1}, {"key": "c", "doc_count": 1}]}}}"#,
    ),
    // Each of several `knn` sections counts for itself.
    case(
        "POST /near/_search",
        r#"{"knn": [{"field": "v", "query_vector": [1, 1], "k": 1, "num_candidates": 1}, {"field": "v", "query_vector": [1, 7], "k": 1, "num_candidates": 1}], "sort": "n"}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "1"}, {"_id": "4"}]}}"#,
    ),
    // A document counts with its nearest nested object.
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "parts.v", "query_vector": [0, 2], "k": 5, "num_candidates": 5}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2", "_score": 11.0}, {"_id": "3", "_score": 3.0}]}}"#,
    ),
    // As a clause without `k` it finds as many documents as the search has hits.
    case(
        "POST /near/_search",
        r#"{"size": 3, "query": {"bool": {"must": {"knn": {"field": "v", "query_vector": [1, 1]}}, "must_not": {"term": {"kind": "b"}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "1", "_score": 1.0}, {"_id": "3", "_score": 0.1}]}}"#,
    ),
    case(
        "GET /near/_count",
        r#"{"query": {"knn": {"field": "v", "query_vector": [1, 1], "k": 3, "num_candidates": 3}}}"#,
        200,
        r#"{"count": 3}"#,
    ),
    case(
        "GET /near/_explain/2",
        r#"{"query": {"knn": {"field": "v", "query_vector": [1, 1], "k": 3, "num_candidates": 3}}}"#,
        200,
        r#"{"matched": true, "explanation": {"value": 0.5}}"#,
    ),
    case(
        "GET /near/_explain/4",
        r#"{"query": {"knn": {"field": "v", "query_vector": [1, 1], "k": 3, "num_candidates": 3}}}"#,
        200,
        r#"{"matched": false}"#,
    ),
    case(
        "GET /near/_validate/query",
        r#"{"query": {"knn": {"field": "v", "query_vector": [1, 1]}}}"#,
        200,
        r#"{"valid": true}"#,
    ),
    case(
        "GET /near/_validate/query",
        r#"{"query": {"knn": {"field": "v", "query_vector": [1]}}}"#,
        200,
        r#"{"valid": false}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"query": {"match_all": {}}, "size": 2, "rescore": {"window_size": 5, "query": {"rescore_query": {"knn": {"field": "v", "query_vector": [1, 7], "k": 1, "num_candidates": 1}}}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "4", "_score": 2.0}, {"_id": "1", "_score": 1.0}]}}"#,
    ),
    // All pages of a scroll show the same nearest documents.
    case(
        "POST /near/_search?scroll=1m",
        r#"{"size": 1, "knn": {"field": "v", "query_vector": [1, 1], "k": 2, "num_candidates": 2}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "1"}]}}"#,
    ),
    // The filter of an alias is applied first.
    case(
        "POST /_aliases",
        r#"{"actions": [{"add": {"index": "near", "alias": "b", "filter": {"term": {"kind": "b"}}}}]}"#,
        200,
        "",
    ),
    case(
        "POST /b/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 1, "num_candidates": 1}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "2"}]}}"#,
    ),
    // The nearest of several indices together.
    case(
        "PUT /far",
        r#"{"mappings": {"properties": {"v": {"type": "dense_vector", "dims": 2, "similarity": "l2_norm"}}}}"#,
        200,
        "",
    ),
    case("PUT /far/_doc/1", r#"{"v": [1, 3]}"#, 201, ""),
    case("PUT /without/_doc/1", r#"{"n": 1}"#, 201, ""),
    case(
        "POST /near,far,without/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 3], "k": 3, "num_candidates": 3}}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "hits": [{"_index": "far", "_id": "1"}, {"_index": "near", "_id": "2"}, {"_index": "near", "_id": "3"}]}}"#,
    ),
    case(
        "POST /near/_knn_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 1, "num_candidates": 3}, "filter": {"term": {"kind": "b"}}, "_source": ["n"]}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "2", "_source": {"n": 2}}]}}"#,
    ),
    case(
        "POST /near/_knn_search",
        r#"{"filter": {"match_all": {}}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "missing required [knn] section in search body"}]}}"#,
    ),
    case(
        "POST /near/_knn_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 3, "num_candidates": 1}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "[num_candidates] cannot be less than [k]"}]}}"#,
    ),
    // Requests that are refused.
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1, 1], "k": 1, "num_candidates": 1}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "query_shard_exception", "reason": "failed to create query: the query vector has a different dimension [3] than the index vectors [2]"}]}}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "kind", "query_vector": [1, 1], "k": 1, "num_candidates": 1}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "failed to create query: [knn] queries are only supported on [dense_vector] fields"}]}}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 1, "num_candidates": 10001}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "[num_candidates] cannot exceed [10000]"}]}}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 1, "num_candidates": 1, "inner_hits": {}}}"#,
        501,
        r#"{"error": {"reason": "[inner_hits] of [knn] is not supported"}}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"query": {"nested": {"path": "parts", "query": {"knn": {"field": "parts.v", "query_vector": [1, 1]}}}}}"#,
        501,
        "",
    ),
    case("POST /near/_search", r#"{"query": {"term": {"v": 1}}}"#, 400, ""),
    case("POST /near/_search", r#"{"sort": "v"}"#, 400, ""),
    case(
        "POST /near/_search",
        r#"{"aggs": {"a": {"terms": {"field": "v"}}}}"#,
        400,
        "",
    ),
    case("POST /near/_search", r#"{"docvalue_fields": ["v"]}"#, 400, ""),
    // Scripts.
    case(
        "POST /near/_search",
        r#"{"query": {"script_score": {"query": {"exists": {"field": "v"}}, "script": {"source": "1 / (1 + l2norm(params.q, 'v'))", "params": {"q": [1, 4]}}}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "3", "_score": 1.0}, {"_id": "2"}, {"_id": "1", "_score": 0.25}, {"_id": "4", "_score": 0.25}]}}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"query": {"script_score": {"query": {"match_all": {}}, "script": {"source": "doc['v'].size() == 0 ? 0 : cosineSimilarity(params.q, doc['v']) + dotProduct(params.q, 'v')", "params": {"q": [0, 1]}}}}, "size": 1}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "4"}]}}"#,
    ),
    case(
        "POST /near/_search",
        r#"{"query": {"script_score": {"query": {"match_all": {}}, "script": {"source": "dotProduct(params.q, 'v')", "params": {"q": [0, 1]}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "script_exception"}]}}"#,
    ),
    // Vectors that are not indexed may be 0.
    case(
        "PUT /kept",
        r#"{"mappings": {"properties": {"v": {"type": "dense_vector", "dims": 2, "index": false}}}}"#,
        200,
        "",
    ),
    case("PUT /kept/_doc/1", r#"{"v": [0, 0]}"#, 201, ""),
    case(
        "POST /kept/_search",
        r#"{"knn": {"field": "v", "query_vector": [1, 1], "k": 1, "num_candidates": 1}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "failed to create query: to perform knn search on field [v], its mapping must have [index] set to [true]"}]}}"#,
    ),
    case(
        "PUT /wrong",
        r#"{"mappings": {"properties": {"v": {"type": "dense_vector", "dims": 5000}}}}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception", "caused_by": {"reason": "The number of dimensions for field [v] should be in the range [1, 4096] but was [5000]"}}}"#,
    ),
    case(
        "PUT /wrong",
        r#"{"mappings": {"properties": {"v": {"type": "dense_vector", "dims": 8, "element_type": "bit"}}}}"#,
        501,
        "",
    ),
];
