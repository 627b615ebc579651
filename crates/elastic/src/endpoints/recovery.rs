//! `_recovery`: how shards came to be where they are. A collection is opened with the store, and nothing is copied.

use auth::Action;
use http::Method;
use indices::Index;
use indices::error::Result;
use indices::shape::Shape;
use rest::call::Call;
use rest::resolve::{Options, resolve};
use rest::respond::{Answer, ok};
use rest::server::NODE_ID;
use serde_json::{Map, Value, json};

/// `/{index}/_recovery`.
pub(crate) async fn run(call: &mut Call, expression: &str) -> Result<Answer> {
    call.only(&[Method::GET])?;
    // Nothing is under way, and there are no files that could be listed.
    let only_active = call.parameters.flag("active_only")?.unwrap_or(false);
    let detailed = call.parameters.flag("detailed")?.unwrap_or(false);
    let options = Options::ANY_STATE.taken(&mut call.parameters)?;
    call.parameters.end()?;
    let mut answer = Map::new();
    for name in resolve(call, expression, options)? {
        let index = call.index(&name, Action::Find)?;
        if only_active {
            continue;
        }
        let shards: Vec<Value> = (0..Shape::of(&index).primaries)
            .map(|at| shard(call, &index, at, detailed))
            .collect();
        let shards = json!({"shards": shards});
        call.held.add_shown(&shards)?;
        answer.insert(name, shards);
    }
    Ok(ok(Value::Object(answer)))
}

/// How an index was opened.
pub(crate) fn kind(index: &Index) -> &'static str {
    match index.is_closed() || index.counters().last_flush() != engine::Sequence::START {
        true => "EXISTING_STORE",
        false => "EMPTY_STORE",
    }
}

fn shard(call: &Call, index: &Index, at: u64, detailed: bool) -> Value {
    let address = call.server.published();
    let ip = address.ip().to_string();
    let target = json!({"id": NODE_ID, "host": ip, "transport_address": address.to_string(), "ip": ip, "name": engine::host_name()});
    let started = index.created_ms();
    let mut files = json!({"total": 0, "reused": 0, "recovered": 0, "percent": "0.0%"});
    if detailed {
        files["details"] = json!([]);
    }
    json!({
        "id": at, "type": kind(index), "stage": "DONE", "primary": true,
        "start_time_in_millis": started, "stop_time_in_millis": started, "total_time_in_millis": 0,
        "source": {}, "target": target,
        "index": {
            "size": {"total_in_bytes": 0, "reused_in_bytes": 0, "recovered_in_bytes": 0, "percent": "0.0%"},
            "files": files,
            "total_time_in_millis": 0, "source_throttle_time_in_millis": 0, "target_throttle_time_in_millis": 0,
        },
        "translog": {"recovered": 0, "total": 0, "percent": "100.0%", "total_on_start": 0, "total_time_in_millis": 0},
        "verify_index": {"check_index_time_in_millis": 0, "total_time_in_millis": 0},
    })
}
