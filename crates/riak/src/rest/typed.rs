//! Data types in JSON, and counters as they were before them.

use super::call::Call;
use super::objects::check_quorums;
use super::respond::{add, empty, json, not_allowed, text};
use crate::buckets::{existing, writable};
use crate::clock::Clock;
use crate::datatype::{Change, EntryChange, FieldKind, FieldName, Kind, MapChange, SetChange, State};
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
    if !is_read && call.method != Method::POST || is_read && key.is_none() {
        return Ok(not_allowed("GET, HEAD, POST"));
    }
    if call.method == Method::POST && !is_json(call) {
        return Ok(empty(StatusCode::NOT_ACCEPTABLE));
    }
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties)?;
    let deadline = call.deadline()?;
    if bucket.is_default_type() {
        return Ok(moved(bucket, key.unwrap_or_default()));
    }
    let kind = typed::kind_of(&properties)?;
    match key.filter(|_| is_read) {
        Some(key) => deadline.run(pin!(fetch(call, bucket, key, kind))).await,
        None => deadline.run(pin!(update(call, bucket, key, kind))).await,
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

async fn fetch(call: &Call, bucket: &Bucket, key: &[u8], kind: Kind) -> Result<Response> {
    let state = match existing(&call.server, &call.access, bucket, Action::Find)? {
        Some(collection) => typed::fetch(&collection, key, kind).await?,
        None => None,
    };
    match state {
        Some(state) => Ok(json(&shown(call, &state)?)),
        None => {
            let mut response = json(&object!({"type": kind.name(), "error": "notfound"}));
            *response.status_mut() = StatusCode::NOT_FOUND;
            Ok(response)
        }
    }
}

fn shown(call: &Call, state: &State) -> Result<Value> {
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

async fn update(call: &Call, bucket: &Bucket, key: Option<&[u8]>, kind: Kind) -> Result<Response> {
    let returns_body = call.flag("returnbody")?.unwrap_or(false);
    let body: Value = serde_json::from_slice(&call.body)
        .map_err(|error| RiakError::bad(format!("Couldn't decode JSON: {error}")))?;
    let seen = match body.get("context") {
        Some(Value::String(text)) => {
            let invalid = || RiakError::bad("the context is none that was given here");
            Some(Clock::from_text(text).ok_or_else(invalid)?)
        }
        _ => None,
    };
    let change = change_of(kind, &body, call.server.engine.now_ms() * 1000)?;
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
        let (kind, name) = (
            percent_encode_bytes(&bucket.kind),
            percent_encode_bytes(&bucket.name),
        );
        let place = format!(
            "/types/{kind}/buckets/{name}/datatypes/{}",
            percent_encode_bytes(&made)
        );
        add(&mut response, "location", place.as_bytes());
    }
    Ok(response)
}

/// `/buckets/B/counters/K`.
pub(crate) async fn counter(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    let properties = call.server.bucket_properties(bucket).await?;
    check_quorums(call, &properties)?;
    let value = |state: &State| match state {
        State::Counter(counter) => counter.value().to_string(),
        _ => String::new(),
    };
    match call.method {
        Method::GET | Method::HEAD => {
            let state = match existing(&call.server, &call.access, bucket, Action::Find)? {
                Some(collection) => typed::fetch(&collection, key, Kind::Counter).await?,
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
            let state = typed::change(&call.server, &collection, key, Kind::Counter, &change, None).await?;
            Ok(match call.is_true("returnvalue") {
                true => text(StatusCode::OK, value(&state)),
                false => empty(StatusCode::NO_CONTENT),
            })
        }
        _ => Ok(not_allowed("GET, HEAD, POST")),
    }
}

fn invalid(kind: &str, what: &Value) -> RiakError {
    RiakError::bad(format!("Invalid operation on datatype '{kind}': {what}"))
}

fn change_of(kind: Kind, body: &Value, time_us: u64) -> Result<Change> {
    Ok(match kind {
        Kind::Counter => Change::Counter(increment(body)?),
        Kind::Set => Change::Set(set_change(body)?),
        Kind::GrowSet => Change::GrowSet(adds(kind, body)?),
        Kind::Hll => Change::Hll(adds(kind, body)?),
        Kind::Map => Change::Map(map_change(body, time_us)?),
    })
}

fn increment(op: &Value) -> Result<i64> {
    let named = |name: &str| op.get(name).and_then(Value::as_i64);
    let down = || named("decrement").and_then(i64::checked_neg);
    op.as_i64()
        .or_else(|| named("increment"))
        .or_else(down)
        .ok_or_else(|| invalid("counter", op))
}

/// The elements of `add` and `add_all`, or of another name.
fn elements(kind: Kind, op: &Value, name: &str) -> Result<Vec<Vec<u8>>> {
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.as_bytes().to_vec()),
        other => Err(invalid(kind.name(), other)),
    };
    let mut all = Vec::new();
    if let Some(one) = op.get(name) {
        all.push(text(one)?);
    }
    if let Some(several) = op.get(format!("{name}_all")) {
        let several = several.as_array().ok_or_else(|| invalid(kind.name(), several))?;
        all.extend(several.iter().map(text).collect::<Result<Vec<_>>>()?);
    }
    Ok(all)
}

fn adds(kind: Kind, op: &Value) -> Result<Vec<Vec<u8>>> {
    match op.is_object() && op.get("remove").is_none() && op.get("remove_all").is_none() {
        true => elements(kind, op, "add"),
        false => Err(invalid(kind.name(), op)),
    }
}

fn set_change(op: &Value) -> Result<SetChange> {
    if !op.is_object() {
        return Err(invalid("set", op));
    }
    Ok(SetChange {
        adds: elements(Kind::Set, op, "add")?,
        removes: elements(Kind::Set, op, "remove")?,
    })
}

fn field_of(name: &str) -> Result<FieldName> {
    let parts = name.rsplit_once('_');
    let field = parts.and_then(|(name, kind)| Some((name.as_bytes().to_vec(), FieldKind::parse(kind)?)));
    field.ok_or_else(|| RiakError::bad(format!("Invalid map field name '{name}'")))
}

fn map_change(op: &Value, time_us: u64) -> Result<MapChange> {
    let mut change = MapChange {
        time_us,
        ..MapChange::default()
    };
    if !op.is_object() {
        return Err(invalid("map", op));
    }
    let removed = match op.get("remove") {
        Some(Value::Array(names)) => names.as_slice(),
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    for name in removed {
        change
            .removes
            .push(field_of(name.as_str().ok_or_else(|| invalid("map", name))?)?);
    }
    let updates = op
        .get("update")
        .map(|updates| updates.as_object().ok_or_else(|| invalid("map", updates)));
    for (name, op) in updates.transpose()?.into_iter().flatten() {
        let field = field_of(name)?;
        let entry = match field.1 {
            FieldKind::Counter => EntryChange::Counter(increment(op)?),
            FieldKind::Set => EntryChange::Set(set_change(op)?),
            FieldKind::Register => {
                let value = op.get("assign").unwrap_or(op).as_str();
                EntryChange::Register(value.ok_or_else(|| invalid("register", op))?.as_bytes().to_vec())
            }
            FieldKind::Flag => match op.as_str() {
                Some("enable") => EntryChange::Flag(true),
                Some("disable") => EntryChange::Flag(false),
                _ => return Err(invalid("flag", op)),
            },
            FieldKind::Map => EntryChange::Map(map_change(op, time_us)?),
        };
        change.updates.push((field, entry));
    }
    Ok(change)
}
