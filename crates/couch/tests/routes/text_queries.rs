//! Text indexes of Mango.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_text_queries_get_couchdbs_answers() {
    run(&cases().collect::<Vec<_>>());
}

pub fn cases() -> impl Iterator<Item = Case> {
    [CONTENT, INDEXES, QUERIES, PAGES, CHOICES, NOUVEAU, WRONG]
        .into_iter()
        .flatten()
        .copied()
}

const CONTENT: &[Case] = &[
    case("PUT /staff", "", 201, r#"{"ok": true}"#),
    case(
        "POST /staff/_bulk_docs",
        r#"{"docs": [
            {"_id": "1", "name": {"first": "Ada", "last": "Byron"}, "age": 36, "langs": ["Notes", "Looms"], "boss": true, "a.b": "dotted"},
            {"_id": "2", "name": {"first": "Alan", "last": "Turing"}, "age": 41, "langs": [], "boss": false, "pets": [{"kind": "cat", "age": 3}]},
            {"_id": "3", "name": {"first": "Grace", "last": "Hopper"}, "age": 85, "langs": ["COBOL"], "boss": null, "debt": -5},
            {"_id": "4", "name": "Ada Lovelace's cat", "age": "old"}
        ]}"#,
        201,
        "",
    ),
];

const INDEXES: &[Case] = &[
    case(
        "POST /staff/_index",
        r#"{"index": {}, "type": "text", "ddoc": "t", "name": "all"}"#,
        200,
        r#"{"result": "created", "id": "_design/t", "name": "all"}"#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": {}, "type": "text", "ddoc": "t", "name": "all"}"#,
        200,
        r#"{"result": "exists"}"#,
    ),
    case(
        "PUT /_node/_local/_config/mango/index_all_disabled",
        r#""true""#,
        200,
        r#""""#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": {}, "type": "text", "ddoc": "t", "name": "more"}"#,
        403,
        r#"{"error": "index_all_disabled", "reason": "New text indexes are forbidden to index all fields."}"#,
    ),
    case(
        "DELETE /_node/_local/_config/mango/index_all_disabled",
        "",
        200,
        r#""true""#,
    ),
    case(
        "GET /staff/_design/t",
        "",
        200,
        r#"{"language": "query", "indexes": {"all": {
            "index": {"default_analyzer": "keyword", "default_field": {}, "partial_filter_selector": {}, "selector": {}, "fields": "all_fields", "index_array_lengths": true},
            "analyzer": {"name": "perfield", "default": "keyword", "fields": {"$default": "standard"}}}}}"#,
    ),
    case(
        "GET /staff/_index",
        "",
        200,
        r#"{"total_rows": 2, "indexes": [{"type": "special"}, {"ddoc": "_design/t", "name": "all", "type": "text", "partitioned": false,
            "def": {"default_analyzer": "keyword", "default_field": {}, "selector": {}, "fields": [], "index_array_lengths": true}}]}"#,
    ),
];

const QUERIES: &[Case] = &[
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "ada"}, "sort": ["_id:string"], "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "1"}, {"_id": "4"}], "bookmark": "*"}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$or": [{"$text": "byron"}, {"age": {"$gte": 85}}]}, "sort": ["age:number"], "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "1"}, {"_id": "3"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "ada", "name.last": "Byron", "age": {"$lt": 40}, "boss": true}, "fields": ["name.first"], "execution_stats": true}"#,
        200,
        r#"{"docs": [{"name": {"first": "Ada"}}], "execution_stats": {"total_docs_examined": 1, "results_returned": 1}}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"langs": ["Notes", "Looms"], "langs.1": "Looms", "a\\.b": "dotted"}, "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "1"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$or": [{"langs": {"$size": 0}}, {"debt": -5}, {"debt": {"$lt": -9}}]}, "sort": ["_id:string"], "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "2"}, {"_id": "3"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"pets": {"$elemMatch": {"kind": "cat", "age": {"$in": [1, 3]}}}}, "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "2"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"name.first": {"$beginsWith": "A"}, "langs": {"$ne": []}, "boss": {"$exists": true}}, "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "1"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"name.last": {"$regex": "^T"}, "pets": {"$exists": true}, "debt": {"$exists": false}}, "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "2"}]}"#,
    ),
];

const PAGES: &[Case] = &[
    case(
        "POST /staff/_find",
        r#"{"selector": {"name": {"$exists": true}}, "sort": [{"_id:string": "desc"}], "skip": 1, "limit": 2, "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "3"}, {"_id": "2"}]}"#,
    ),
    // After the hit with the sort values ["3", "3"].
    case(
        "POST /staff/_find",
        r#"{"selector": {"name": {"$exists": true}}, "sort": [{"_id:string": "desc"}], "bookmark": "WyIzIiwiMyJd", "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "2"}, {"_id": "1"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"name": {"$exists": true}}, "bookmark": "!", "sort": ["_id:string"]}"#,
        400,
        r#"{"error": "invalid_bookmark", "reason": "Invalid bookmark value: \"!\""}"#,
    ),
];

const CHOICES: &[Case] = &[
    case(
        "POST /staff/_explain",
        r#"{"selector": {"$text": "Ada b", "age": {"$gt": 3}}, "sort": [{"age": "desc"}]}"#,
        200,
        r#"{"index": {"type": "text", "name": "all"}, "selector": {"$and": [{"$default": {"$text": "Ada b"}}, {"age": {"$gt": 3}}]},
            "query": "(($default:\"Ada\\ b\") AND (age_3anumber:{3 TO *]))", "partition": null, "sort": ["-age_3anumber<number>"],
            "selector_hints": [{"type": "json"}, {"type": "text", "indexable_fields": ["$default", "age"], "unindexable_fields": []}]}"#,
    ),
    case(
        "POST /staff/_explain",
        r#"{"selector": {}}"#,
        200,
        r#"{"index": {"type": "special"}, "index_candidates": [{"index": {"type": "text"}, "analysis": {"usable": false, "reasons": [{"name": "empty_selector"}], "ranking": 1, "covering": null}}]}"#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": {"fields": [{"name": "age", "type": "number"}], "default_field": false, "partial_filter_selector": {"age": {"$gt": 40}}}, "type": "text", "ddoc": "p", "name": "ages"}"#,
        200,
        r#"{"result": "created"}"#,
    ),
    // A partial index answers only queries that name it; a named index that does not fit is skipped with a warning.
    case(
        "POST /staff/_find",
        r#"{"selector": {"age": {"$gt": 0}}, "use_index": "p", "sort": ["age"], "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "2"}, {"_id": "3"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "ada"}, "use_index": "p", "sort": ["_id:string"], "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "1"}, {"_id": "4"}], "warning": "_design/p was not used because it does not contain a valid index for this query."}"#,
    ),
    case(
        "DELETE /staff/_index/p/json/ages",
        "",
        404,
        r#"{"error": "not_found"}"#,
    ),
    case("DELETE /staff/_index/p/text/ages", "", 200, r#"{"ok": true}"#),
    case("GET /staff/_design/p", "", 404, r#"{"reason": "deleted"}"#),
    case(
        "POST /staff/_index",
        r#"{"index": {"default_analyzer": "english"}, "type": "text", "ddoc": "u", "name": "all"}"#,
        200,
        r#"{"result": "created"}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "ada"}}"#,
        400,
        r#"{"error": "multiple_text_indexes", "reason": "You must specify an index with the `use_index` parameter."}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"name.last": "Hoppers"}, "use_index": ["u", "all"], "fields": ["_id"]}"#,
        200,
        r#"{"docs": []}"#,
    ),
    case(
        "POST /staff/_index/_bulk_delete",
        r#"{"docids": ["u", "t"]}"#,
        200,
        r#"{"success": [{"id": "_design/t"}, {"id": "_design/u"}], "fail": []}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "ada"}}"#,
        400,
        r#"{"error": "no_usable_index"}"#,
    ),
];

const NOUVEAU: &[Case] = &[
    case(
        "POST /staff/_index",
        r#"{"index": {"fields": [{"name": "age", "type": "number"}, {"name": "name.last", "type": "string"}]}, "type": "nouveau", "ddoc": "n", "name": "some"}"#,
        200,
        r#"{"result": "created", "id": "_design/n", "name": "some"}"#,
    ),
    case(
        "GET /staff/_design/n",
        "",
        200,
        r#"{"language": "query", "nouveau": {"some": {
            "index": {"default_analyzer": "keyword", "default_field": {}, "partial_filter_selector": {}, "selector": {},
                "fields": [{"name": "age", "type": "number"}, {"name": "name.last", "type": "string"}], "index_array_lengths": true},
            "analyzer": {"name": "perfield", "default": "keyword", "fields": {"$default": "standard"}}}}}"#,
    ),
    case(
        "GET /staff/_index",
        "",
        200,
        r#"{"total_rows": 2, "indexes": [{"type": "special"}, {"ddoc": "_design/n", "name": "some", "type": "nouveau",
            "def": {"fields": [{"age": "number"}, {"name.last": "string"}]}}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"age": {"$gt": 36}}, "sort": [{"age:number": "desc"}], "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "3"}, {"_id": "2"}]}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "the turing"}, "fields": ["_id"]}"#,
        200,
        r#"{"docs": []}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "turing"}, "fields": ["_id"]}"#,
        200,
        r#"{"docs": [{"_id": "2"}]}"#,
    ),
    case(
        "POST /staff/_explain",
        r#"{"selector": {"name.last": "Byron"}, "sort": [{"age:number": "desc"}]}"#,
        200,
        r#"{"index": {"type": "nouveau"}, "query": "(name.last_3astring:\"Byron\")", "partition": null, "sort": ["-age_3anumber"]}"#,
    ),
    case(
        "POST /staff/_explain",
        r#"{"selector": {"name.last": "Byron"}}"#,
        200,
        r#"{"index": {"type": "nouveau"}, "sort": null}"#,
    ),
    // An index of the type `text` is preferred, as in CouchDB with both services.
    case(
        "POST /staff/_index",
        r#"{"index": {}, "type": "text", "ddoc": "n", "name": "all"}"#,
        200,
        r#"{"result": "created"}"#,
    ),
    case(
        "POST /staff/_explain",
        r#"{"selector": {"$text": "turing"}}"#,
        200,
        r#"{"index": {"type": "text"}, "index_candidates": [
            {"index": {"type": "nouveau"}, "analysis": {"usable": true, "reasons": [{"name": "unfavored_type"}], "covering": null}}, {"index": {"type": "special"}}]}"#,
    ),
    case("DELETE /staff/_index/n/text/all", "", 200, r#"{"ok": true}"#),
    case(
        "POST /staff/_index",
        r#"{"index": {}, "type": "nouveau", "ddoc": "n", "name": "all"}"#,
        200,
        r#"{"result": "created"}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": "turing"}}"#,
        400,
        r#"{"error": "multiple_nouveau_indexes"}"#,
    ),
    case("DELETE /staff/_index/n/nouveau/all", "", 200, r#"{"ok": true}"#),
    case("DELETE /staff/_index/n/nouveau/some", "", 200, r#"{"ok": true}"#),
    case("GET /staff/_design/n", "", 404, r#"{"reason": "deleted"}"#),
];

const WRONG: &[Case] = &[
    case(
        "POST /staff/_index",
        r#"{"index": {"fields": [{"name": "age", "type": "date"}]}, "type": "text"}"#,
        400,
        r#"{"error": "invalid_index_fields_definition"}"#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": {"colour": 1}, "type": "text"}"#,
        400,
        r#"{"error": "invalid_key"}"#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": [], "type": "text"}"#,
        400,
        r#"{"error": "invalid_index", "reason": "Text indexes must be an object, not: []"}"#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": {"fields": [{"name": "age", "type": "date"}]}, "type": "nouveau"}"#,
        400,
        r#"{"error": "invalid_index_fields_definition"}"#,
    ),
    case(
        "POST /staff/_index",
        r#"{"index": {}, "type": "words"}"#,
        400,
        r#"{"error": "invalid_index", "reason": "Invalid type for index: words"}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"name": {"$text": "ada"}}}"#,
        400,
        r#"{"error": "bad_field"}"#,
    ),
    case(
        "POST /staff/_find",
        r#"{"selector": {"$text": ["ada"]}}"#,
        400,
        r#"{"error": "bad_arg"}"#,
    ),
];
