//! `/`, `/ping`, `/stats`.

use super::call::Call;
use super::respond::{add, empty, json, not_allowed, text, typed};
use crate::error::Result;
use auth::Action;
use http::{Body, Method, Response, StatusCode, preferred_type};
use serde_json::Value;

/// What is answered, by the names that clients know.
const RESOURCES: [(&str, &str); 13] = [
    ("riak_kv_wm_bucket_type", "/types"),
    ("riak_kv_wm_buckets", "/buckets"),
    ("riak_kv_wm_counter", "/buckets"),
    ("riak_kv_wm_crdt", "/types"),
    ("riak_kv_wm_index", "/buckets"),
    ("riak_kv_wm_keylist", "/buckets"),
    ("riak_kv_wm_link_walker", "/buckets"),
    ("riak_kv_wm_mapred", "/mapred"),
    ("riak_kv_wm_object", "/buckets"),
    ("riak_kv_wm_ping", "/ping"),
    ("riak_kv_wm_preflist", "/buckets"),
    ("riak_kv_wm_props", "/buckets"),
    ("riak_kv_wm_stats", "/stats"),
];

/// Where clients find what; they ask it before they begin, some for the body, some for the links of its head.
pub(crate) fn resources(call: &Call) -> Response {
    if !call.is(&[Method::GET, Method::HEAD]) {
        return not_allowed("GET, HEAD");
    }
    let mut response = match preferred_type(&call.headers, &["text/html", "application/json"]) {
        Some("text/html") => {
            let items = RESOURCES.map(|(name, path)| format!("<li><a href=\"{path}\">{name}</a></li>"));
            let page = format!("<html><body><ul>{}</ul></body></html>", items.concat());
            typed(StatusCode::OK, "text/html", Body::from(page))
        }
        Some(_) => json(&RESOURCES.into_iter().collect::<Value>()),
        None => return empty(StatusCode::NOT_ACCEPTABLE),
    };
    let links = RESOURCES.map(|(name, path)| format!("<{path}>; rel=\"{name}\""));
    add(&mut response, "link", links.join(",").as_bytes());
    add(&mut response, "vary", b"Accept");
    response
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
