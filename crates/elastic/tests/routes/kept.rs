//! Templates and cluster settings.

use super::server::{run, run_restarted};
use testing::http::{Case, case};

#[test]
fn requests_for_templates_and_settings_get_elasticsearchs_answers() {
    run(CASES);
}

const LEVEL: &str =
    r#"{"template": {"mappings": {"properties": {"level": {"type": "keyword"}}}, "aliases": {"all": {}}}}"#;
const LOGS: &str = r#"{"index_patterns": ["logs-*"], "composed_of": ["level"], "priority": 7,
    "template": {"settings": {"number_of_replicas": 0}, "mappings": {"properties": {"at": {"type": "date"}}}}}"#;
const OLD: &str = r#"{"index_patterns": "o*", "order": 1, "settings": {"refresh_interval": "9s"}, "mappings": {"dynamic": "strict"}}"#;
const MADE: &str = r#"{"logs-1": {"aliases": {"all": {}}, "settings": {"index": {"number_of_replicas": "0"}},
    "mappings": {"properties": {"level": {"type": "keyword"}, "at": {"type": "date"}}}}}"#;

#[test]
fn settings_of_the_cluster_forbid_to_make_and_to_drop_indices() {
    run(&[
        case(
            "PUT /_cluster/settings",
            r#"{"persistent": {"action": {"auto_create_index": "-no*,*", "destructive_requires_name": true}}}"#,
            200,
            "",
        ),
        case("PUT /yes/_doc/1", "{}", 201, ""),
        case(
            "PUT /not/_doc/1",
            "{}",
            404,
            r#"{"error": {"type": "index_not_found_exception",
                "reason": "no such index [not] and [action.auto_create_index] contains [-no*] which forbids automatic creation of the index"}}"#,
        ),
        case("PUT /not", "", 200, ""),
        case("PUT /not/_doc/1", "{}", 201, ""),
        case(
            "DELETE /_all",
            "",
            400,
            r#"{"error": {"reason": "Wildcard expressions or all indices are not allowed"}}"#,
        ),
        case("POST /y*/_close", "", 400, ""),
        case("DELETE /yes,not", "", 200, ""),
        case(
            "PUT /_cluster/settings",
            r#"{"persistent": {}}"#,
            400,
            r#"{"error": {"reason": "Validation Failed: 1: no settings to update;"}}"#,
        ),
        case(
            "PUT /_cluster/settings",
            r#"{"colour": {}}"#,
            400,
            r#"{"error": {"reason": "[cluster_update_settings_request] unknown field [colour]"}}"#,
        ),
        case(
            "PUT /_cluster/settings",
            r#"{"persistent": {"action.*": null}}"#,
            200,
            "",
        ),
        case("PUT /not/_doc/1", "{}", 201, ""),
        case("DELETE /_all", "", 200, ""),
    ]);
}

#[test]
fn queries_that_take_long_are_refused_where_settings_say_so() {
    run(&[
        case(
            "PUT /q",
            r#"{"mappings": {"properties": {"k": {"type": "keyword"}, "n": {"type": "long"}, "w": {"type": "wildcard"}}}}"#,
            200,
            "",
        ),
        case("GET /q/_search", r#"{"query": {"prefix": {"k": "a"}}}"#, 200, ""),
        case(
            "PUT /_cluster/settings",
            r#"{"transient": {"search.allow_expensive_queries": "false"}}"#,
            200,
            "",
        ),
        case(
            "GET /q/_search",
            r#"{"query": {"prefix": {"k": "a"}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: [prefix] queries cannot be executed when 'search.allow_expensive_queries' is set to false. For optimised prefix queries on text fields please enable [index_prefixes]."}]}}"#,
        ),
        case(
            "GET /q/_count",
            r#"{"query": {"bool": {"filter": [{"range": {"n": {"gt": 1}}}, {"range": {"k": {"gt": "a"}}}]}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: [range] queries on [text] or [keyword] fields cannot be executed when 'search.allow_expensive_queries' is set to false."}]}}"#,
        ),
        case(
            "GET /q/_search",
            r#"{"query": {"script_score": {"query": {"match_all": {}}, "script": "1"}}}"#,
            400,
            "",
        ),
        case(
            "GET /q/_search",
            r#"{"query": {"bool": {"must": {"wildcard": {"w": "a*"}}, "filter": {"term": {"prefix": "x"}}}}}"#,
            200,
            "",
        ),
    ]);
}

#[test]
fn an_index_says_how_much_may_be_asked_of_it() {
    run(&[
        case(
            "PUT /small",
            r#"{"settings": {"index.max_terms_count": 2, "index.max_regex_length": 3, "index.max_adjacency_matrix_filters": 2, "index.requests.cache.enable": false}}"#,
            200,
            "",
        ),
        case(
            "GET /small/_search",
            r#"{"query": {"terms": {"f": ["a", "b"]}}}"#,
            200,
            "",
        ),
        case(
            "GET /small/_search",
            r#"{"query": {"bool": {"filter": {"terms": {"f": ["a", "b", "c"]}}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: The number of terms [3] used in the Terms Query request has exceeded the allowed maximum of [2]. This maximum can be set by changing the [index.max_terms_count] index level setting."}]}}"#,
        ),
        case(
            "GET /small/_count",
            r#"{"query": {"regexp": {"f": {"value": "abcd"}}}}"#,
            400,
            r#"{"error": {"root_cause": [{"reason": "failed to create query: The length of regex [4] used in the Regexp Query request has exceeded the allowed maximum of [3]. This maximum can be set by changing the [index.max_regex_length] index level setting."}]}}"#,
        ),
        case(
            "GET /small/_search",
            r#"{"aggs": {"m": {"adjacency_matrix": {"filters": {"a": {"match_all": {}}, "b": {"match_all": {}}, "c": {"match_all": {}}}}}}}"#,
            400,
            "",
        ),
        case(
            "PUT /small/_settings",
            r#"{"index.shard.check_on_startup": true}"#,
            400,
            r#"{"error": {"reason": "Can't update non dynamic settings [[index.shard.check_on_startup]] for open indices [[small]]"}}"#,
        ),
    ]);
}

#[test]
fn templates_and_settings_are_there_after_a_restart() {
    run_restarted(
        &[
            case("PUT /_component_template/level", LEVEL, 200, ""),
            case("PUT /_index_template/logs", LOGS, 200, ""),
            case("PUT /_template/old", OLD, 200, ""),
            case(
                "PUT /_cluster/settings",
                r#"{"persistent": {"search.max_keep_alive": "1h"}}"#,
                200,
                "",
            ),
        ],
        &[
            case(
                "GET /_cluster/settings",
                "",
                200,
                r#"{"persistent": {"search": {"max_keep_alive": "1h"}}}"#,
            ),
            case("PUT /logs-1/_doc/1", r#"{"level": "warn"}"#, 201, ""),
            case("GET /logs-1", "", 200, MADE),
            case(
                "GET /_template/old",
                "",
                200,
                r#"{"old": {"index_patterns": ["o*"], "mappings": {"dynamic": "strict"}}}"#,
            ),
        ],
    );
}

pub const CASES: &[Case] = &[
    case(
        "PUT /_component_template/level",
        LEVEL,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /_component_template/level",
        "{}",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "PUT /_index_template/logs",
        LOGS,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /_index_template/twin",
        LOGS,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "PUT /_index_template/none",
        r#"{"index_patterns": ["x"], "composed_of": ["none"]}"#,
        400,
        r#"{"error": {"type": "invalid_index_template_exception"}}"#,
    ),
    case(
        "PUT /_index_template/none",
        r#"{"index_patterns": ["x"], "colour": 1}"#,
        400,
        r#"{"error": {"type": "parsing_exception"}}"#,
    ),
    case("PUT /_template/old", OLD, 200, r#"{"acknowledged": true}"#),
    case(
        "PUT /_template/old?create",
        OLD,
        400,
        r#"{"error": {"reason": "index_template [old] already exists"}}"#,
    ),
    case(
        "PUT /_template/old",
        "{}",
        400,
        r#"{"error": {"type": "action_request_validation_exception"}}"#,
    ),
    case("GET /_template", "", 200, r#"{"old": {"order": 1}}"#),
    case("DELETE /_template", "", 405, r#"{"status": 405}"#),
    case("HEAD /_template/old", "", 200, ""),
    case("GET /_template/none", "", 404, "{}"),
    case("GET /_template/none*", "", 404, "{}"),
    case(
        "GET /_index_template/none*",
        "",
        404,
        r#"{"index_templates": []}"#,
    ),
    case(
        "GET /_index_template",
        "",
        200,
        r#"{"index_templates": [{"name": "logs", "index_template": {"priority": 7}}]}"#,
    ),
    case("GET /_index_template?colour", "", 400, r#"{"status": 400}"#),
    case(
        "GET /_index_template/logs",
        "",
        200,
        r#"{"index_templates": [{"name": "logs"}]}"#,
    ),
    case(
        "GET /_component_template",
        "",
        200,
        r#"{"component_templates": [{"name": "level"}]}"#,
    ),
    case("GET /_component_template?colour", "", 400, r#"{"status": 400}"#),
    case(
        "GET /_component_template/none",
        "",
        404,
        r#"{"error": {"type": "resource_not_found_exception"}}"#,
    ),
    case(
        "POST /_index_template/_simulate_index/logs-9",
        "",
        200,
        r#"{"template": {"mappings": {"properties": {"level": {"type": "keyword"}}}}}"#,
    ),
    case(
        "GET /_index_template/_simulate_index/logs-9",
        "",
        405,
        r#"{"status": 405}"#,
    ),
    case(
        "POST /_index_template/_simulate/logs",
        "",
        200,
        r#"{"template": {"settings": {"index": {"number_of_replicas": "0"}}}, "overlapping": []}"#,
    ),
    case(
        "POST /_index_template/_simulate/none",
        "",
        400,
        r#"{"status": 400}"#,
    ),
    case(
        "POST /_index_template/_simulate",
        r#"{"index_patterns": ["x"], "composed_of": ["level"]}"#,
        200,
        r#"{"template": {"aliases": {"all": {}}}}"#,
    ),
    case("POST /_index_template/_simulate", "", 400, r#"{"status": 400}"#),
    case("GET /_cat/templates?h=name,order", "", 200, "old  1\nlogs 7"),
    case("GET /_cat/templates?s=colour", "", 400, r#"{"status": 400}"#),
    case(
        "GET /_cat/templates/l*?h=name,index_patterns,composed_of",
        "",
        200,
        "logs [logs-*] [level]",
    ),
    case("GET /_cat/templates/l*?colour", "", 400, r#"{"status": 400}"#),
    case("PUT /logs-1", "", 200, ""),
    case("GET /logs-1", "", 200, MADE),
    case(
        "PUT /other/_doc/1",
        r#"{"x": 1}"#,
        400,
        r#"{"error": {"type": "strict_dynamic_mapping_exception"}}"#,
    ),
    case(
        "DELETE /_component_template/level",
        "",
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "DELETE /_index_template/logs",
        "",
        200,
        r#"{"acknowledged": true}"#,
    ),
    case("DELETE /_index_template/logs", "", 404, r#"{"status": 404}"#),
    case(
        "DELETE /_component_template/level",
        "",
        200,
        r#"{"acknowledged": true}"#,
    ),
    case("DELETE /_template/*", "", 200, r#"{"acknowledged": true}"#),
    case(
        "PUT /_cluster/settings",
        r#"{"transient": {"search.max_buckets": 100}}"#,
        200,
        r#"{"acknowledged": true, "transient": {"search": {"max_buckets": "100"}}}"#,
    ),
    case(
        "GET /_cluster/settings?flat_settings",
        "",
        200,
        r#"{"persistent": {}, "transient": {"search.max_buckets": "100"}}"#,
    ),
    case(
        "PUT /_cluster/settings",
        r#"{"transient": {"colour": 1}}"#,
        400,
        r#"{"error": {"reason": "transient setting [colour], not recognized"}}"#,
    ),
    // A refused request changes nothing.
    case(
        "PUT /_cluster/settings",
        r#"{"persistent": {"search.max_keep_alive": "1h"}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "PUT /_cluster/settings",
        r#"{"persistent": {"search.max_keep_alive": "2h"}, "transient": {"search.max_buckets": "many"}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception", "reason": "Failed to parse value [many] for setting [search.max_buckets]"}}"#,
    ),
    case(
        "PUT /_cluster/settings",
        r#"{"persistent": {"cluster.routing.allocation": {"enable": "some", "colour": 1}}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception"}}"#,
    ),
    case(
        "GET /_cluster/settings?flat_settings",
        "",
        200,
        r#"{"persistent": {"search.max_keep_alive": "1h"}, "transient": {"search.max_buckets": "100"}}"#,
    ),
    // What the pattern of a template was called before.
    case(
        "PUT /_template/older",
        r#"{"template": "older-*", "settings": {"number_of_replicas": 0}}"#,
        200,
        r#"{"acknowledged": true}"#,
    ),
    case(
        "GET /_template/older",
        "",
        200,
        r#"{"older": {"index_patterns": ["older-*"]}}"#,
    ),
    case("DELETE /_template/older", "", 200, r#"{"acknowledged": true}"#),
    case(
        "PUT /_template/wrong-form",
        r#"{"index_patterns": "x*", "template": {}}"#,
        400,
        r#"{"error": {"reason": "unknown key [template] in the template "}}"#,
    ),
    // Impossible settings are refused with the template, not when an index is created from it.
    case(
        "PUT /_template/wrong",
        r#"{"index_patterns": ["w-*"], "settings": {"refresh_interval": "5"}}"#,
        400,
        NO_TIME,
    ),
    case(
        "PUT /_index_template/wrong",
        r#"{"index_patterns": ["w-*"], "template": {"settings": {"index": {"refresh_interval": "5"}}}}"#,
        400,
        NO_TIME,
    ),
    case(
        "PUT /_component_template/wrong",
        r#"{"template": {"settings": {"index.refresh_interval": "5"}}}"#,
        400,
        NO_TIME,
    ),
    // A template with valid components can still be invalid.
    case(
        "PUT /_component_template/parts",
        r#"{"template": {"settings": {"number_of_routing_shards": 3}}}"#,
        200,
        "",
    ),
    case(
        "PUT /_index_template/odd",
        r#"{"index_patterns": ["w-*"], "composed_of": ["parts"], "template": {"settings": {"number_of_shards": 2}}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception",
            "reason": "composable template [odd] template after composition with component templates [parts] is invalid",
            "caused_by": {"reason": "the number of source shards [2] must be a factor of [3]"}}}"#,
    ),
    case(
        "PUT /_index_template/even",
        r#"{"index_patterns": ["w-*"], "composed_of": ["parts"], "template": {"settings": {"number_of_shards": 3}}}"#,
        200,
        "",
    ),
    case(
        "PUT /_component_template/parts",
        r#"{"template": {"settings": {"number_of_routing_shards": 4}}}"#,
        400,
        r#"{"error": {"type": "illegal_argument_exception",
            "reason": "updating component template [parts] results in invalid composable template [even] after templates are merged"}}"#,
    ),
    case("PUT /w-1", "", 200, ""),
];

const NO_TIME: &str = r#"{"error": {"reason":
    "failed to parse setting [index.refresh_interval] with value [5] as a time value: unit is missing or unrecognized"}}"#;
