//! Shards, of which each database is one: nothing splits it.

use crate::server::run;
use testing::http::{Case, case};

#[test]
fn shards() {
    run(CASES);
}

pub const CASES: &[Case] = &[
    case("PUT /a", "", 201, r#"{"ok": true}"#),
    case(
        "GET /_reshard",
        "",
        200,
        r#"{"state": "running", "state_reason": null, "completed": 0, "failed": 0, "running": 0, "stopped": 0, "total": 0}"#,
    ),
    case(
        "PUT /_reshard",
        "{}",
        405,
        r#"{"reason": "Only GET,HEAD allowed"}"#,
    ),
    case(
        "GET /_reshard/state",
        "",
        200,
        r#"{"state": "running", "reason": null}"#,
    ),
    case(
        "PUT /_reshard/state",
        r#"{"reason": "lunch"}"#,
        400,
        r#"{"error": "bad_request", "reason": "Expected a `state` field"}"#,
    ),
    case(
        "PUT /_reshard/state",
        r#"{"state": "resting"}"#,
        400,
        r#"{"reason": "State field not `running` or `stopped`"}"#,
    ),
    case(
        "PUT /_reshard/state",
        r#"{"state": "stopped", "reason": "lunch"}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_reshard",
        "",
        200,
        r#"{"state": "stopped", "state_reason": "lunch"}"#,
    ),
    case(
        "PUT /_reshard/state",
        r#"{"state": "stopped"}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_reshard/state",
        "",
        200,
        r#"{"state": "stopped", "reason": "Cluster-wide resharding stopped by the user"}"#,
    ),
    case(
        "PUT /_reshard/state",
        r#"{"state": "running"}"#,
        200,
        r#"{"ok": true}"#,
    ),
    case(
        "GET /_reshard/jobs",
        "",
        200,
        r#"{"total_rows": 0, "offset": 0, "jobs": []}"#,
    ),
    case(
        "PUT /_reshard/jobs",
        "{}",
        405,
        r#"{"error": "method_not_allowed"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        "{}",
        400,
        r#"{"reason": "`job type must be `split`"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split"}"#,
        400,
        r#"{"reason": "Must specify at least `db` or `shard`"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "db": "none"}"#,
        400,
        r#"{"reason": "Invalid `db`"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "db": "a", "node": "elsewhere"}"#,
        400,
        r#"{"reason": "`node` is not a valid node name"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "db": "a", "range": "80000000-7fffffff"}"#,
        400,
        r#"{"reason": "Invalid `range`"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "db": "a", "shard": "shards/00000000-ffffffff/a.1"}"#,
        400,
        r#"{"reason": "`db` and `shard` are mutually exclusive"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "shard": "a"}"#,
        400,
        r#"{"reason": "`shard` is invalid"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "db": "a", "range": "00000000-7fffffff"}"#,
        404,
        r#"{"reason": "missing"}"#,
    ),
    case(
        "POST /_reshard/jobs",
        r#"{"type": "split", "db": "a", "node": "nonode@nohost", "range": "00000000-ffffffff"}"#,
        501,
        r#"{"error": "not_implemented", "reason": "a database is one shard here, which is not split"}"#,
    ),
    case("GET /_reshard/jobs/1", "", 404, r#"{"reason": "missing"}"#),
    case("DELETE /_reshard/jobs/1", "", 404, r#"{"reason": "missing"}"#),
    case(
        "PUT /_reshard/jobs/1",
        "{}",
        405,
        r#"{"reason": "Only GET,HEAD,DELETE allowed"}"#,
    ),
    case("GET /_reshard/jobs/1/state", "", 404, r#"{"reason": "missing"}"#),
    case("GET /_reshard/nothing", "", 404, r#"{"reason": "missing"}"#),
];
