//! `/_reshard`: the splitting of shards (`src/mem3/src/mem3_reshard_httpd.erl`). A database is one shard here and stays one. So jobs may
//! be allowed and forbidden, but there are none, and whoever asks for one is refused.

use super::node::{NODE, SHARD};
use crate::call::Call;
use crate::respond;
use access::error::{CouchError, Result};
use access::security::require_server_admin;
use http::{Method, Response, StatusCode};
use serde_json::{Map, Value, json};

/// The reason that is shown for stopped jobs if the request that stopped them gave none.
const STOPPED_DEFAULT: &str = "Cluster-wide resharding stopped by the user";

/// `/_reshard…`; `path` is what stands after it.
pub(crate) async fn run(call: &mut Call, path: &[&str]) -> Result<Response> {
    require_server_admin(&call.user)?;
    match path {
        [] => summary(call),
        ["state"] => state(call).await,
        ["jobs"] => jobs(call).await,
        ["jobs", _] => no_job(call, &Method::DELETE, "GET,HEAD,DELETE"),
        ["jobs", _, "state"] => no_job(call, &Method::PUT, "GET,HEAD,PUT"),
        _ => Err(CouchError::missing()),
    }
}

/// Whether jobs may run, in CouchDB's words, and why they may not.
fn allowed(call: &Call) -> (&'static str, Option<Value>) {
    let reason = call.server.resharding_stopped.lock().clone();
    let state = if reason.is_some() { "stopped" } else { "running" };
    (state, reason)
}

/// `GET /_reshard`.
fn summary(call: &Call) -> Result<Response> {
    call.require_get()?;
    let (state, reason) = allowed(call);
    let summary = json!({
        "state": state,
        "state_reason": reason,
        "completed": 0,
        "failed": 0,
        "running": 0,
        "stopped": 0,
        "total": 0,
    });
    Ok(respond::ok(summary.to_string()))
}

/// `/_reshard/state`.
async fn state(call: &mut Call) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => {
            let (state, reason) = allowed(call);
            Ok(respond::ok(json!({"state": state, "reason": reason}).to_string()))
        }
        Method::PUT => {
            call.check_is_json()?;
            let body = call.json_map().await?;
            let stopped = match body.get("state").map(Value::as_str) {
                None => return Err(CouchError::bad_request("Expected a `state` field")),
                Some(Some("running")) => None,
                Some(Some("stopped")) => {
                    let reason = body.get("reason").cloned();
                    Some(reason.unwrap_or_else(|| Value::from(STOPPED_DEFAULT)))
                }
                Some(_) => {
                    let reason = "State field not `running` or `stopped`";
                    return Err(CouchError::bad_request(reason));
                }
            };
            *call.server.resharding_stopped.lock() = stopped;
            Ok(respond::ok_true(StatusCode::OK))
        }
        _ => Err(CouchError::method_not_allowed("GET,HEAD,PUT")),
    }
}

/// `/_reshard/jobs`. No POST succeeds, so it is none of the methods that are allowed.
async fn jobs(call: &mut Call) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => {
            let none = json!({"total_rows": 0, "offset": 0, "jobs": []});
            Ok(respond::ok(none.to_string()))
        }
        Method::POST => {
            call.check_is_json()?;
            let body = call.json_map().await?;
            check_job(call, &body)?;
            Err(CouchError::not_implemented(
                "a database is one shard here, which is not split",
            ))
        }
        _ => Err(CouchError::method_not_allowed("GET,HEAD")),
    }
}

/// Refuses what CouchDB would refuse: a wish that is none, and one for shards that are not there.
fn check_job(call: &Call, body: &Map<String, Value>) -> Result<()> {
    let refused = |reason: &'static str| Err(CouchError::bad_request(reason));
    match body.get("node") {
        None => {}
        Some(Value::String(node)) if node == NODE => {}
        Some(Value::String(_)) => return refused("`node` is not a valid node name"),
        Some(_) => return refused("Invalid `node`"),
    }
    match body.get("shard") {
        None => {}
        Some(Value::String(shard)) if is_shard(shard) => {}
        Some(Value::String(_)) => return refused("`shard` is invalid"),
        Some(_) => return refused("Invalid `shard`"),
    }
    match body.get("db") {
        None => {}
        Some(Value::String(name)) if call.database_named(name).is_ok() => {}
        Some(_) => return refused("Invalid `db`"),
    }
    match body.get("range") {
        None => {}
        Some(Value::String(range)) if is_range(range) => {}
        Some(_) => return refused("Invalid `range`"),
    }
    if body.get("type").and_then(Value::as_str) != Some("split") {
        return refused("`job type must be `split`");
    }
    match (body.get("db"), body.get("shard"), body.get("range")) {
        (None, None, _) => refused("Must specify at least `db` or `shard`"),
        (Some(_), Some(_), _) => refused("`db` and `shard` are mutually exclusive"),
        // Nobody was ever told the name of a shard.
        (None, Some(_), _) => Err(CouchError::missing()),
        (Some(_), None, Some(range)) if range != SHARD => Err(CouchError::missing()),
        (Some(_), None, _) => Ok(()),
    }
}

/// Whether a text is of the form of a shard's name, `shards/00000000-ffffffff/…`.
fn is_shard(text: &str) -> bool {
    let named = text.strip_prefix("shards/").and_then(|rest| rest.split_once('/'));
    named.is_some_and(|(range, _)| range.len() == 17 && range.find('-') == Some(8))
}

/// Whether a text is a range of hashes: its first and its last, of eight hexadecimal digits each.
fn is_range(text: &str) -> bool {
    let number =
        |digits: &str| match digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            true => u32::from_str_radix(digits, 16).ok(),
            false => None,
        };
    let ends = text.split_once('-');
    let ends = ends.and_then(|(first, last)| number(first).zip(number(last)));
    ends.is_some_and(|(first, last)| first < last)
}

/// `/_reshard/jobs/{id}` and its state: there is none.
fn no_job(call: &Call, other: &Method, allowed: &'static str) -> Result<Response> {
    match &call.method {
        &Method::GET | &Method::HEAD => Err(CouchError::missing()),
        method if method == other => Err(CouchError::missing()),
        _ => Err(CouchError::method_not_allowed(allowed)),
    }
}
