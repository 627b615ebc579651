//! Scores of functions and scripts, and positions of terms. The scores are Elasticsearch's.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_scoring_get_elasticsearchs_answers() {
    run(CASES);
}

const MAPPING: &str = r#"{"mappings": {"properties": {"text": {"type": "text"}, "title": {"type": "text"}, "n": {"type": "long"},
    "at": {"type": "date"}, "place": {"type": "geo_point"}}}}"#;

const CASES: &[Case] = &[
    case("PUT /rated", MAPPING, 200, ""),
    case(
        "PUT /rated/_doc/1",
        r#"{"text": "some like it hot, some like it cold", "n": 10, "at": "2024-01-01", "place": "52.5,13.4"}"#,
        201,
        "",
    ),
    case(
        "PUT /rated/_doc/2",
        r#"{"text": "its cold outside, theres no kind of atmosphere", "n": 20, "at": "2024-01-11", "place": "48.1,11.6"}"#,
        201,
        "",
    ),
    case(
        "PUT /rated/_doc/3",
        r#"{"text": "baby its cold there outside", "title": "cold", "n": 100, "at": "2024-02-01"}"#,
        201,
        "",
    ),
    // Functions.
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"field_value_factor": {"field": "n", "modifier": "square", "factor": 0.5}, "boost_mode": "replace"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "3", "_score": 2500.0}, {"_id": "2", "_score": 100.0}, {"_id": "1", "_score": 25.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"functions": [{"filter": {"term": {"text": "outside"}}, "weight": 3}, {"filter": {"term": {"_id": "3"}}, "weight": 5}],
            "score_mode": "sum", "boost_mode": "sum", "min_score": 3}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "3", "_score": 9.0}, {"_id": "2", "_score": 4.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"linear": {"at": {"origin": "2024-01-01", "scale": "10d"}}}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "_score": 1.0}, {"_id": "2", "_score": 0.5}, {"_id": "3", "_score": 0.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"gauss": {"n": {"origin": 20, "scale": 10, "offset": 0}}, "query": {"range": {"n": {"lte": 20}}}}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2", "_score": 1.0}, {"_id": "1", "_score": 0.5}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"exp": {"place": {"origin": "52.5,13.4", "scale": "100km"}}}}, "size": 1}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "_score": 1.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"random_score": {"seed": 7, "field": "n"}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 3}}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"script_score": {"script": {"source": "doc['n'].value / params.by", "params": {"by": 10}}}, "boost_mode": "replace"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "3", "_score": 10.0}, {"_id": "2", "_score": 2.0}, {"_id": "1", "_score": 1.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"script_score": {"query": {"match_all": {"boost": 2}}, "script": {"source": "_score * doc['n'].value"}, "min_score": 30}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "3", "_score": 200.0}, {"_id": "2", "_score": 40.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"bool": {"filter": {"script": {"script": "doc['n'].value > 15 && doc.containsKey('place') && doc['place'].size() > 0"}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "2"}]}}"#,
    ),
    // Factors for indices: the first that names one counts.
    case("PUT /rated-2/_doc/4", r#"{"n": 1}"#, 201, ""),
    case(
        "POST /rated*/_search",
        r#"{"query": {"term": {"_id": "4"}}, "indices_boost": [{"rated-*": 3}, {"rated*": 2}]}"#,
        200,
        r#"{"hits": {"hits": [{"_index": "rated-2", "_score": 3.0}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"indices_boost": [{"none": 3}]}"#,
        404,
        "",
    ),
    case("POST /rated/_search", r#"{"indices_boost": [3]}"#, 400, ""),
    // Other languages count otherwise, and an option that means nothing is said so.
    case(
        "GET /rated/_search",
        r#"{"query": {"script": {"script": {"source": "doc['n'].value > 1", "lang": "expression"}}}}"#,
        501,
        "",
    ),
    case(
        "GET /rated/_search",
        r#"{"query": {"script": {"script": {"source": "doc['n'].value > 1", "options": {"content_type": "x"}}}}}"#,
        501,
        "",
    ),
    // What cannot be: scores below 0, fields that are not there, scripts that do not end, several functions at once.
    case(
        "POST /rated/_search",
        r#"{"query": {"script_score": {"query": {"match_all": {}}, "script": "-1"}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"field_value_factor": {"field": "none"}}}}"#,
        400,
        "",
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"script": {"script": "while (true) {} return true"}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "script_exception"}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"linear": {"n": {"origin": 1, "scale": 1}}, "random_score": {}}}}"#,
        400,
        "",
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"function_score": {"colour": {}}}}"#,
        400,
        "",
    ),
    // Positions of terms.
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"match": {"query": "cold outside", "ordered": true, "max_gaps": 0}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "2", "_score": 0.5}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"all_of": {"ordered": true, "intervals": [{"prefix": {"prefix": "out"}},
            {"any_of": {"intervals": [{"match": {"query": "atmosphere"}}, {"wildcard": {"pattern": "at*re"}}]}}]}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "2"}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"match": {"query": "some it some", "filter": {"not_containing": {"match": {"query": "hot"}}}}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 0}}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"match": {"query": "outside", "filter": {"after": {"fuzzy": {"term": "could"}}}}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"match": {"query": "cold", "use_field": "title"}}}}}"#,
        200,
        r#"{"hits": {"total": {"value": 1}, "hits": [{"_id": "3"}]}}"#,
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"colour": {}}}}}"#,
        400,
        "",
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"n": {"match": {"query": "1"}}}}}"#,
        400,
        "",
    ),
    case(
        "POST /rated/_search",
        r#"{"query": {"intervals": {"text": {"match": {"query": "cold", "filter": {"script": {"source": "true"}}}}}}}"#,
        501,
        "",
    ),
];
