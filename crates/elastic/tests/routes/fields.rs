//! Field types that index more than the words of a text, and `rescore`.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_special_fields_and_rescoring_get_elasticsearchs_answers() {
    run(CASES);
}

#[test]
fn analyzers_are_explained_part_by_part() {
    const OWN: &str = r#"{"settings": {"index.analyze.max_token_count": 3, "analysis": {"analyzer": {"own": {"tokenizer": "whitespace", "filter": ["lowercase"]}}}},
        "mappings": {"properties": {"t": {"type": "text", "analyzer": "own"}, "n": {"type": "long"}}}}"#;
    run(&[
        case("PUT /a", OWN, 200, ""),
        case(
            "GET /_analyze",
            r#"{"text": "This is troubled", "analyzer": "standard", "explain": true}"#,
            200,
            r#"{"detail": {"custom_analyzer": false, "analyzer": {"name": "standard", "tokens": [{"token": "this", "bytes": "[74 68 69 73]",
                "positionLength": 1, "termFrequency": 1}, {"token": "is"}, {"token": "troubled"}]}}}"#,
        ),
        case(
            "GET /_analyze",
            r#"{"text": "<b>foo bar buzz</b>", "tokenizer": "standard", "explain": "true", "char_filter": ["html_strip"],
                "filter": [{"type": "stop", "stopwords": ["foo", "buzz"]}], "attributes": ["keyword"]}"#,
            200,
            r#"{"detail": {"custom_analyzer": true, "charfilters": [{"name": "html_strip"}], "tokenizer": {"name": "standard",
                "tokens": [{"token": "foo"}, {"token": "bar"}, {"token": "buzz"}]},
                "tokenfilters": [{"name": "__anonymous__stop", "tokens": [{"token": "bar", "position": 1, "keyword": false}]}]}}"#,
        ),
        case(
            "GET /a/_analyze",
            r#"{"text": "A B", "field": "t", "explain": true}"#,
            200,
            r#"{"detail": {"tokenizer": {"name": "whitespace", "tokens": [{"token": "A"}, {"token": "B"}]},
                "tokenfilters": [{"name": "lowercase", "tokens": [{"token": "a"}, {"token": "b"}]}]}}"#,
        ),
        case("GET /a/_analyze", r#"{"text": "a b c"}"#, 200, ""),
        // Patterns in Lucene's syntax: what they find, or what lies between.
        case(
            "GET /_analyze",
            r#"{"text": "fd-786-335-x", "tokenizer": {"type": "simple_pattern", "pattern": "[0-9]{3}"}}"#,
            200,
            r#"{"tokens": [{"token": "786", "start_offset": 3, "position": 0}, {"token": "335", "start_offset": 7, "position": 1}]}"#,
        ),
        case(
            "GET /_analyze",
            r#"{"text": "if:this:works", "tokenizer": {"type": "simple_pattern_split", "pattern": ":"}, "filter": [{"type": "stop", "stopwords": ["if"]}]}"#,
            200,
            r#"{"tokens": [{"token": "this", "position": 1}, {"token": "works", "position": 2}]}"#,
        ),
        case(
            "GET /_analyze",
            r#"{"text": "a b", "tokenizer": "simple_pattern_split"}"#,
            200,
            r#"{"tokens": [{"token": "a b"}]}"#,
        ),
        case(
            "GET /_analyze",
            r#"{"text": "a", "tokenizer": {"type": "simple_pattern", "pattern": "["}}"#,
            400,
            r#"{"error": {"reason": "unexpected end-of-string"}}"#,
        ),
        case(
            "GET /a/_analyze",
            r#"{"text": ["a b", "c d"]}"#,
            500,
            r#"{"error": {"reason": "The number of tokens produced by calling _analyze has exceeded the allowed maximum of [3]. This limit can be set by changing the [index.analyze.max_token_count] index level setting."}}"#,
        ),
        case(
            "GET /a/_analyze",
            r#"{"text": "a", "field": "n"}"#,
            400,
            r#"{"error": {"reason": "Can't process field [n], Analysis requests are only supported on tokenized fields"}}"#,
        ),
        case(
            "GET /_analyze",
            r#"{"text": "a", "normalizer": "lowercase", "analyzer": "standard", "filter": ["lowercase"]}"#,
            400,
            r#"{"error": {"reason": "Validation Failed: 1: index is required if normalizer is specified;2: tokenizer/analyze should be null if normalizer is specified;3: cannot define extra components on a named analyzer;4: cannot define extra components on a named normalizer;"}}"#,
        ),
        case(
            "PUT /b",
            r#"{"settings": {"index.analyze.max_token_count": 0}}"#,
            400,
            r#"{"error": {"reason": "Failed to parse value [0] for setting [index.analyze.max_token_count] must be >= 1"}}"#,
        ),
    ]);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /typed",
        r#"{"mappings": {"properties": {"level": {"type": "constant_keyword"}, "title": {"type": "search_as_you_type",
            "fields": {"length": {"type": "token_count", "analyzer": "standard"}}}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /typed/_doc/1",
        r#"{"title": "quick brown fox", "level": "info"}"#,
        201,
        "",
    ),
    case("PUT /typed/_doc/2", r#"{"title": "brown bread"}"#, 201, ""),
    case(
        "PUT /typed/_doc/3",
        r#"{"title": "x", "level": "warn"}"#,
        400,
        r#"{"error": {"type": "mapper_parsing_exception"}}"#,
    ),
    case(
        "GET /typed/_mapping",
        "",
        200,
        r#"{"typed": {"mappings": {"properties": {"level": {"type": "constant_keyword", "value": "info"}}}}}"#,
    ),
    // Every document has the constant, whatever its own value.
    case(
        "GET /typed/_count",
        r#"{"query": {"term": {"level": "info"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"terms": {"level": ["a", "b"]}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"prefix": {"level": "in"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "POST /typed/_search",
        r#"{"size": 1, "query": {"exists": {"field": "level"}}, "fields": ["level"], "aggs": {"levels": {"terms": {"field": "level"}}}}"#,
        200,
        r#"{"hits": {"hits": [{"fields": {"level": ["info"]}}]}, "aggregations": {"levels": {"buckets": [{"key": "info", "doc_count": 2}]}}}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"multi_match": {"query": "brown fo", "type": "bool_prefix", "operator": "and", "fields": ["title", "title._2gram", "title._3gram"]}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"term": {"title._2gram": "brown bread"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"term": {"title._index_prefix": "quick b"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"prefix": {"title": "brown fo"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /typed/_count",
        r#"{"query": {"prefix": {"title": "brown"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    // Places that overlap are marked as one.
    case(
        "POST /typed/_search",
        r#"{"query": {"match": {"title._2gram": "quick brown fox"}}, "highlight": {"fields": {"title._2gram": {}}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "highlight": {"title._2gram": ["<em>quick brown fox</em>"]}}]}}"#,
    ),
    case(
        "POST /typed/_search",
        r#"{"query": {"range": {"title.length": {"gte": 3}}}, "sort": "title.length", "docvalue_fields": ["title.length"]}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "fields": {"title.length": [3]}, "sort": [3]}]}}"#,
    ),
    // Words that are cut, and synonyms of several words.
    case(
        "PUT /cut",
        r#"{"settings": {"analysis": {
            "filter": {"parts": {"type": "word_delimiter_graph", "catenate_all": true}, "cities": {"type": "synonym_graph", "synonyms": ["ny, new york", "la => los angeles"]}},
            "analyzer": {"parts": {"tokenizer": "whitespace", "filter": ["parts", "lowercase"]}, "cities": {"tokenizer": "standard", "filter": ["lowercase", "cities"]}}}},
            "mappings": {"properties": {"code": {"type": "text", "analyzer": "parts"}, "city": {"type": "text", "search_analyzer": "cities"}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /cut/_doc/1",
        r#"{"code": "Wi-Fi 6E", "city": "in New York City"}"#,
        201,
        "",
    ),
    case(
        "PUT /cut/_doc/2",
        r#"{"code": "bluetooth", "city": "york is new"}"#,
        201,
        "",
    ),
    case("PUT /cut/_doc/3", r#"{"city": "NY city"}"#, 201, ""),
    case(
        "GET /cut/_count",
        r#"{"query": {"match": {"code": "wifi"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"match": {"code": "fi"}}}"#,
        200,
        r#"{"count": 1}"#,
    ),
    // The two words are one phrase, unless they need not be.
    case(
        "GET /cut/_count",
        r#"{"query": {"match": {"city": "ny"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"match": {"city": {"query": "ny", "auto_generate_synonyms_phrase_query": false}}}}"#,
        200,
        r#"{"count": 3}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"query_string": {"query": "city:ny", "auto_generate_synonyms_phrase_query": false}}}"#,
        200,
        r#"{"count": 3}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"simple_query_string": {"query": "ny", "fields": ["city"], "auto_generate_synonyms_phrase_query": false}}}"#,
        200,
        r#"{"count": 3}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"match": {"city": {"query": "ny city", "operator": "and"}}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"match_phrase": {"city": "ny city"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"match_phrase": {"city": "new york city"}}}"#,
        200,
        r#"{"count": 2}"#,
    ),
    case(
        "GET /cut/_count",
        r#"{"query": {"match": {"city": "la"}}}"#,
        200,
        r#"{"count": 0}"#,
    ),
    case(
        "GET /cut/_analyze",
        r#"{"analyzer": "cities", "text": "ny"}"#,
        200,
        r#"{"tokens": [{"token": "ny", "position": 0, "positionLength": 2}, {"token": "new", "type": "SYNONYM", "position": 0}, {"token": "york", "position": 1}]}"#,
    ),
    case(
        "GET /_analyze",
        r#"{"tokenizer": "standard", "filter": ["lowercase", "fingerprint"], "text": "b A b c"}"#,
        200,
        r#"{"tokens": [{"token": "a b c", "type": "fingerprint", "position": 0}]}"#,
    ),
    case(
        "PUT /wrong",
        r#"{"settings": {"analysis": {"filter": {"f": {"type": "synonym", "synonyms_path": "a"}}, "analyzer": {"a": {"tokenizer": "standard", "filter": ["f"]}}}}}"#,
        400,
        "",
    ),
    // `rescore`.
    case("PUT /looks/_doc/1", r#"{"f": "a", "n": 1}"#, 201, ""),
    case("PUT /looks/_doc/2", r#"{"f": "a", "n": 2}"#, 201, ""),
    case("PUT /looks/_doc/3", r#"{"f": "a", "n": 3}"#, 201, ""),
    case(
        "POST /looks/_search",
        r#"{"query": {"match_all": {}}, "rescore": {"window_size": 3, "query": {"rescore_query": {"constant_score": {"filter": {"term": {"n": 2}}}}, "query_weight": 2, "rescore_query_weight": 10}}}"#,
        200,
        r#"{"hits": {"total": {"value": 3}, "max_score": 12.0, "hits": [{"_id": "2", "_score": 12.0}, {"_id": "1", "_score": 2.0}, {"_id": "3", "_score": 2.0}]}}"#,
    ),
    case(
        "POST /looks/_search",
        r#"{"from": 1, "size": 1, "query": {"match_all": {}}, "rescore": [
            {"query": {"rescore_query": {"range": {"n": {"gte": 2}}}, "score_mode": "multiply", "rescore_query_weight": 3}},
            {"window_size": 1, "query": {"rescore_query": {"match_all": {}}, "score_mode": "min", "rescore_query_weight": 0.5}}]}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1", "_score": 1.0}]}}"#,
    ),
    case(
        "POST /looks/_search",
        r#"{"sort": "n", "rescore": {"query": {"rescore_query": {"match_all": {}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "POST /looks/_search?scroll=1m",
        r#"{"rescore": {"query": {"rescore_query": {"match_all": {}}}}}"#,
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case("POST /looks/_search", r#"{"rescore": {"query": {}}}"#, 400, ""),
    case(
        "POST /looks/_search",
        r#"{"rescore": {"window_size": 10001, "query": {"rescore_query": {"match_all": {}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    // Values that are left out, whichever hits are shown; two numbers in a list are a point.
    case(
        "PUT /malformed",
        r#"{"mappings": {"properties": {"n": {"type": "long", "ignore_malformed": true}, "k": {"type": "keyword", "ignore_above": 3},
            "place": {"type": "geo_point", "ignore_malformed": true}}}}"#,
        200,
        "",
    ),
    case(
        "PUT /malformed/_doc/1",
        r#"{"n": [1, "x"], "k": "abcd", "place": [13.4, 52.5]}"#,
        201,
        "",
    ),
    case(
        "PUT /malformed/_doc/2?refresh=true",
        r#"{"n": 2, "place": ["a,b", {"lat": 1, "lon": 2}]}"#,
        201,
        "",
    ),
    case(
        "POST /malformed/_search",
        r#"{"sort": "_doc", "size": 1}"#,
        200,
        r#"{"hits": {"total": {"value": 2}, "hits": [{"_id": "1", "_ignored": ["k", "n"]}]}}"#,
    ),
    case(
        "POST /malformed/_search",
        r#"{"query": {"term": {"_ignored": "place"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "2", "_ignored": ["place"]}]}}"#,
    ),
    case(
        "POST /malformed/_search",
        r#"{"query": {"geo_distance": {"distance": "1km", "place": "52.5,13.4"}}}"#,
        200,
        r#"{"hits": {"hits": [{"_id": "1"}]}}"#,
    ),
    // The index limits how far pages may reach.
    case(
        "PUT /malformed/_settings",
        r#"{"index": {"max_result_window": 3}}"#,
        200,
        "",
    ),
    case(
        "GET /malformed/_search?from=1&size=2",
        "",
        200,
        r#"{"hits": {"total": {"value": 2}}}"#,
    ),
    case(
        "GET /malformed,looks/_search?from=2&size=2",
        "",
        400,
        r#"{"error": {"root_cause": [{"type": "illegal_argument_exception"}]}}"#,
    ),
    case(
        "PUT /wide",
        r#"{"settings": {"max_result_window": 20000}}"#,
        200,
        "",
    ),
    case(
        "GET /wide/_search?from=10000&size=10000",
        "",
        200,
        r#"{"hits": {"hits": []}}"#,
    ),
    case(
        "PUT /wide/_settings",
        r#"{"index": {"max_rescore_window": 5, "max_inner_result_window": 200}}"#,
        200,
        "",
    ),
    case(
        "GET /wide/_search",
        r#"{"rescore": {"window_size": 5, "query": {"rescore_query": {"match_all": {}}}}}"#,
        200,
        "",
    ),
    case(
        "GET /wide/_search",
        r#"{"rescore": {"window_size": 6, "query": {"rescore_query": {"match_all": {}}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Rescore window [6] is too large. It must be less than [5]. This prevents allocating massive heaps for storing the results to be rescored. This limit can be set by changing the [index.max_rescore_window] index level setting."}]}}"#,
    ),
    case(
        "GET /wide/_search",
        r#"{"query": {"nested": {"path": "n", "ignore_unmapped": true, "query": {"match_all": {}}, "inner_hits": {"name": "i", "size": 201}}}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Inner result window is too large, the inner hit definition's [i]'s from + size must be less than or equal to: [200] but was [201]. This limit can be set by changing the [index.max_inner_result_window] index level setting."}]}}"#,
    ),
    case(
        "POST /wide/_search?scroll=1m&size=20001",
        "",
        400,
        r#"{"error": {"root_cause": [{"reason": "Batch size is too large, size must be less than or equal to: [20000] but was [20001]. Scroll batch sizes cost as much memory as result windows so they are controlled by the [index.max_result_window] index level setting."}]}}"#,
    ),
    case(
        "PUT /wide/_settings",
        r#"{"index.max_docvalue_fields_search": 2, "index.max_script_fields": 1}"#,
        200,
        "",
    ),
    case(
        "POST /wide/_search",
        r#"{"docvalue_fields": ["a", "b", "c"]}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Trying to retrieve too many docvalue_fields. Must be less than or equal to: [2] but was [3]. This limit can be set by changing the [index.max_docvalue_fields_search] index level setting."}]}}"#,
    ),
    case(
        "POST /wide/_search",
        r#"{"script_fields": {"a": {"script": "1"}, "b": {"script": "2"}}}"#,
        400,
        r#"{"error": {"root_cause": [{"reason": "Trying to retrieve too many script_fields. Must be less than or equal to: [1] but was [2]. This limit can be set by changing the [index.max_script_fields] index level setting."}]}}"#,
    ),
    case(
        "POST /wide/_search",
        r#"{"docvalue_fields": ["a", "b*", "c"]}"#,
        200,
        "",
    ),
    case(
        "PUT /narrow",
        r#"{"settings": {"index.max_result_window": 0}}"#,
        400,
        r#"{"error": {"reason": "Failed to parse value [0] for setting [index.max_result_window] must be >= 1"}}"#,
    ),
    // Fields of only those indices that may match a filter.
    case("PUT /dated-1/_doc/1", r#"{"at": "2018-01-01"}"#, 201, ""),
    case(
        "PUT /dated-2/_doc/1?refresh=true",
        r#"{"at": "2020-01-01"}"#,
        201,
        "",
    ),
    case("PUT /dated-3", "", 200, ""),
    case(
        "POST /dated-*/_field_caps?fields=at",
        r#"{"index_filter": {"range": {"at": {"gte": 2019}}}}"#,
        200,
        r#"{"indices": ["dated-2"], "fields": {"at": {"date": {"searchable": true}}}}"#,
    ),
    case(
        "POST /dated-*/_field_caps?fields=at",
        r#"{"index_filter": {"bool": {"must_not": {"match_all": {}}, "filter": {"term": {"k": "x"}}}}}"#,
        200,
        r#"{"indices": ["dated-1", "dated-2", "dated-3"]}"#,
    ),
    // The objects that a field is in are told of with it.
    case(
        "PUT /caps",
        r#"{"mappings": {"properties": {"o": {"properties": {"n": {"type": "nested", "properties": {"a": {"type": "keyword"}}}}}}}}"#,
        200,
        "",
    ),
    case(
        "GET /caps/_field_caps?fields=o.n.a,_seq*",
        "",
        200,
        r#"{"fields": {"o": {"object": {"type": "object", "searchable": false}}, "o.n": {"nested": {"aggregatable": false}},
            "o.n.a": {"keyword": {"aggregatable": true}}, "_seq_no": {"_seq_no": {"aggregatable": true}}}}"#,
    ),
    case(
        "POST /dated-*/_field_caps?fields=at",
        r#"{"index_filter": {"match_none": {}}}"#,
        200,
        r#"{"indices": [], "fields": {}}"#,
    ),
];
