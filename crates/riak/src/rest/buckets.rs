//! Buckets: listing them and their keys, their properties.

use super::call::Call;
use super::objects;
use super::respond::{empty, json, not_allowed, typed};
use crate::buckets::{self, existing};
use crate::error::{Result, RiakError};
use crate::limits::LISTED_AT_ONCE;
use crate::listing::Keys;
use crate::loose_json;
use crate::names::{Bucket, DEFAULT_TYPE, database};
use crate::preflist::of;
use auth::Action;
use engine::{Namespace, RevisionedCollection};
use http::{Body, BodySender, Method, Response, StatusCode};
use serde_json::{Map, Value, json};
use std::pin::pin;

/// `/buckets?buckets=true` or `=stream`.
pub(crate) async fn list(call: &Call, kind: Option<&[u8]>) -> Result<Response> {
    if !call.is(&[Method::GET, Method::HEAD]) {
        return Ok(not_allowed("GET, HEAD"));
    }
    let kind = kind.unwrap_or(DEFAULT_TYPE);
    let deadline = call.deadline()?;
    let names = pin!(buckets::list(&call.server, &call.access, kind));
    let names = deadline.run(names);
    match call.parameter("buckets") {
        Some("true") => {
            let names = names.await?;
            Ok(json(&json!({"buckets": texts(&names)})))
        }
        Some("stream") => {
            let names = names.await?;
            let pages = names.chunks(LISTED_AT_ONCE);
            let pages = pages.map(|names| json!({"buckets": texts(names)}).to_string().into());
            // An empty one says that it is the last.
            let last = json!({"buckets": []}).to_string().into();
            let body = Body::pieces(pages.chain([last]).collect::<Vec<_>>());
            Ok(typed(StatusCode::OK, "application/json", body))
        }
        _ => Ok(json(&json!({}))),
    }
}

/// `/riak/B`: properties and keys in one; POST makes an object.
pub(crate) async fn old(call: &Call, bucket: &Bucket) -> Result<Response> {
    match call.method {
        Method::POST => objects::post(call, bucket).await,
        Method::PUT => set_properties(call, bucket).await,
        Method::GET | Method::HEAD => {
            let mut answer = Map::new();
            if call.parameter("props") != Some("false") {
                answer.insert("props".to_owned(), own_properties(call, bucket).await?);
            }
            match call.parameter("keys") {
                Some("true") => return with_keys(call, bucket, answer).await,
                Some("stream") => return stream_keys(call, bucket, Some(Value::Object(answer))).await,
                _ => {}
            }
            Ok(json(&Value::Object(answer)))
        }
        _ => Ok(not_allowed("GET, HEAD, POST, PUT")),
    }
}

/// `/buckets/B/keys`.
pub(crate) async fn keys(call: &Call, bucket: &Bucket) -> Result<Response> {
    match call.method {
        Method::POST => return objects::post(call, bucket).await,
        Method::GET | Method::HEAD => {}
        _ => return Ok(not_allowed("GET, HEAD, POST")),
    }
    match call.parameter("keys") {
        Some("true") => with_keys(call, bucket, Map::new()).await,
        Some("stream") => stream_keys(call, bucket, None).await,
        _ => Ok(json(&json!({}))),
    }
}

/// All keys in one, beside what else an answer says. That they take too long is an answer of its own, with the status of any other.
async fn with_keys(call: &Call, bucket: &Bucket, mut answer: Map<String, Value>) -> Result<Response> {
    let deadline = call.read_deadline()?;
    match deadline.run(pin!(all_keys(call, bucket))).await {
        Ok(keys) => answer.insert("keys".to_owned(), keys),
        Err(_) if deadline.is_past() => return Ok(json(&json!({"error": "timeout"}))),
        Err(error) => return Err(error),
    };
    Ok(json(&Value::Object(answer)))
}

async fn all_keys(call: &Call, bucket: &Bucket) -> Result<Value> {
    let mut all = Vec::new();
    if let Some(collection) = existing(&call.server, &call.access, bucket, Action::Find)? {
        let mut keys = Keys::all(&collection).await?;
        loop {
            let page = keys.next().await?;
            if page.is_empty() {
                break;
            }
            all.extend(texts(&page));
        }
    }
    Ok(Value::Array(all))
}

/// The keys page by page, after what is sent before them.
async fn stream_keys(call: &Call, bucket: &Bucket, first: Option<Value>) -> Result<Response> {
    let (deadline, operation) = (call.read_deadline()?, call.operation.clone());
    let collection = existing(&call.server, &call.access, bucket, Action::Find)?;
    let (sender, body) = Body::channel(None);
    tokio::spawn(async move {
        if let Some(first) = first {
            sender.send(first.to_string()).await;
        }
        let sending = pin!(send_keys(collection, &sender));
        let sending = pin!(deadline.run(sending));
        let sent = operation.run_for(&sender, sending).await;
        if let Err(error) = sent {
            sender.send(json!({"error": error.message}).to_string()).await;
        }
    });
    Ok(typed(StatusCode::OK, "application/json", body))
}

async fn send_keys(collection: Option<RevisionedCollection>, sender: &BodySender) -> Result<()> {
    if let Some(collection) = collection {
        let mut keys = Keys::all(&collection).await?;
        loop {
            let page = keys.next().await?;
            if page.is_empty() {
                break;
            }
            if !sender.send(json!({"keys": texts(&page)}).to_string()).await {
                return Ok(());
            }
        }
    }
    // An empty page says that it is the last.
    sender.send(json!({"keys": []}).to_string()).await;
    Ok(())
}

/// Names as JSON has them; bytes that are no text are shown as they can be.
fn texts(names: &[Vec<u8>]) -> Vec<Value> {
    let text = |name: &Vec<u8>| Value::from(String::from_utf8_lossy(name));
    names.iter().map(text).collect()
}

/// `/buckets/B/props`.
pub(crate) async fn properties(call: &Call, bucket: &Bucket) -> Result<Response> {
    match call.method {
        Method::GET | Method::HEAD => Ok(json(&json!({"props": own_properties(call, bucket).await?}))),
        Method::PUT => set_properties(call, bucket).await,
        Method::DELETE => {
            call.access.require(Action::CollMod, &bucket.namespace())?;
            call.server.reset_bucket_properties(bucket).await?;
            Ok(empty(StatusCode::NO_CONTENT))
        }
        _ => Ok(not_allowed("GET, HEAD, PUT, DELETE")),
    }
}

async fn own_properties(call: &Call, bucket: &Bucket) -> Result<Value> {
    call.access.require(Action::Find, &bucket.namespace())?;
    let mut properties = call.server.bucket_properties(bucket).await?.0.clone();
    properties.insert("name".to_owned(), json!(String::from_utf8_lossy(&bucket.name)));
    Ok(Value::Object(properties))
}

async fn set_properties(call: &Call, bucket: &Bucket) -> Result<Response> {
    call.access.require(Action::CollMod, &bucket.namespace())?;
    let others = given_properties(call, false)?;
    call.server.set_bucket_properties(bucket, &others).await?;
    Ok(empty(StatusCode::NO_CONTENT))
}

/// `{"props": {…}}`.
fn given_properties(call: &Call, is_of_type: bool) -> Result<Map<String, Value>> {
    let _room = call.server.room_to_decode(&call.body)?;
    let body = loose_json::read(&call.body).unwrap_or(Value::Null);
    let Some(Value::Object(given)) = body.get("props") else {
        let of = if is_of_type { "bucket type" } else { "bucket" };
        return Err(RiakError::bad(format!(
            "{of} PUT must be a JSON object of the form:\n{{\"props\":{{...bucket properties...}}}}"
        )));
    };
    let mut given = given.clone();
    // What the server says of itself comes back when properties are read and put again.
    for name in ["name", "claimant"] {
        given.remove(name);
    }
    Ok(given)
}

/// `/types/T/props`.
pub(crate) async fn type_properties(call: &Call, kind: &[u8]) -> Result<Response> {
    let namespace = Namespace::new(database(kind), "");
    match call.method {
        Method::GET | Method::HEAD => {
            call.access.require(Action::Find, &namespace)?;
            let properties = call.server.type_properties(kind).await?.0;
            Ok(json(&json!({"props": properties})))
        }
        Method::PUT => {
            call.access.require(Action::CollMod, &namespace)?;
            call.server
                .set_type_properties(kind, &given_properties(call, true)?)
                .await?;
            Ok(empty(StatusCode::NO_CONTENT))
        }
        _ => Ok(not_allowed("GET, HEAD, PUT")),
    }
}

/// `/buckets/B/keys/K/preflist`.
pub(crate) async fn preflist(call: &Call, bucket: &Bucket, key: &[u8]) -> Result<Response> {
    if !call.is(&[Method::GET, Method::HEAD]) {
        return Ok(not_allowed("GET, HEAD"));
    }
    call.access.require(Action::Find, &bucket.namespace())?;
    let copies = call.server.bucket_properties(bucket).await?.copies();
    let places = of(bucket, key, copies);
    let places: Vec<Value> = places
        .into_iter()
        .map(|place| json!({"node": place.node, "partition": place.partition, "primary": true}))
        .collect();
    Ok(json(&json!({"preflist": places})))
}
