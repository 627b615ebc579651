//! Data types in JSON, and counters as they were before them.

use super::call::Call;
use super::objects::{check_quorums, place};
use super::operations;
use super::respond::{add, empty, json, not_allowed, text};
use crate::buckets::{Purpose, existing, writable};
use crate::datatype::{Change, DataType, DataTypeState};
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::keys::new_key;
use crate::names::Bucket;
use crate::pb::require_siblings;
use crate::typed;
use auth::Action;
use http::{Method, Response, StatusCode, percent_encode_bytes};
use serde_json::{Map, Value, json as object};
use std::pin::pin;

/// `/types/T/buckets/B/datatypes/K`, and without a key, which is made then.
pub(crate) async fn run(call: &Call, bucket: &Bucket, key: Option<&[u8]>) -> Result<Response> {
    let is_read = call.is(&[Method::GET, Method::HEAD]);
    if !is_read && call.method != Method::POST {
        return Ok(not_allowed("GET, HEAD, POST"));
    }
    if call.method == Method::POST && !is_json(call) {
        return Ok(empty(StatusCode::NOT_ACCEPTABLE));
    }
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties, purpose(call))?;
    for name in ["include_context", "returnbody"] {
        call.flag(name)?;
    }
    let deadline = deadline(call)?;
    if bucket.is_default_type() {
        return Ok(moved(bucket, key.unwrap_or_default()));
    }
    let kind = typed::kind_of(&properties)?;
    match (is_read, key) {
        (true, Some(key)) => deadline.run(pin!(fetch(call, bucket, key, kind))).await,
        (true, None) => Ok(not_found(kind)),
        (false, key) => deadline.run(pin!(update(call, bucket, key, kind))).await,
    }
}

/// The time that the client waits, which is read by other words than that of objects.
fn deadline(call: &Call) -> Result<Deadline> {
    let Some(text) = call.parameter("timeout") else {
        return Ok(Deadline::default());
    };
    let wanted = match text.parse::<i64>() {
        Ok(ms) if ms >= 0 => return Ok(Deadline::of(u32::try_from(ms).ok())),
        Ok(_) => "an integer greater than 0 (or 0 for disabled)",
        Err(_) => "an integer greater than 0",
    };
    let reason = format!("timeout query parameter must be {wanted}, {text} is invalid");
    Err(RiakError::bad(reason))
}

fn not_found(kind: DataType) -> Response {
    let mut response = json(&object!({"type": kind.name(), "error": "notfound"}));
    *response.status_mut() = StatusCode::NOT_FOUND;
    response
}

fn purpose(call: &Call) -> Purpose {
    match call.is(&[Method::GET, Method::HEAD]) {
        true => Purpose::Read,
        false => Purpose::Write,
    }
}

fn is_json(call: &Call) -> bool {
    let kind = call.header("content-type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

/// Where the counters of buckets without a type are.
fn moved(bucket: &Bucket, key: &[u8]) -> Response {
    let mut response = text(
        StatusCode::MOVED_PERMANENTLY,
        "Counters in the default bucket-type should use the legacy URL\n",
    );
    let (name, key) = (percent_encode_bytes(&bucket.name), percent_encode_bytes(key));
    add(
        &mut response,
        "location",
        format!("/buckets/{name}/counters/{key}").as_bytes(),
    );
    response
}

async fn fetch(call: &Call, bucket: &Bucket, key: &[u8], kind: DataType) -> Result<Response> {
    let state = match existing(&call.server, &call.access, bucket, Action::Find)? {
        Some(collection) => typed::fetch(&collection, key, kind).await?,
        None => None,
    };
    match state {
        Some(state) => Ok(json(&shown(call, &state)?)),
        None => Ok(not_found(kind)),
    }
}

fn shown(call: &Call, state: &DataTypeState) -> Result<Value> {
    let mut value = String::new();
    json::write(typed::shown(state).as_ref(), &mut value);
    let mut answer = Map::new();
    answer.insert("type".to_owned(), object!(state.kind().name()));
    answer.insert("value".to_owned(), serde_json::from_str(&value)?);
    let wanted = call.flag("include_context")?.unwrap_or(true);
    if let Some(context) = state.context().filter(|_| wanted) {
        answer.insert("context".to_owned(), object!(context.to_text()));
    }
    Ok(Value::Object(answer))
}

async fn update(call: &Call, bucket: &Bucket, key: Option<&[u8]>, kind: DataType) -> Result<Response> {
    let returns_body = call.flag("returnbody")?.unwrap_or(false);
    let _room = call.server.room_to_decode(&call.body)?;
    let (change, seen) = operations::read(kind, &call.body, call.server.engine.now_ms() * 1000)?;
    call.access.require(Action::Update, &bucket.namespace())?;
    let collection = writable(&call.server, &call.access, bucket, Action::Insert).await?;
    let made = new_key()?;
    let used = key.unwrap_or(&made);
    let state = typed::change(&call.server, &collection, used, kind, &change, seen.as_ref()).await?;
    let mut response = match returns_body {
        true => json(&shown(call, &state)?),
        false => empty(StatusCode::NO_CONTENT),
    };
    if key.is_none() {
        *response.status_mut() = StatusCode::CREATED;
        // As in Riak, the object's path, which has `keys` where the request has `datatypes`.
        add(&mut response, "location", place(call, bucket, &made).as_bytes());
    }
    Ok(response)
}

/// `/buckets/B/counters/K`.
pub(crate) async fn counter(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties, purpose(call))?;
    let value = |state: &DataTypeState| match state {
        DataTypeState::Counter(counter) => counter.value().to_string(),
        _ => String::new(),
    };
    match call.method {
        Method::GET | Method::HEAD => {
            let state = match existing(&call.server, &call.access, bucket, Action::Find)? {
                Some(collection) => typed::fetch_counter(&collection, key).await?,
                None => None,
            };
            Ok(match state {
                Some(state) => text(StatusCode::OK, value(&state)),
                None => text(StatusCode::NOT_FOUND, "not found\n"),
            })
        }
        Method::POST => {
            require_siblings(&properties)?;
            let by = std::str::from_utf8(&call.body)
                .ok()
                .and_then(|text| text.trim().parse().ok());
            let by = by.ok_or_else(|| RiakError::bad("Counter values must be integers"))?;
            call.access.require(Action::Update, &bucket.namespace())?;
            let collection = writable(&call.server, &call.access, bucket, Action::Insert).await?;
            let change = Change::Counter(by);
            let state =
                typed::change(&call.server, &collection, key, DataType::Counter, &change, None).await?;
            Ok(match call.is_true("returnvalue") {
                true => text(StatusCode::OK, value(&state)),
                false => empty(StatusCode::NO_CONTENT),
            })
        }
        _ => Ok(not_allowed("GET, HEAD, POST")),
    }
}
