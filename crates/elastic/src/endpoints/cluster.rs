//! `_cluster/health`.

use crate::call::Call;
use crate::error::Result;
use crate::resolve::{Options, resolve};
use crate::respond::{Answer, ok};
use http::Method;
use serde_json::{Map, Value, json};

pub(crate) async fn health(call: &mut Call, expression: &str) -> Result<Answer> {
    if call.method != Method::GET {
        return Err(call.not_allowed("GET"));
    }
    let options = Options {
        ignore_unavailable: true,
        ..Options::take(&mut call.parameters)?
    };
    let level = call.parameters.take("level");
    // There is nothing to wait for: what is asked for is there, or never will be.
    call.parameters.without_effect(&[
        "local",
        "master_timeout",
        "timeout",
        "wait_for_active_shards",
        "wait_for_events",
        "wait_for_no_initializing_shards",
        "wait_for_no_relocating_shards",
        "wait_for_nodes",
        "wait_for_status",
    ]);
    call.parameters.end()?;
    let names = resolve(call, expression, options)?;
    let is_there = !names.is_empty() || expression == "_all" || expression.contains('*');
    let count = names.len();
    let mut answer = json!({
        "cluster_name": "larder",
        "status": if is_there { "green" } else { "red" },
        "timed_out": !is_there,
        "number_of_nodes": 1,
        "number_of_data_nodes": 1,
        "active_primary_shards": count,
        "active_shards": count,
        "relocating_shards": 0,
        "initializing_shards": 0,
        "unassigned_shards": 0,
        "delayed_unassigned_shards": 0,
        "number_of_pending_tasks": 0,
        "number_of_in_flight_fetch": 0,
        "task_max_waiting_in_queue_millis": 0,
        "active_shards_percent_as_number": 100.0,
    });
    if matches!(level.as_deref(), Some("indices" | "shards")) {
        let of = |name: String| {
            let health = json!({
                "status": "green", "number_of_shards": 1, "number_of_replicas": 0, "active_primary_shards": 1, "active_shards": 1,
                "relocating_shards": 0, "initializing_shards": 0, "unassigned_shards": 0,
            });
            (name, health)
        };
        answer["indices"] = Value::Object(names.into_iter().map(of).collect::<Map<_, _>>());
    }
    Ok(ok(answer))
}
