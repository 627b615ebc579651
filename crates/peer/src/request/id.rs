//! The id of a replication: the same for the same request on the same server, so that it goes on from its checkpoint.

use super::Request;
use super::endpoint::Endpoint;
use md5::{Digest, Md5};
use replicate::Filter;
use serde_json::{Value, json};
use value::hex;

/// What a replication is found by.
#[derive(Clone, Debug)]
pub struct JobId {
    /// Without what is asked besides; the name of the checkpoints.
    pub base: String,
    /// With what is asked besides.
    pub full: String,
}

impl JobId {
    /// The id of a request on the server of this mark. `filter_text` is that of the function that the request names.
    pub fn of(server: &str, request: &Request, filter_text: Option<&str>) -> JobId {
        let base = base(server, request, filter_text);
        JobId {
            full: full(&base, request),
            base,
        }
    }
}

fn base(server: &str, request: &Request, filter_text: Option<&str>) -> String {
    let options = &request.options;
    let filter = match &options.filter {
        Filter::All => Value::Null,
        Filter::Ids(ids) => json!(["doc_ids", ids]),
        Filter::Selector(selector) => json!(["selector", selector]),
        Filter::Named { name, parameters } => {
            json!(["filter", filter_text.unwrap_or(name), parameters])
        }
    };
    let parts = json!([
        server,
        side(&request.source),
        side(&request.target),
        filter,
        options.winners_only,
        options.since,
    ]);
    hex(&Md5::digest(parts.to_string()))
}

fn full(base: &str, request: &Request) -> String {
    let mut id = base.to_owned();
    if request.options.continuous {
        id.push_str("+continuous");
    }
    if request.options.create_target.is_some() {
        id.push_str("+create_target");
    }
    id
}

/// A password is no part of the id, so that a new one goes on from the same checkpoint.
fn side(endpoint: &Endpoint) -> Value {
    match endpoint {
        Endpoint::Local(name) => json!(["local", name]),
        Endpoint::Remote { url, user, .. } => json!(["remote", user, url]),
    }
}
