//! Nouveau's searches, on the database that the tests of `_search` use.

use testing::http::{Case, case};

/// A design document of that database.
pub const INDEX: &str = r#"{
    "nouveau": {
        "things": {
            "default_analyzer": "standard",
            "index": "function (doc) { index('string', 'foo', doc.foo, {store: true}); index('double', 'bar', doc.bar, {store: true}); index('stored', 'baz', doc.foo); if (doc.baz) { index('text', 'txt', doc.baz); index('text', 'default', doc.baz); } if (doc.deep) { index('double', 'deep.er', doc.deep); index('string', 'kind', 'deep'); } }"
        },
        "whole": {"default_analyzer": "keyword", "field_analyzers": {"cut": "english"}, "index": "function (doc) { index('string', 'foo', doc.foo); index('text', 'cut', doc.baz || ''); }"},
        "above": {"index": "function (doc) { index('string', 'a', doc.foo); index('double', 'a.b', 1); }"},
        "torn": {"index": "function (doc) { index('string', 'a', doc.foo); index('double', 'a', 1); }"},
        "thrown": {"index": "function (doc) { throw new Error('no'); }"},
        "klingon": {"default_analyzer": "klingon", "index": "function (doc) { index('string', 'foo', doc.foo); }"},
        "none": {}
    }
}"#;

pub const CASES: &[Case] = &[
    case(
        "GET /texts/_design/n/_nouveau/things?q=*:*&update=false",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "GET /texts/_design/n/_nouveau/things?q=*:*&include_docs=true",
        "",
        200,
        r#"{"total_hits": 4, "total_hits_relation": "EQUAL_TO", "bookmark": "*", "counts": null, "ranges": null, "update_latency": "*", "hits": [
            {"id": "doc1", "doc": {"_id": "doc1", "_rev": "*", "foo": "baz"}, "fields": {"foo": "baz", "bar": 0, "baz": "baz"}},
            {"id": "doc2"}, {"id": "doc3"}, {"id": "doc4"}]}"#,
    ),
    case(
        "GET /texts/_design/n/_nouveau/things?q=txt:hello",
        "",
        200,
        r#"{"hits": [{"id": "doc3", "order": [{"@type": "float", "value": "*"}, {"@type": "string", "value": "doc3"}]}, {"id": "doc4"}]}"#,
    ),
    case(
        "GET /texts/_design/n/_nouveau/things?q=hello&sort=%22%3Cscore%3E%22",
        "",
        200,
        r#"{"hits": [{"id": "doc4"}, {"id": "doc3"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "foo:bar"}"#,
        200,
        r#"{"total_hits": 1, "hits": [{"id": "doc3", "fields": {"foo": "bar", "bar": 12.5, "baz": "bar"}}]}"#,
    ),
    // The analyzer cuts the words of the query, but not a string.
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "foo:Foobar"}"#,
        200,
        r#"{"total_hits": 0, "hits": []}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/whole",
        r#"{"q": "foo:Foobar OR cut:greeting"}"#,
        200,
        r#"{"total_hits": 1, "hits": [{"id": "doc2"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "txt:(hello AND -there) OR bar:[50 TO *]"}"#,
        200,
        r#"{"total_hits": 2}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "bar:{0 TO 42}"}"#,
        200,
        r#"{"hits": [{"id": "doc3"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "deep.er:7"}"#,
        200,
        r#"{"hits": [{"id": "doc1"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "txt:hel* AND txt:\"hello there\""}"#,
        200,
        r#"{"hits": [{"id": "doc4"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "sort": "-bar", "limit": 2}"#,
        200,
        r#"{"total_hits": 4, "hits": [{"id": "doc2", "order": [{"@type": "double", "value": 100.0}, {"@type": "string", "value": "doc2"}]}, {"id": "doc4"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "sort": ["foo"]}"#,
        200,
        r#"{"hits": [{"id": "doc2"}, {"id": "doc3"}, {"id": "doc1"}, {"id": "doc4"}]}"#,
    ),
    // A document without a number is sorted as 0, one without a text before all that have one.
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "sort": ["deep.er"]}"#,
        200,
        r#"{"hits": [{"id": "doc2"}, {"id": "doc3"}, {"id": "doc4"}, {"id": "doc1"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "sort": ["kind"]}"#,
        200,
        r#"{"hits": [{"id": "doc2"}, {"id": "doc3"}, {"id": "doc4"}, {"id": "doc1"}]}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "sort": ["-kind"], "limit": 1}"#,
        200,
        r#"{"hits": [{"id": "doc1"}]}"#,
    ),
    // After the hit with the sort values [100.0,"doc2"].
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "sort": "-bar", "limit": 2, "bookmark": "WzEwMC4wLCJkb2MyIl0"}"#,
        200,
        r#"{"hits": [{"id": "doc4"}, {"id": "doc3"}]}"#,
    ),
    case(
        "GET /texts/_design/n/_nouveau_info/things",
        "",
        200,
        r#"{"name": "_design/n/things", "search_index": {"num_docs": 4, "update_seq": "*", "purge_seq": 0, "disk_size": "*", "signature": "*"}}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/thrown",
        r#"{"q": "*:*"}"#,
        200,
        r#"{"total_hits": 0, "hits": []}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "limit": 1, "counts": ["foo"], "top_n": 3}"#,
        200,
        r#"{"counts": {"foo": {"Foobar": 1, "bar": 1, "baz": 1}}}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "ranges": {"bar": [{"label": "cheap", "min": 0, "max": 42}, {"label": "dear", "min": 42, "min_inclusive": false}]}}"#,
        200,
        r#"{"ranges": {"bar": {"cheap": 3, "dear": 1}}}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "top_n": 1, "ranges": {"bar": [{"label": "dear", "min": 42, "min_inclusive": false}, {"label": "cheap", "max": 42}]}}"#,
        200,
        r#"{"ranges": {"bar": {"cheap": 3}}}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "counts": ["txt"]}"#,
        400,
        r#"{"error": "bad_request", "reason": "The txt does not exist."}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "counts": "foo"}"#,
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "ranges": {"bar": [1]}}"#,
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
];
