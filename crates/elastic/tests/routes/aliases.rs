//! Aliases of indices.

use super::server::{run, run_restarted};
use testing::http::{Case, case};

#[test]
fn requests_for_aliases_get_elasticsearchs_answers() {
    run(CASES);
}

#[test]
fn aliases_are_there_after_a_restart() {
    run_restarted(
        &[
            case(
                "PUT /a",
                r#"{"aliases": {"one": {"filter": {"term": {"k": 1}}}}}"#,
                200,
                "",
            ),
            case("PUT /a/_alias/two", "", 200, ""),
            case("PUT /a/_doc/1", r#"{"k": 1}"#, 201, ""),
            case("PUT /a/_doc/2", r#"{"k": 2}"#, 201, ""),
            case("POST /a/_close", "", 200, ""),
        ],
        &[
            case(
                "GET /a/_alias",
                "",
                200,
                r#"{"a": {"aliases": {"one": {"filter": {"term": {"k": 1}}}, "two": {}}}}"#,
            ),
            case(
                "GET /one/_count",
                "",
                400,
                r#"{"error": {"type": "index_closed_exception"}}"#,
            ),
            case("POST /a/_open", "", 200, ""),
            case("GET /one/_count", "", 200, r#"{"count": 1}"#),
            case("GET /two/_count", "", 200, r#"{"count": 2}"#),
        ],
    );
}

#[test]
fn hidden_aliases_and_indices_are_found_by_those_who_ask_for_them() {
    run(&[
        case(
            "PUT /seen",
            r#"{"aliases": {"veiled": {"is_hidden": true}, "open": {}}}"#,
            200,
            "",
        ),
        case(
            "PUT /unseen",
            r#"{"settings": {"hidden": true}, "aliases": {"door": {}}}"#,
            200,
            "",
        ),
        case("GET /veil*/_settings", "", 200, "{}"),
        case("GET /veiled/_settings", "", 200, r#"{"seen": {}}"#),
        case(
            "GET /veil*/_settings?expand_wildcards=open,hidden",
            "",
            200,
            r#"{"seen": {}}"#,
        ),
        case("GET /doo*/_settings", "", 200, r#"{"unseen": {}}"#),
        case("GET /uns*/_settings", "", 200, "{}"),
        case("GET /*,-seen,-open/_settings", "", 200, "{}"),
        case("GET /*,-none/_settings", "", 404, ""),
        case("GET /_cat/indices?h=index", "", 200, "seen"),
        case("GET /_cat/aliases?h=alias&s=alias", "", 200, "door\nopen\nveiled"),
        case(
            "GET /_alias/door,veiled",
            "",
            200,
            r#"{"seen": {"aliases": {"veiled": {}}}, "unseen": {"aliases": {"door": {}}}}"#,
        ),
        case("HEAD /seen/_alias", "", 200, ""),
        case("HEAD /none/_alias", "", 404, ""),
        case("HEAD /_alias", "", 405, ""),
    ]);
}

#[test]
fn aliases_are_changed_of_indices_that_are_open() {
    run(&[
        case("PUT /open", "", 200, ""),
        case("PUT /shut", "", 200, ""),
        case("POST /shut/_close", "", 200, ""),
        case("PUT /_all/_alias/one", "", 200, ""),
        case(
            "GET /_alias/one",
            "",
            200,
            r#"{"open": {"aliases": {"one": {}}}}"#,
        ),
        case("PUT /shut/_alias/two", "", 200, ""),
        case(
            "PUT /x*/_alias/one",
            "",
            404,
            r#"{"error": {"type": "index_not_found_exception"}}"#,
        ),
        case(
            "PUT /_alias/one",
            "",
            400,
            r#"{"error": {"reason": "[indices] can't be empty"}}"#,
        ),
        case(
            "POST /_aliases",
            r#"{"actions": [{"remove": {"index": "open", "alias": "none"}}, {"add": {"index": "open", "alias": "three"}}]}"#,
            200,
            "",
        ),
        case(
            "POST /_aliases",
            r#"{"actions": [{"remove": {"index": "open", "aliases": ["none", "nobody"]}}]}"#,
            404,
            r#"{"error": {"reason": "aliases [none, nobody] missing", "resource.id": ["none", "nobody"]}}"#,
        ),
        case(
            "POST /_aliases",
            r#"{"actions": [{"remove": {"index": "open", "alias": "none", "must_exist": true}}]}"#,
            400,
            r#"{"error": {"reason": "required alias [none] does not exist"}}"#,
        ),
        case(
            "POST /_aliases",
            r#"{"actions": [{"add": {"index": "open", "alias": "a"}, "remove": {"index": "open", "alias": "b"}}]}"#,
            400,
            "",
        ),
    ]);
}

#[test]
fn answers_are_yaml_where_it_is_asked_for() {
    const LISTED: &str = "---\n- alias: \"a\"\n  index: \"i\"\n  filter: \"-\"\n  routing.index: \"-\"\n  routing.search: \"-\"\n  is_write_index: \"-\"\n";
    run(&[
        case("PUT /i", r#"{"aliases": {"a": {}}}"#, 200, ""),
        case("GET /_cat/aliases\nAccept: application/yaml", "", 200, LISTED),
        case("GET /_cat/aliases?format=yaml", "", 200, LISTED),
        case(
            "GET /_cat/aliases?format=json&h=alias\nAccept: application/yaml",
            "",
            200,
            r#"[{"alias": "a"}]"#,
        ),
        case(
            "GET /i/_alias?format=yaml",
            "",
            200,
            "---\ni:\n  aliases:\n    a: {}",
        ),
        case(
            "GET /none?format=yaml",
            "",
            404,
            "Content-Type: application/yaml\n\n---\nerror:\n",
        ),
        case("GET /i/_alias?format=smile", "", 501, ""),
    ]);
}

pub const CASES: &[Case] = &[
    case(
        "PUT /days-1",
        r#"{"aliases": {"days": {"is_write_index": true}}}"#,
        200,
        "",
    ),
    case(
        "PUT /days-2",
        r#"{"aliases": {"days": {}, "late": {"filter": {"range": {"n": {"gt": 5}}}, "routing": "r"}}}"#,
        200,
        "",
    ),
    case("PUT /days-2/_doc/9", r#"{"n": 9}"#, 201, ""),
    case("PUT /days-2/_doc/1", r#"{"n": 1}"#, 201, ""),
    case("PUT /days/_doc/5", r#"{"n": 5}"#, 201, r#"{"_index": "days-1"}"#),
    case(
        "GET /days/_doc/5",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case("GET /days/_count", "", 200, r#"{"count": 3}"#),
    case("GET /late/_count", "", 200, r#"{"count": 1}"#),
    case("GET /late,days-2/_count", "", 200, r#"{"count": 2}"#),
    case(
        "GET /late/_doc/9",
        "",
        200,
        r#"{"_index": "days-2", "_source": {"n": 9}}"#,
    ),
    case(
        "GET /_alias",
        "",
        200,
        r#"{"days-1": {"aliases": {"days": {"is_write_index": true}}}}"#,
    ),
    case("DELETE /_alias", "", 405, r#"{"status": 405}"#),
    case(
        "GET /_alias/l*",
        "",
        200,
        r#"{"days-2": {"aliases": {"late": {"index_routing": "r", "search_routing": "r"}}}}"#,
    ),
    case(
        "GET /_alias/none",
        "",
        404,
        r#"{"error": "alias [none] missing", "status": 404}"#,
    ),
    case("HEAD /_alias/late", "", 200, ""),
    case("HEAD /_alias/none", "", 404, ""),
    case(
        "GET /days-1/_alias",
        "",
        200,
        r#"{"days-1": {"aliases": {"days": {"is_write_index": true}}}}"#,
    ),
    case(
        "GET /none/_alias",
        "",
        404,
        r#"{"error": {"type": "index_not_found_exception"}}"#,
    ),
    case(
        "PUT /days-1/_alias/more",
        r#"{"filter": {"match_all": {}}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /days-1/_alias/days-2",
        "",
        400,
        r#"{"error": {"type": "invalid_alias_name_exception"}}"#,
    ),
    case(
        "PUT /days-1/_alias/colour",
        r#"{"colour": 1}"#,
        400,
        r#"{"status": 400}"#,
    ),
    case(
        "PUT /days",
        "",
        400,
        r#"{"error": {"type": "invalid_index_name_exception"}}"#,
    ),
    case(
        "DELETE /days",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "GET /_cat/aliases?h=alias,index,routing.index&s=alias,index",
        "",
        200,
        "days days-1 -\ndays days-2 -\nlate days-2 r\nmore days-1 -",
    ),
    case("GET /_cat/aliases?s=colour", "", 400, r#"{"status": 400}"#),
    case("GET /_cat/aliases/la*?h=alias,filter", "", 200, "late *"),
    case("GET /_cat/aliases/la*?colour", "", 400, r#"{"status": 400}"#),
    case(
        "POST /_aliases",
        r#"{"actions": [{"remove": {"index": "days-*", "alias": "days"}}, {"add": {"indices": ["days-1", "days-2"], "alias": "all"}}]}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case("GET /all/_count", "", 200, r#"{"count": 3}"#),
    case(
        "POST /_aliases",
        r#"{"actions": [{"remove": {"index": "days-1", "alias": "none"}}]}"#,
        404,
        r#"{"error": {"type": "aliases_not_found_exception"}}"#,
    ),
    case(
        "POST /_aliases",
        r#"{"actions": [{"colour": {"index": "days-1", "alias": "x"}}]}"#,
        400,
        r#"{"status": 400}"#,
    ),
    case(
        "POST /_aliases",
        r#"{"actions": [{"remove_index": {"index": "days-1"}}]}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case("HEAD /days-1", "", 404, ""),
    case("DELETE /days-2/_alias/late", "", 200, r#"{"acknowledged": true}"#),
    case(
        "DELETE /days-2/_alias/late",
        "",
        404,
        r#"{"error": {"type": "aliases_not_found_exception"}}"#,
    ),
    case(
        "PUT /%3Cdaily-%7B2024-03-05%7C%7C%2Fd%7D%3E/_doc/1",
        "{}",
        400,
        r#"{"error": {"type": "invalid_index_name_exception"}}"#,
    ),
];
