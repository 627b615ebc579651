//! Copying objects of data types by their values, since their states belong to the cluster.

use super::Outcome;
use super::bucket::Bucket;
use super::server::{Answer, Server};
use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use serde_json::{Map, Value, json};

pub(super) async fn copy(source: &Server, target: &Server, bucket: &Bucket, key: &str) -> Result<Outcome> {
    let path = bucket.object("datatypes", key);
    let answer = source.get(&path, HeaderMap::new()).await?;
    let value: Value = match answer.status {
        StatusCode::OK => {
            serde_json::from_slice(&answer.body).context("the object's data type has an unknown form")?
        }
        StatusCode::NOT_FOUND => return Ok(Outcome::Gone),
        _ => bail!(answer.unexpected("it cannot be read")),
    };
    // One request makes all of it, so an object that exists is whole.
    let present = target.get(&path, HeaderMap::new()).await?;
    if present.status == StatusCode::OK {
        return Ok(Outcome::Copied);
    }
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default();
    let change = change(kind, value.get("value").unwrap_or(&Value::Null))?;
    post(target, &path, "application/json", change.to_string()).await
}

/// A counter of a bucket without a type.
pub(super) async fn copy_counter(
    source: &Server,
    target: &Server,
    bucket: &Bucket,
    key: &str,
) -> Result<Outcome> {
    let path = bucket.object("counters", key);
    let answer = source.get(&path, HeaderMap::new()).await?;
    match answer.status {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND => return Ok(Outcome::Gone),
        _ => bail!(answer.unexpected("it cannot be read")),
    }
    if target.get(&path, HeaderMap::new()).await?.status == StatusCode::OK {
        return Ok(Outcome::Copied);
    }
    let value = String::from_utf8_lossy(&answer.body).trim().to_owned();
    post(target, &path, "text/plain", value).await
}

async fn post(target: &Server, path: &str, kind: &'static str, body: String) -> Result<Outcome> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    let answer: Answer = target.ask(Method::POST, path, headers, Bytes::from(body)).await?;
    match answer.status.is_success() {
        true => Ok(Outcome::Copied),
        false => Err(answer.unexpected("it was refused")),
    }
}

/// The operation that makes a value out of nothing.
fn change(kind: &str, value: &Value) -> Result<Value> {
    match kind {
        "counter" => Ok(json!({"increment": value})),
        "set" | "gset" => Ok(json!({"add_all": value})),
        "map" => Ok(json!({"update": fields(value)?})),
        other => bail!("an object of the data type {other} cannot be made of its value"),
    }
}

fn fields(map: &Value) -> Result<Value> {
    let map = map.as_object().context("the map has an unknown form")?;
    let mut update = Map::new();
    for (name, value) in map {
        let operation = match name.rsplit_once('_').map(|(_, kind)| kind) {
            Some("register") => json!({"assign": value}),
            Some("flag") => json!(if value == &Value::Bool(true) {
                "enable"
            } else {
                "disable"
            }),
            Some(kind @ ("counter" | "set" | "map")) => {
                let operation = change(kind, value)?;
                match kind {
                    "counter" => value.clone(),
                    _ => operation,
                }
            }
            _ => bail!("the field {name} of a map is of no type that is known"),
        };
        update.insert(name.clone(), operation);
    }
    Ok(Value::Object(update))
}
