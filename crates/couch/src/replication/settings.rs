//! What the settings of `[replicator]` say of replications (`src/couch_replicator/src/couch_replicator_parse.erl`).

use access::config::Config;
use access::error::{CouchError, Result};
use http::StatusCode;
use peer::request::{Endpoint, Request};
use serde_json::{Map, Value};

const SECTION: &str = "replicator";

/// The members of requests whose defaults may be set.
const NUMBERS: [&str; 5] = [
    "checkpoint_interval",
    "connection_timeout",
    "retries_per_request",
    "worker_batch_size",
    "worker_processes",
];
const FLAGS: [&str; 2] = ["use_bulk_get", "use_checkpoints"];

/// A request with what the settings say where it says nothing itself.
pub(crate) fn filled(config: &Config, mut request: Map<String, Value>) -> Map<String, Value> {
    for name in NUMBERS {
        if !request.contains_key(name)
            && let Some(number) = config.number::<u64>(SECTION, name)
        {
            request.insert(name.to_owned(), number.into());
        }
    }
    for name in FLAGS {
        let is_set = config.is_on(SECTION, name) || config.is_off(SECTION, name);
        if is_set && !request.contains_key(name) {
            request.insert(name.to_owned(), config.is_on(SECTION, name).into());
        }
    }
    request
}

/// Whether documents are told that their replication was started, or failed and is tried again; else only how it ended.
pub(super) fn tells_documents(config: &Config) -> bool {
    config.is_on(SECTION, "update_docs")
}

/// Refuses a replication that reaches a side by a protocol that the settings do not let.
pub(crate) fn check(config: &Config, request: &Request) -> Result<()> {
    let Some(allowed) = config.get(SECTION, "valid_endpoint_protocols") else {
        return Ok(());
    };
    let is_allowed = |side: &Endpoint| match side {
        Endpoint::Local(_) => true,
        Endpoint::Remote { url, .. } => {
            let (scheme, _) = url.split_once("://").unwrap_or_default();
            allowed.split(',').any(|allowed| allowed.trim() == scheme)
        }
    };
    match [&request.source, &request.target].into_iter().all(is_allowed) {
        true => Ok(()),
        false => Err(CouchError::new(
            StatusCode::BAD_REQUEST,
            "invalid_replication",
            "endpoint has an invalid url",
        )),
    }
}
