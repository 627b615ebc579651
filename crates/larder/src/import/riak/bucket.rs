//! Buckets: listed, with their properties, and their keys.

use super::server::Server;
use anyhow::{Context, Result};
use bytes::{Buf, Bytes, BytesMut};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue, Method, ResponseBody, StatusCode, percent_encode};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::fmt;

/// The properties that are copied; others say how a cluster works, not what it keeps.
const COPIED: [&str; 15] = [
    "n_val",
    "allow_mult",
    "last_write_wins",
    "r",
    "w",
    "dw",
    "rw",
    "pr",
    "pw",
    "notfound_ok",
    "basic_quorum",
    "old_vclock",
    "young_vclock",
    "small_vclock",
    "big_vclock",
];

/// What a bucket holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BucketKind {
    Objects,
    DataType,
}

/// A bucket that is copied.
#[derive(Clone, Debug)]
pub(super) struct Bucket {
    /// The bucket type, if it is not `default`.
    bucket_type: Option<String>,
    name: String,
    pub(super) kind: BucketKind,
    /// The properties that it has in the end.
    properties: Map<String, Value>,
}

impl fmt::Display for Bucket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}/{}",
            self.bucket_type.as_deref().unwrap_or("default"),
            self.name
        )
    }
}

#[derive(Deserialize)]
struct Listed {
    #[serde(default)]
    buckets: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Properties {
    #[serde(default)]
    props: Map<String, Value>,
}

/// The names of a bucket type's buckets.
pub(super) async fn list(source: &Server, bucket_type: Option<&str>) -> Result<Vec<String>> {
    let path = format!("{}/buckets?buckets=true", prefix(bucket_type));
    let answer = source.get(&path, HeaderMap::new()).await?;
    match answer.status {
        StatusCode::OK => {
            let listed: Listed =
                serde_json::from_slice(&answer.body).context("the list of buckets has an unknown form")?;
            Ok(listed.buckets)
        }
        _ => Err(answer.unexpected(&format!("the buckets of {source} cannot be listed"))),
    }
}

fn prefix(bucket_type: Option<&str>) -> String {
    bucket_type.map_or_else(String::new, |name| format!("/types/{}", percent_encode(name)))
}

impl Bucket {
    /// Reads what the source says of it, and makes it ready to take siblings.
    pub(super) async fn open(
        source: &Server,
        target: &Server,
        bucket_type: Option<String>,
        name: String,
    ) -> Result<Bucket> {
        let mut bucket = Bucket {
            bucket_type,
            name,
            kind: BucketKind::Objects,
            properties: Map::new(),
        };
        let answer = source.get(&bucket.path("/props"), HeaderMap::new()).await?;
        if answer.status != StatusCode::OK {
            return Err(answer.unexpected(&format!("the properties of {bucket} cannot be read")));
        }
        let known: Properties =
            serde_json::from_slice(&answer.body).context("the bucket's properties have an unknown form")?;
        let copied = known
            .props
            .iter()
            .filter(|(name, _)| COPIED.contains(&name.as_str()));
        bucket.properties = copied
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        match (known.props.get("datatype"), &bucket.bucket_type) {
            (Some(datatype), Some(bucket_type)) => {
                bucket.kind = BucketKind::DataType;
                // A type has its data type before it has anything else.
                let path = format!("/types/{}/props", percent_encode(bucket_type));
                put(target, &path, &json!({"datatype": datatype, "allow_mult": true})).await?;
            }
            _ => {
                // Siblings that the source still has, although it makes none any more, are kept too.
                let open = json!({"allow_mult": true, "last_write_wins": false});
                put(target, &bucket.path("/props"), &open).await?;
            }
        }
        Ok(bucket)
    }

    /// Gives it the properties that it has at the source.
    pub(super) async fn finish(&self, target: &Server) -> Result<()> {
        if self.kind == BucketKind::DataType || self.properties.is_empty() {
            return Ok(());
        }
        put(
            target,
            &self.path("/props"),
            &Value::Object(self.properties.clone()),
        )
        .await
    }

    /// The path of what belongs to it.
    pub(super) fn path(&self, rest: &str) -> String {
        let prefix = prefix(self.bucket_type.as_deref());
        format!("{prefix}/buckets/{}{rest}", percent_encode(&self.name))
    }

    /// The path of an object.
    pub(super) fn object(&self, kind: &str, key: &str) -> String {
        self.path(&format!("/{kind}/{}", percent_encode(key)))
    }

    pub(super) fn has_type(&self) -> bool {
        self.bucket_type.is_some()
    }
}

async fn put(target: &Server, path: &str, properties: &Value) -> Result<()> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let body = json!({"props": properties}).to_string();
    let answer = target
        .ask_again(Method::PUT, path, headers, Bytes::from(body))
        .await?;
    match answer.status.is_success() {
        true => Ok(()),
        false => Err(answer.unexpected(&format!("{target}{path} cannot be set"))),
    }
}

/// The keys of a bucket as they come: objects of JSON one after the other.
pub(super) struct Keys {
    body: ResponseBody,
    buffer: BytesMut,
    place: String,
}

#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    keys: Vec<String>,
    error: Option<Value>,
}

impl Keys {
    pub(super) async fn open(source: &Server, bucket: &Bucket) -> Result<Keys> {
        let path = bucket.path("/keys?keys=stream");
        Ok(Keys {
            body: source.stream(&path).await?.body,
            buffer: BytesMut::new(),
            place: format!("{source}{path}"),
        })
    }

    /// The next page; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Vec<String>>> {
        loop {
            let mut pages = serde_json::Deserializer::from_slice(&self.buffer).into_iter::<Page>();
            match pages.next() {
                Some(Ok(page)) => {
                    let read = pages.byte_offset();
                    self.buffer.advance(read);
                    if let Some(error) = page.error {
                        anyhow::bail!("{}: {error}", self.place);
                    }
                    return Ok(Some(page.keys));
                }
                Some(Err(error)) if !error.is_eof() => {
                    return Err(error)
                        .with_context(|| format!("{}: the list of keys has an unknown form", self.place));
                }
                _ => {}
            }
            match self.body.chunk().await.with_context(|| self.place.clone())? {
                Some(chunk) => self.buffer.extend_from_slice(&chunk),
                None if self.buffer.iter().all(u8::is_ascii_whitespace) => return Ok(None),
                None => anyhow::bail!("{}: the list of keys was cut off", self.place),
            }
        }
    }
}
