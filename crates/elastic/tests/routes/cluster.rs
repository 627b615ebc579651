//! The server as a cluster: repositories, upgrades, votes, shards that stay where they are.

use super::server::run;
use testing::http::{Case, case};

#[test]
fn a_cluster_of_one_node_answers_for_what_it_has_not() {
    run(CASES);
}

const SHARDS: &str = r#"{"settings": {"number_of_shards": 2, "number_of_replicas": 0}}"#;
const MISSING: &str = r#"{"error": {"type": "repository_missing_exception", "reason": "[mine] missing"}}"#;

pub const CASES: &[Case] = &[
    case("PUT /things", SHARDS, 200, ""),
    // The number of the last change, of which there is none at first.
    case(
        "GET /things/_stats?level=shards",
        "",
        200,
        r#"{"indices": {"things": {"shards": {"0": [{"seq_no": {"max_seq_no": -1}}], "1": [{"retention_leases": {"leases": []}}]}}}}"#,
    ),
    case("PUT /things/_doc/1", "{}", 201, r#"{"_seq_no": 0}"#),
    case(
        "GET /things/_stats?level=shards",
        "",
        200,
        r#"{"indices": {"things": {"shards": {"0": [{"seq_no": {"max_seq_no": 0, "global_checkpoint": 0}}]}}}}"#,
    ),
    case(
        "GET /_cat/shards/things?format=json&h=shard,seq_no.max",
        "",
        200,
        r#"[{"shard": "0", "seq_no.max": "0"}, {"shard": "1", "seq_no.max": "-1"}]"#,
    ),
    case("GET /_snapshot/_status", "", 200, r#"{"snapshots": []}"#),
    case("PUT /_snapshot/_status", "", 405, ""),
    case("GET /_snapshot/mine/_status", "", 200, r#"{"snapshots": []}"#),
    case("GET /_snapshot/mine/_status?colour", "", 400, ""),
    case("DELETE /_snapshot/*", "", 200, r#"{"acknowledged": true}"#),
    case("POST /_snapshot/*", "", 405, ""),
    case("DELETE /_snapshot/mine", "", 404, MISSING),
    case("POST /_snapshot/mine/_verify", "", 404, MISSING),
    case("PUT /_snapshot/mine/first", "{}", 404, MISSING),
    case("GET /_snapshot/mine/first", "", 404, MISSING),
    case("GET /_snapshot/mine/first/_status", "", 404, MISSING),
    case("POST /_snapshot/mine/first/_restore", "", 404, MISSING),
    case("POST /_snapshot/mine/first/second/third", "", 501, ""),
    // Nothing is of an earlier version.
    case(
        "GET /things/_upgrade",
        "",
        200,
        r#"{"size_to_upgrade_in_bytes": 0, "indices": {"things": {"size_in_bytes": "*", "size_to_upgrade_ancient_in_bytes": 0}}}"#,
    ),
    case("GET /none/_upgrade", "", 404, ""),
    case(
        "POST /_upgrade?only_ancient_segments",
        "",
        200,
        r#"{"_shards": {"total": 2}, "upgraded_indices": {"things": {"upgrade_version": "7.10.2"}}}"#,
    ),
    case("POST /_upgrade?only_ancient_segments=maybe", "", 400, ""),
    case("DELETE /_upgrade", "", 405, ""),
    // Nodes that have no vote.
    case(
        "POST /_cluster/voting_config_exclusions?node_ids=a,b,a",
        "",
        200,
        "",
    ),
    case(
        "POST /_cluster/voting_config_exclusions?node_names=a",
        "",
        200,
        "",
    ),
    case(
        "POST /_cluster/voting_config_exclusions?node_names=a",
        "",
        200,
        "",
    ),
    case(
        "GET /_cluster/state/metadata",
        "",
        200,
        r#"{"metadata": {"cluster_coordination": {"voting_config_exclusions": [{"node_id": "a", "node_name": "_absent_"},
            {"node_id": "b", "node_name": "_absent_"}, {"node_id": "_absent_", "node_name": "a"}]}}}"#,
    ),
    case(
        "POST /_cluster/voting_config_exclusions?node_ids=1,2,3,4,5,6,7,8",
        "",
        400,
        r#"{"error": {"reason": "add voting config exclusions request for [1, 2, 3, 4, 5, 6, 7, 8] would add [8] exclusions to the existing [3] which would exceed the maximum of [10] set by [cluster.max_voting_config_exclusions]"}}"#,
    ),
    case(
        "POST /_cluster/voting_config_exclusions?node_ids=LarderNode000000000001",
        "",
        400,
        "",
    ),
    case("POST /_cluster/voting_config_exclusions", "", 400, ""),
    case(
        "POST /_cluster/voting_config_exclusions?node_ids=a&node_names=b",
        "",
        400,
        "",
    ),
    case(
        "DELETE /_cluster/voting_config_exclusions?wait_for_removal=false",
        "",
        200,
        "",
    ),
    case("DELETE /_cluster/voting_config_exclusions", "", 200, ""),
    case(
        "GET /_cluster/state/metadata",
        "",
        200,
        r#"{"metadata": {"cluster_coordination": {"voting_config_exclusions": []}}}"#,
    ),
    case("GET /_cluster/voting_config_exclusions", "", 405, ""),
    // Shards stay where they are.
    case(
        "POST /_cluster/reroute?explain",
        "",
        200,
        r#"{"acknowledged": true, "state": {"routing_table": {}}, "explanations": []}"#,
    ),
    case(
        "POST /_cluster/reroute?explain&dry_run&metric=none",
        r#"{"commands": [{"cancel": {"index": "things", "shard": 9, "node": "LarderNode000000000001"}}]}"#,
        200,
        r#"{"explanations": [{"command": "cancel", "parameters": {"index": "things", "shard": 9, "allow_primary": false},
            "decisions": [{"decider": "cancel_allocation_command", "decision": "NO", "explanation": "*"}]}]}"#,
    ),
    case(
        "POST /_cluster/reroute",
        r#"{"dry_run": true, "commands": [{"cancel": {"index": "things", "shard": 0, "node": "LarderNode000000000001"}}]}"#,
        400,
        "[cancel_allocation] can't cancel 0 on node ",
    ),
    case(
        "POST /_cluster/reroute?explain",
        r#"{"commands": [{"cancel": {"index": "things", "shard": 0, "node": "x"}}]}"#,
        400,
        r#"{"error": {"reason": "failed to resolve [x], no matching nodes"}}"#,
    ),
    case(
        "POST /_cluster/reroute?explain",
        r#"{"commands": [{"cancel": {"index": "none", "shard": 0, "node": "_local"}}]}"#,
        404,
        "",
    ),
    case(
        "POST /_cluster/reroute?explain",
        r#"{"commands": [{"cancel": {"index": "things", "shard": 0}}]}"#,
        400,
        r#"{"error": {"reason": "[cancel] command missing the node parameter"}}"#,
    ),
    case(
        "POST /_cluster/reroute",
        r#"{"commands": [{"move": {"index": "things", "shard": 0, "from_node": "x", "to_node": "y"}}]}"#,
        501,
        "",
    ),
    // Settings that are kept secret are nowhere.
    case(
        "POST /_nodes/reload_secure_settings",
        "",
        200,
        r#"{"_nodes": {"total": 1, "failed": 0}, "nodes": {"LarderNode000000000001": {"name": "*", "reload_exception": {"reason": "Keystore is missing"}}}}"#,
    ),
    case("POST /_nodes/reload_secure_settings", r#"{"colour": 1}"#, 400, ""),
    case(
        "POST /_nodes/other/reload_secure_settings",
        r#"{"secure_settings_password": "x"}"#,
        200,
        r#"{"_nodes": {"total": 0}, "nodes": {}}"#,
    ),
    case("GET /_nodes/_local/reload_secure_settings", "", 405, ""),
    // Why shards are where they are.
    case(
        "GET /_cluster/allocation/explain",
        "",
        400,
        r#"{"error": {"reason": "unable to find any unassigned shards to explain [ClusterAllocationExplainRequest[useAnyUnassignedShard=true,includeYesDecisions?=false]"}}"#,
    ),
    case(
        "POST /_cluster/allocation/explain",
        r#"{"index": "things", "shard": 1, "primary": true}"#,
        200,
        r#"{"index": "things", "shard": 1, "primary": true, "current_state": "started", "current_node": {"id": "*"},
            "can_remain_on_current_node": "yes", "can_rebalance_cluster": "yes", "can_rebalance_to_other_node": "no"}"#,
    ),
    case(
        "GET /_cluster/allocation/explain",
        r#"{"index": "things", "shard": 1, "primary": false}"#,
        400,
        "",
    ),
    case(
        "GET /_cluster/allocation/explain",
        r#"{"index": "things", "shard": 2, "primary": true}"#,
        404,
        "",
    ),
    case(
        "GET /_cluster/allocation/explain",
        r#"{"index": "things", "shard": 0, "primary": true, "current_node": "other"}"#,
        400,
        r#"{"error": {"reason": "unable to find primary shard assigned to node [other]"}}"#,
    ),
    case(
        "GET /_cluster/allocation/explain",
        r#"{"shard": 0}"#,
        400,
        r#"{"error": {"reason": "Validation Failed: 1: index must be specified;2: primary must be specified;"}}"#,
    ),
    case("GET /_cluster/allocation/explain", r#"{"colour": 0}"#, 400, ""),
    case(
        "PUT /copied",
        r#"{"settings": {"number_of_replicas": 1}}"#,
        200,
        "",
    ),
    case(
        "GET /_cluster/allocation/explain?include_disk_info",
        "",
        200,
        r#"{"index": "copied", "shard": 0, "primary": false, "current_state": "unassigned", "can_allocate": "no",
            "unassigned_info": {"reason": "INDEX_CREATED"}, "cluster_info": {"nodes": {}},
            "node_allocation_decisions": [{"node_decision": "no", "deciders": [{"decider": "same_shard", "decision": "NO"}]}]}"#,
    ),
    case(
        "GET /_cluster/allocation/explain",
        r#"{"index": "things", "shard": 0, "primary": true}"#,
        200,
        r#"{"can_rebalance_cluster": "no", "rebalance_explanation": "rebalancing is not allowed"}"#,
    ),
];
