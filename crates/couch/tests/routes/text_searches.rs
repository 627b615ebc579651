//! Full-text indexes of design documents.

use crate::nouveau_searches;
use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_text_searches_get_couchdbs_answers() {
    run(&cases().collect::<Vec<_>>());
}

pub fn cases() -> impl Iterator<Item = Case> {
    [
        CONTENT,
        nouveau_searches::CASES,
        SEARCH,
        CHANGES,
        PARTITIONS,
        ANALYZERS,
        WRONG,
    ]
    .into_iter()
    .flatten()
    .copied()
}

const SEARCH_INDEX: &str = r#"{
    "indexes": {
        "fruits": {
            "analyzer": {"name": "perfield", "default": "keyword", "fields": {"default": "standard"}},
            "index": "function (doc) { if (!doc.item) return; index('default', doc.item + ' in the ' + doc.place); index('item', doc.item, {facet: true, store: true}); index('place', doc.place, {facet: true}); index('price', doc.price, {facet: true, store: 'yes'}); index('new', doc.state === 'new'); };"
        },
        "boosted": {"index": "function (doc) { index('item', String(doc.item), {boost: 2}); }"}
    }
}"#;

const CONTENT: &[Case] = &[
    case("PUT /texts", "", 201, r#"{"ok": true}"#),
    case(
        "POST /texts/_bulk_docs",
        r#"{"docs": [
            {"_id": "doc4", "foo": "foo", "bar": 42, "baz": "hello hello there"},
            {"_id": "doc3", "foo": "bar", "bar": 12.5, "baz": "hello"},
            {"_id": "doc1", "foo": "baz", "bar": 0, "baz": "there", "deep": 7},
            {"_id": "doc2", "foo": "Foobar", "bar": 100, "baz": "hi"}
        ]}"#,
        201,
        "",
    ),
    case(
        "PUT /texts/_design/n",
        nouveau_searches::INDEX,
        201,
        r#"{"ok": true}"#,
    ),
    case("PUT /shop", "", 201, r#"{"ok": true}"#),
    case(
        "POST /shop/_bulk_docs",
        r#"{"docs": [
            {"_id": "1", "item": "apple", "place": "kitchen", "state": "new", "price": 0.99},
            {"_id": "2", "item": "banana", "place": "kitchen", "state": "new", "price": 1.49},
            {"_id": "3", "item": "carrot", "place": "kitchen", "state": "old", "price": 0.75},
            {"_id": "4", "item": "date", "place": "lobby", "state": "unknown", "price": 1.25}
        ]}"#,
        201,
        "",
    ),
    case("PUT /shop/_design/s", SEARCH_INDEX, 201, r#"{"ok": true}"#),
];

const SEARCH: &[Case] = &[
    case(
        "GET /shop/_design/s/_search/fruits?q=*:*&include_docs=true&sort=%22-price%3Cnumber%3E%22&limit=2",
        "",
        200,
        r#"{"total_rows": 4, "bookmark": "*", "rows": [
            {"id": "2", "order": [1.49, 1], "fields": {"item": "banana", "price": 1.49}, "doc": {"_id": "2"}}, {"id": "4"}]}"#,
    ),
    case(
        "GET /shop/_design/s/_search/fruits?query=kitchen&include_fields=%5B%22item%22%5D&sort=%22item%3Cstring%3E%22",
        "",
        200,
        r#"{"total_rows": 3, "rows": [{"id": "1", "fields": {"item": "apple"}}, {"id": "2"}, {"id": "3"}]}"#,
    ),
    // Clouseau's standard analyzer leaves words out.
    case(
        "POST /shop/_design/s/_search/fruits",
        r#"{"q": "the"}"#,
        200,
        r#"{"total_rows": 0, "rows": []}"#,
    ),
    case(
        "POST /shop/_design/s/_search/fruits",
        r#"{"q": "new:true AND price:[1 TO 2]"}"#,
        200,
        r#"{"rows": [{"id": "2"}]}"#,
    ),
    case(
        "POST /shop/_design/s/_search/fruits",
        r#"{"q": "*:*", "counts": ["place"], "ranges": {"price": {"cheap": "[0 TO 1]", "dear": "{1 TO 2]"}}, "limit": 0}"#,
        200,
        r#"{"total_rows": 4, "rows": [], "counts": {"place": {"kitchen": 3, "lobby": 1}}, "ranges": {"price": {"cheap": 2, "dear": 2}}}"#,
    ),
    case(
        "POST /shop/_design/s/_search/fruits",
        r#"{"q": "*:*", "ranges": {"price": {"dear": "[1 TO Infinity]"}, "item": {}}, "limit": 0}"#,
        200,
        r#"{"ranges": {"price": {"dear": 2}, "item": {}}}"#,
    ),
    case(
        "GET /shop/_design/s/_search/fruits?q=*:*&drilldown=%5B%22item%22,%22apple%22,%22date%22%5D&drilldown=%5B%22place%22,%22lobby%22%5D",
        "",
        200,
        r#"{"rows": [{"id": "4"}]}"#,
    ),
    case(
        "POST /shop/_design/s/_search/fruits",
        r#"{"q": "*:*", "drilldown": [["place", "kitchen"], ["item", "apple"]]}"#,
        200,
        r#"{"rows": [{"id": "1"}]}"#,
    ),
    case(
        "GET /shop/_design/s/_search_info/fruits",
        "",
        200,
        r#"{"name": "_design/s/fruits", "search_index": {"doc_count": 4, "doc_del_count": 0, "pending_seq": "*", "committed_seq": "*", "disk_size": "*"}}"#,
    ),
    case(
        "GET /shop/_design/s/_search/fruits?q=*:*&stale=yes",
        "",
        400,
        r#"{"reason": "stale only available as stale=ok"}"#,
    ),
    case(
        "GET /shop/_design/s/_search/fruits?q=*:*&limit=201",
        "",
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "GET /shop/_design/s/_search/boosted?q=*:*",
        "",
        500,
        r#"{"error": "not_implemented"}"#,
    ),
    case(
        "GET /shop/_design/s/_search_disk_size/fruits",
        "",
        200,
        r#"{"name": "_design/s/fruits", "search_index": {"disk_size": "*"}}"#,
    ),
    case(
        "GET /shop/_design/s/_search_disk_size/none",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    // The request need not declare that its body is JSON.
    case(
        "POST /shop/_design/s/_search/fruits
         Content-Type: text/plain",
        r#"{"q": "kitchen"}"#,
        200,
        r#"{"total_rows": 3}"#,
    ),
    case("HEAD /shop/_design/s/_search/fruits?q=kitchen", "", 200, ""),
    case(
        "PUT /_node/_local/_config/dreyfus/max_limit",
        r#""201""#,
        200,
        r#""""#,
    ),
    case("PUT /_node/_local/_config/dreyfus/limit", r#""1""#, 200, r#""""#),
    case(
        "GET /shop/_design/s/_search/fruits?q=*:*&limit=201",
        "",
        200,
        r#"{"total_rows": 4}"#,
    ),
    case(
        "GET /shop/_design/s/_search/fruits?q=*:*&sort=%22item%3Cstring%3E%22",
        "",
        200,
        r#"{"total_rows": 4, "rows": [{"id": "1"}]}"#,
    ),
    case("DELETE /_node/_local/_config/dreyfus/limit", "", 200, r#""1""#),
    case(
        "DELETE /_node/_local/_config/dreyfus/max_limit",
        "",
        200,
        r#""201""#,
    ),
    case(
        "GET /shop/_design/s/_search_info/none",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case(
        "PUT /shop/_design/s/_search/fruits",
        "",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
];

const CHANGES: &[Case] = &[
    case(
        "POST /texts/_bulk_docs",
        r#"{"new_edits": false, "docs": [{"_id": "doc5", "_rev": "1-a", "foo": "late", "bar": 5}]}"#,
        201,
        "",
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "foo:late"}"#,
        200,
        r#"{"hits": [{"id": "doc5"}]}"#,
    ),
    case(
        "POST /texts/_bulk_docs",
        r#"{"new_edits": false, "docs": [{"_id": "doc5", "_rev": "2-b", "_deleted": true, "_revisions": {"start": 2, "ids": ["b", "a"]}}]}"#,
        201,
        "",
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "bar:5"}"#,
        200,
        r#"{"total_hits": 0}"#,
    ),
    case("POST /texts/_nouveau_cleanup", "{}", 202, r#"{"ok": true}"#),
    case("POST /shop/_search_cleanup", "{}", 202, r#"{"ok": true}"#),
    case("POST /shop/_search_cleanup", "", 202, r#"{"ok": true}"#),
    case(
        "GET /shop/_search_cleanup",
        "",
        405,
        r#"{"reason": "Only POST allowed"}"#,
    ),
    // Indexes that a design document still defines stay.
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "*:*", "update": false}"#,
        200,
        r#"{"total_hits": 4}"#,
    ),
    case(
        "POST /none/_nouveau_cleanup",
        "{}",
        404,
        r#"{"error": "not_found"}"#,
    ),
];

const PARTITIONS: &[Case] = &[
    case("PUT /split?partitioned=true", "", 201, r#"{"ok": true}"#),
    case(
        "POST /split/_bulk_docs",
        r#"{"docs": [{"_id": "foo:1", "n": 1}, {"_id": "bar:1", "n": 2}]}"#,
        201,
        "",
    ),
    case(
        "PUT /split/_design/p",
        r#"{"nouveau": {"n": {"index": "function (doc) { index('double', 'n', doc.n); }"}},
            "indexes": {"n": {"index": "function (doc) { index('n', doc.n, {facet: true}); }"}}}"#,
        201,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /split/_partition/foo/_design/p/_nouveau/n?q=*:*",
        "",
        200,
        r#"{"total_hits": 1, "hits": [{"id": "foo:1"}]}"#,
    ),
    case(
        "GET /split/_partition/bar/_design/p/_search/n?q=n:2",
        "",
        200,
        r#"{"total_rows": 1, "rows": [{"id": "bar:1"}]}"#,
    ),
    case(
        "GET /split/_design/p/_nouveau/n?q=*:*",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "GET /split/_partition/foo/_design/p/_search/n?q=*:*&counts=%5B%22n%22%5D",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "POST /split/_partition/foo/_design/p/_search/n",
        r#"{"q": "*:*", "partition": "bar"}"#,
        400,
        r#"{"reason": "Multiple conflicting values for `partition` provided"}"#,
    ),
    case(
        "POST /split/_partition/foo/_design/p/_search/n",
        r#"{"q": "n:[-Infinity TO 1]", "partition": "foo"}"#,
        200,
        r#"{"total_rows": 1}"#,
    ),
    case(
        "GET /split/_partition/foo/_design/p/_nouveau/n",
        "",
        400,
        r#"{"error": "query_parse_error"}"#,
    ),
    case(
        "GET /texts/_design/n/_nouveau/things?q=*:*&partition=x",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
];

const ANALYZERS: &[Case] = &[
    case(
        "POST /_nouveau_analyze",
        r#"{"analyzer": "standard", "text": "Hello there"}"#,
        200,
        r#"{"tokens": ["hello", "there"]}"#,
    ),
    case(
        "POST /_nouveau_analyze",
        r#"{"analyzer": "klingon", "text": "x"}"#,
        400,
        r#"{"reason": "`klingon` is not a known analyzer here"}"#,
    ),
    case(
        "GET /_nouveau_analyze",
        "",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "GET /_search_analyze?analyzer=standard&text=the%20fox",
        "",
        200,
        r#"{"tokens": ["fox"]}"#,
    ),
    case(
        "POST /_search_analyze",
        r#"{"analyzer": "keyword", "text": "the fox"}"#,
        200,
        r#"{"tokens": ["the fox"]}"#,
    ),
    case(
        "POST /_search_analyze",
        r#"{"text": "the fox"}"#,
        400,
        r#"{"reason": "analyzer parameter is mandatory"}"#,
    ),
];

const WRONG: &[Case] = &[
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{}"#,
        400,
        r#"{"error": "query_parse_error", "reason": "q parameter is mandatory"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "a:(b"}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "a", "limit": 0}"#,
        400,
        r#"{"reason": "limit parameter must be greater than zero"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "a", "bookmark": "!"}"#,
        400,
        r#"{"reason": "invalid bookmark"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/things",
        r#"{"q": "a", "locale": "de"}"#,
        501,
        r#"{"error": "not_implemented"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/torn",
        r#"{"q": "a"}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/klingon",
        r#"{"q": "a"}"#,
        400,
        r#"{"error": "bad_request"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/none",
        r#"{"q": "a"}"#,
        400,
        r#"{"error": "invalid_design_doc"}"#,
    ),
    case(
        "POST /texts/_design/n/_nouveau/missing",
        r#"{"q": "a"}"#,
        404,
        r#"{"reason": "missing not found."}"#,
    ),
    case(
        "GET /texts/_design/n/_nouveau_info/missing",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
];
