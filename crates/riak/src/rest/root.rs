//! `/`, `/ping`, `/stats`.

use super::call::Call;
use super::respond::{json, not_allowed, text};
use crate::error::Result;
use auth::Action;
use http::{Method, Response, StatusCode};
use serde_json::json;

/// Where clients find what; they ask it before they begin.
pub(crate) fn resources(call: &Call) -> Response {
    if !call.is(&[Method::GET, Method::HEAD]) {
        return not_allowed("GET, HEAD");
    }
    json(&json!({
        "riak_kv_wm_buckets": "/buckets",
        "riak_kv_wm_bucket_type": "/types",
        "riak_kv_wm_counter": "/buckets",
        "riak_kv_wm_crdt": "/types",
        "riak_kv_wm_index": "/buckets",
        "riak_kv_wm_keylist": "/buckets",
        "riak_kv_wm_link_walker": "/buckets",
        "riak_kv_wm_mapred": "/mapred",
        "riak_kv_wm_object": "/buckets",
        "riak_kv_wm_ping": "/ping",
        "riak_kv_wm_preflist": "/buckets",
        "riak_kv_wm_props": "/buckets",
        "riak_kv_wm_stats": "/stats",
    }))
}

pub(crate) fn ping(call: &Call) -> Response {
    match call.is(&[Method::GET, Method::HEAD]) {
        true => text(StatusCode::OK, "OK"),
        false => not_allowed("GET, HEAD"),
    }
}

pub(crate) fn stats(call: &Call) -> Result<Response> {
    if !call.is(&[Method::GET, Method::HEAD]) {
        return Ok(not_allowed("GET, HEAD"));
    }
    call.access.require_of_server(Action::ServerStatus)?;
    Ok(json(&call.server.stats.to_json()))
}
