//! What is asked of a replication (`src/couch_replicator/src/couch_replicator_parse.erl`, `convert_options`).

mod endpoint;
mod error;
mod id;

pub use endpoint::Endpoint;
pub use error::RequestError;
pub use id::JobId;

use error::Result;
use http::percent_decode;
use replicate::{Filter, Options};
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long one request may take, in milliseconds (CouchDB's `connection_timeout`).
const CONNECTION_TIMEOUT_MS: u64 = 30_000;
/// How often one request is tried again (CouchDB's `retries_per_request`).
const RETRIES: u64 = 5;
/// The most that the numbers of a request may say.
const BATCHES_MAX: u64 = 64;
const BATCH_ROWS_MAX: u64 = 10_000;

/// A replication that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Where documents are read.
    pub source: Endpoint,
    /// Where they are written.
    pub target: Endpoint,
    /// What is copied, and how.
    pub options: Options,
    /// How long one request may take.
    pub request_time_max: Duration,
    /// How often one request is tried again.
    pub retries: u32,
    /// Whether many documents may be read at once.
    pub use_bulk_get: bool,
}

/// What a body of `_replicate` asks for.
#[derive(Clone, Debug)]
pub enum ReplicationCommand {
    /// To replicate.
    Start(Box<Request>),
    /// To end what this request would start.
    Cancel(Box<Request>),
    /// To end the replication of this id.
    CancelId(String),
}

impl ReplicationCommand {
    /// Reads a body.
    pub fn parse(body: &Map<String, Value>) -> Result<ReplicationCommand> {
        let is_cancelled = flag(body, "cancel")?.unwrap_or(false);
        let named = ["_local_id", "replication_id", "id"]
            .into_iter()
            .find_map(|name| body.get(name));
        match (is_cancelled, named) {
            // A plus that was decoded as a space on its way.
            (true, Some(Value::String(id))) => Ok(ReplicationCommand::CancelId(id.replace(' ', "+"))),
            (true, _) => Ok(ReplicationCommand::Cancel(Box::new(Request::parse(body)?))),
            (false, _) => Ok(ReplicationCommand::Start(Box::new(Request::parse(body)?))),
        }
    }
}

impl Request {
    /// Reads what is asked; names that are not known mean nothing, as in CouchDB.
    pub fn parse(body: &Map<String, Value>) -> Result<Request> {
        refuse_what_is_missing_here(body)?;
        let parameters = object(body, "create_target_params", "a JSON object")?;
        let create_target = flag(body, "create_target")?.unwrap_or(false);
        let defaults = Options::default();
        let options = Options {
            continuous: flag(body, "continuous")?.unwrap_or(false),
            create_target: create_target.then(|| parameters.unwrap_or_default()),
            filter: filter(body)?,
            since: body.get("since_seq").filter(|since| !since.is_null()).cloned(),
            winners_only: flag(body, "winning_revs_only")?.unwrap_or(false),
            use_checkpoints: flag(body, "use_checkpoints")?.unwrap_or(true),
            checkpoint_interval: number(body, "checkpoint_interval")?
                .map_or(defaults.checkpoint_interval, |ms| {
                    Duration::from_millis(ms.max(100))
                }),
            batches: size(body, "worker_processes", BATCHES_MAX)?.unwrap_or(defaults.batches),
            batch_rows: size(body, "worker_batch_size", BATCH_ROWS_MAX)?.unwrap_or(defaults.batch_rows),
        };
        Ok(Request {
            source: Endpoint::parse(body.get("source"))?,
            target: Endpoint::parse(body.get("target"))?,
            options,
            request_time_max: Duration::from_millis(
                number(body, "connection_timeout")?
                    .unwrap_or(CONNECTION_TIMEOUT_MS)
                    .max(1),
            ),
            retries: u32::try_from(number(body, "retries_per_request")?.unwrap_or(RETRIES))
                .unwrap_or(u32::MAX),
            use_bulk_get: flag(body, "use_bulk_get")?.unwrap_or(true),
        })
    }
}

fn refuse_what_is_missing_here(body: &Map<String, Value>) -> Result<()> {
    for name in ["proxy", "source_proxy", "target_proxy"] {
        if body
            .get(name)
            .is_some_and(|value| !value.is_null() && value != "")
        {
            return Err(RequestError::not_implemented(format!(
                "`{name}` is not supported: a replication reaches its peers without a proxy"
            )));
        }
    }
    Ok(())
}

fn filter(body: &Map<String, Value>) -> Result<Filter> {
    let given = |name: &str| body.get(name).filter(|value| !value.is_null());
    let (ids, selector, filter) = (given("doc_ids"), given("selector"), given("filter"));
    if [ids, selector, filter].into_iter().flatten().count() > 1 {
        return Err(RequestError::bad_request(
            "`doc_ids`,`filter`,`selector` are mutually exclusive",
        ));
    }
    if let Some(ids) = ids {
        return named_ids(ids).map(Filter::Ids);
    }
    match (selector, filter) {
        (Some(selector), _) if selector.is_object() => Ok(Filter::Selector(selector.clone())),
        (Some(_), _) => Err(wrong("selector", "a JSON object")),
        (None, Some(Value::String(name))) if !name.starts_with('_') && !name.contains('/') => Err(
            RequestError::bad_request("Invalid filter. Must match `ddocname/filtername`."),
        ),
        (None, Some(Value::String(name))) => Ok(Filter::Named {
            name: name.clone(),
            parameters: object(body, "query_params", "an object")?.unwrap_or_default(),
        }),
        (None, Some(_)) => Err(wrong("filter", "a string")),
        (None, None) => Ok(Filter::All),
    }
}

/// Ids may come percent-encoded, as in old versions.
fn named_ids(ids: &Value) -> Result<Vec<String>> {
    let ids = ids.as_array().ok_or_else(|| wrong("doc_ids", "an array"))?;
    let id = |id: &Value| {
        let text = id
            .as_str()
            .ok_or_else(|| wrong("doc_ids", "an array of strings"))?;
        Ok(percent_decode(text).map_or_else(|| text.to_owned(), std::borrow::Cow::into_owned))
    };
    let sorted: BTreeSet<String> = ids.iter().map(id).collect::<Result<_>>()?;
    Ok(sorted.into_iter().collect())
}

fn wrong(name: &str, wanted: &str) -> RequestError {
    RequestError::bad_request(format!("parameter `{name}` must be {wanted}"))
}

fn flag(body: &Map<String, Value>, name: &str) -> Result<Option<bool>> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(_) => Err(wrong(name, "a boolean")),
    }
}

fn object(body: &Map<String, Value>, name: &str, wanted: &str) -> Result<Option<Map<String, Value>>> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(Some(object.clone())),
        Some(_) => Err(wrong(name, wanted)),
    }
}

fn number(body: &Map<String, Value>, name: &str) -> Result<Option<u64>> {
    match body.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => text.parse().map(Some).map_err(|_| wrong(name, "an integer")),
        Some(value) => value.as_u64().map(Some).ok_or_else(|| wrong(name, "an integer")),
    }
}

fn size(body: &Map<String, Value>, name: &str, max: u64) -> Result<Option<usize>> {
    let number = number(body, name)?;
    Ok(number.and_then(|number| usize::try_from(number.clamp(1, max)).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parse(body: Value) -> Result<ReplicationCommand> {
        ReplicationCommand::parse(body.as_object().expect("an object"))
    }

    #[test]
    fn two_filters_at_once_are_refused() {
        let body = json!({"source": "a", "target": "b", "doc_ids": ["x"], "selector": {}});
        assert!(parse(body).is_err());
    }

    #[test]
    fn a_cancellation_names_an_id_or_what_it_ends() {
        let by_id = parse(json!({"cancel": true, "_local_id": "abc continuous"}));
        assert!(matches!(by_id, Ok(ReplicationCommand::CancelId(id)) if id == "abc+continuous"));
        let by_request = parse(json!({"cancel": true, "source": "a", "target": "b"}));
        assert!(matches!(by_request, Ok(ReplicationCommand::Cancel(_))));
    }

    #[test]
    fn wrong_kinds_of_values_are_refused() {
        for (name, value) in [
            ("continuous", json!(1)),
            ("create_target", json!("yes")),
            ("doc_ids", json!({})),
            ("selector", json!([])),
            ("filter", json!("nowhere")),
            ("checkpoint_interval", json!("soon")),
            ("proxy", json!("http://proxy:8080")),
        ] {
            let mut body = json!({"source": "a", "target": "b"});
            body[name] = value;
            assert!(parse(body).is_err(), "{name}");
        }
    }
}
