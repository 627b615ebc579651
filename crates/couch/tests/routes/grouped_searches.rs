//! `_search` with groups, highlights and distances.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn requests_for_grouped_searches_get_couchdbs_answers() {
    run(&cases().collect::<Vec<_>>());
}

pub fn cases() -> impl Iterator<Item = Case> {
    [CONTENT, GROUPS, HIGHLIGHTS, DISTANCES]
        .into_iter()
        .flatten()
        .copied()
}

const INDEXES: &str = r#"{
    "indexes": {
        "plants": {
            "analyzer": {"name": "perfield", "default": "keyword", "fields": {"text": "standard", "default": "standard"}},
            "index": "function (doc) { index('kind', doc.kind || '', {store: true}); if (doc.bed) index('bed', doc.bed); index('price', doc.price, {facet: true}); index('text', doc.text, {store: true}); index('default', doc.text); index('lon', doc.at[0]); index('lat', doc.at[1]); }"
        }
    }
}"#;

const CONTENT: &[Case] = &[
    case("PUT /garden", "", 201, r#"{"ok": true}"#),
    case(
        "POST /garden/_bulk_docs",
        r#"{"docs": [
            {"_id": "1", "kind": "herb", "bed": "north", "price": 3, "text": "Thyme likes the sun. It is small.", "at": [0, 0]},
            {"_id": "2", "kind": "herb", "bed": "south", "price": 1, "text": "Sage likes sun and stones", "at": [1, 0]},
            {"_id": "3", "kind": "tree", "bed": "north", "price": 90, "text": "A pear needs a wall and sun, much sun", "at": [0, 2]},
            {"_id": "4", "kind": "tree", "price": 70, "text": "A quince", "at": [3, 0]}
        ]}"#,
        201,
        "",
    ),
    case("PUT /garden/_design/g", INDEXES, 201, r#"{"ok": true}"#),
];

const GROUPS: &[Case] = &[
    case(
        "GET /garden/_design/g/_search/plants?q=*:*&group_field=kind&group_sort=%22-price%22&sort=%22price%22",
        "",
        200,
        r#"{"total_rows": 4, "groups": [
            {"by": "tree", "total_rows": 2, "rows": [{"id": "4", "order": [70.0, 3]}, {"id": "3"}]},
            {"by": "herb", "total_rows": 2, "rows": [{"id": "2", "fields": {"kind": "herb"}}, {"id": "1"}]}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "*:*", "group_field": "bed<string>", "group_sort": "price<number>", "group_limit": 2, "limit": 1, "include_docs": true, "sort": ["-price"]}"#,
        200,
        r#"{"total_rows": 4, "groups": [
            {"by": "south", "total_rows": 1, "rows": [{"id": "2", "doc": {"_id": "2"}}]},
            {"by": "north", "total_rows": 2, "rows": [{"id": "3", "doc": {"_id": "3"}}]}]}"#,
    ),
    // Documents without a value are a group too. The older parameter name gives the older form of answer.
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "price:[70 TO *]", "group_by": "bed", "group_sort": "price", "drilldown": ["price", "70"]}"#,
        200,
        r#"{"total_hits": 1, "total_grouped_hits": 1, "groups": [{"by": null, "total_hits": 1, "hits": [{"id": "4"}]}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "rose", "group_field": "kind"}"#,
        200,
        r#"{"total_rows": 0, "groups": []}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "sun", "group_field": "price<number>"}"#,
        400,
        r#"{"error": "bad_request", "reason": "Group by number not supported. Group by string terms only."}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "sun", "group_field": "kind<colour>"}"#,
        400,
        r#"{"reason": "Unrecognized group_field value: kind<colour>"}"#,
    ),
    case(
        "GET /garden/_design/g/_search/plants?q=sun&group_field=kind&group_limit=0",
        "",
        400,
        r#"{"error": "query_parse_error", "reason": "group_limit must be greater than zero"}"#,
    ),
    case(
        "GET /garden/_design/g/_search/plants?q=sun&group_field=kind&group_limit=201",
        "",
        400,
        r#"{"reason": "Value for group_limit is too large, must not exceed 200"}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "sun", "sort": "price<colour>"}"#,
        400,
        r#"{"reason": "Unrecognized type: colour"}"#,
    ),
];

const HIGHLIGHTS: &[Case] = &[
    case(
        "GET /garden/_design/g/_search/plants?q=thyme&highlight_fields=%5B%22text%22,%22kind%22%5D",
        "",
        200,
        r#"{"rows": [{"id": "1", "highlights": {"text": ["<em>Thyme</em> likes the sun. It is small."], "kind": []}}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "text:pear AND text:sun", "highlight_fields": ["text"], "highlight_pre_tag": "**", "highlight_post_tag": "__", "highlight_number": 2, "highlight_size": 15}"#,
        200,
        r#"{"rows": [{"id": "3", "highlights": {"text": "*"}}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "sage", "group_field": "kind", "highlight_fields": ["text"]}"#,
        200,
        r#"{"groups": [{"by": "herb", "rows": [{"id": "2", "highlights": {"text": ["<em>Sage</em> likes sun and stones"]}}]}]}"#,
    ),
    case(
        "GET /garden/_design/g/_search/plants?q=sun&highlight_fields=%5B%22text%22%5D&highlight_number=0",
        "",
        400,
        r#"{"error": "query_parse_error", "reason": "highlight_number must be greater than zero"}"#,
    ),
    case(
        "GET /garden/_design/g/_search/plants?q=sun&highlight_fields=text",
        "",
        400,
        r#"{"error": "bad_request"}"#,
    ),
];

const DISTANCES: &[Case] = &[
    case(
        "GET /garden/_design/g/_search/plants?q=*:*&sort=%22%3Cdistance,lon,lat,0,0,km%3E%22&limit=3",
        "",
        200,
        r#"{"rows": [{"id": "1", "order": [0.0, 0]}, {"id": "2", "order": [111.31949079327356, 1]}, {"id": "3"}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "*:*", "sort": ["-<distance,lon,lat,3,0,mi>"], "limit": 1}"#,
        200,
        r#"{"rows": [{"id": "3"}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "*:*", "sort": "-<doc>", "limit": 2}"#,
        200,
        r#"{"rows": [{"id": "4", "order": [3, 3]}, {"id": "3"}]}"#,
    ),
    case(
        "POST /garden/_design/g/_search/plants",
        r#"{"q": "*:*", "sort": "<distance,lon,lat,0,0,ells>"}"#,
        400,
        r#"{"reason": "Unrecognized sort parameter: <distance,lon,lat,0,0,ells>"}"#,
    ),
];
