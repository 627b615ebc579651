//! The text of the filter that a replication names (`src/couch_replicator/src/couch_replicator_filters.erl`, `fetch`).
//!
//! It is part of the replication's id: with another function the replication begins anew, instead of going on where the one
//! before has left documents out.

use super::transport;
use crate::server::Server;
use access::error::{CouchError, Result};
use access::user::User;
use http::{Method, StatusCode, percent_encode};
use peer::Ask;
use peer::request::Request;
use replicate::Filter;
use serde_json::Value;
use std::sync::Arc;

/// Reads the text from the source; `None` if no function is named.
pub(super) async fn text(server: &Arc<Server>, request: &Request, user: &User) -> Result<Option<String>> {
    let Filter::Named { name, .. } = &request.options.filter else {
        return Ok(None);
    };
    let (design, function) = match name.split_once('/') {
        Some(named) if !name.starts_with('_') => named,
        // One of the protocol itself.
        _ => return Ok(None),
    };
    let transport = transport::to(
        server,
        &request.source,
        user,
        request.request_time_max,
        request.retries,
    );
    let ask = Ask::new(Method::GET, format!("/_design/{}", percent_encode(design)));
    let not_opened = |why: String| {
        failed(format!(
            "Couldn't open document `_design/{design}` from source database `{}`: {why}",
            transport.name()
        ))
    };
    let (status, body) = transport
        .whole(&ask)
        .await
        .map_err(|error| not_opened(error.to_string()))?;
    if status != StatusCode::OK {
        return Err(not_opened(transport.answered(&ask, status, &body).to_string()));
    }
    let document: Value = serde_json::from_slice(&body).map_err(|error| not_opened(error.to_string()))?;
    let text = document
        .get("filters")
        .and_then(|filters| filters.get(function))
        .and_then(Value::as_str);
    text.map(|text| Some(text.trim().to_owned())).ok_or_else(|| {
        failed(format!(
            "Couldn't parse filter code from document `_design/{design}` on `{}`: it has no filter `{function}`",
            transport.name()
        ))
    })
}

fn failed(reason: String) -> CouchError {
    CouchError::new(StatusCode::NOT_FOUND, NOT_FETCHED, reason)
}

/// CouchDB's word for a filter that is not there, which may be there later.
const NOT_FETCHED: &str = "not_found";

/// Whether a replication could not be started because its filter is not there, or not yet.
pub(super) fn is_not_fetched(error: &CouchError) -> bool {
    error.error == NOT_FETCHED
}
