//! Copying one object with its siblings.

use super::bucket::Bucket;
use super::server::{Answer, Server};
use super::{Outcome, datatype, multipart};
use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, IF_NONE_MATCH, LINK};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

/// What real Riak says of a sibling that is a deletion.
const DELETED: &str = "x-riak-deleted";
const KEPT: [HeaderName; 3] = [CONTENT_TYPE, CONTENT_ENCODING, LINK];

/// One value with what belongs to it.
#[derive(Clone, Debug)]
struct Sibling {
    headers: HeaderMap,
    value: Bytes,
}

pub(super) async fn copy(source: &Server, target: &Server, bucket: &Bucket, key: &str) -> Result<Outcome> {
    let path = bucket.object("keys", key);
    let siblings = read(source, &path).await?;
    let Some((last, earlier)) = siblings.split_first() else {
        return Ok(Outcome::Gone);
    };
    if !bucket.has_type() && is_counter(last) {
        return datatype::copy_counter(source, target, bucket, key).await;
    }
    // The newest comes last, so that other protocols see it.
    let mut left: Vec<&Sibling> = earlier.iter().rev().chain([last]).collect();
    let first = left.remove(0);
    let mut headers = first.headers.clone();
    headers.insert(IF_NONE_MATCH, HeaderValue::from_static("*"));
    let answer = target
        .ask_again(Method::PUT, &path, headers, first.value.clone())
        .await?;
    let known = match answer.status {
        StatusCode::PRECONDITION_FAILED => {
            left.insert(0, first);
            read(target, &path).await?
        }
        _ => {
            written(&answer)?;
            Vec::new()
        }
    };
    for sibling in left {
        if !known.iter().any(|known| is_same(known, sibling)) {
            // Without a clock: it has seen none of the others.
            written(
                &target
                    .ask(Method::PUT, &path, sibling.headers.clone(), sibling.value.clone())
                    .await?,
            )?;
        }
    }
    Ok(Outcome::Copied)
}

fn written(answer: &Answer) -> Result<()> {
    match answer.status.is_success() {
        true => Ok(()),
        false => Err(answer.unexpected("it was refused")),
    }
}

/// The siblings of an object, the newest first; empty if it is deleted.
async fn read(server: &Server, path: &str) -> Result<Vec<Sibling>> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("multipart/mixed, */*;q=0.5"));
    let answer = server.get(path, headers).await?;
    match answer.status {
        StatusCode::OK => Ok(vec![Sibling {
            headers: kept(&answer.headers),
            value: answer.body,
        }]),
        StatusCode::MULTIPLE_CHOICES => {
            let boundary = answer.header("content-type").and_then(multipart::boundary);
            let boundary = boundary.context("siblings without a boundary")?;
            let parts =
                multipart::parts(&answer.body, boundary).context("the siblings have an unknown form")?;
            let there = parts
                .into_iter()
                .filter(|(headers, _)| !headers.contains_key(DELETED));
            Ok(there
                .map(|(headers, value)| Sibling {
                    headers: kept(&headers),
                    value,
                })
                .collect())
        }
        StatusCode::NOT_FOUND => Ok(Vec::new()),
        _ => bail!(answer.unexpected("it cannot be read")),
    }
}

/// The headers that belong to the object.
fn kept(headers: &HeaderMap) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        let is_own = name.as_str().starts_with("x-riak-meta-") || name.as_str().starts_with("x-riak-index-");
        if is_own || KEPT.contains(name) {
            kept.append(name.clone(), value.clone());
        }
    }
    // What was stored without a type is given with this one.
    kept.entry(CONTENT_TYPE)
        .or_insert(HeaderValue::from_static("application/octet-stream"));
    kept
}

fn is_counter(sibling: &Sibling) -> bool {
    let kind = sibling
        .headers
        .get(CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    kind.is_some_and(|kind| kind.starts_with("application/riak_counter"))
}

/// Whether both have one value and metadata; links are written in another order by some.
fn is_same(one: &Sibling, other: &Sibling) -> bool {
    let told = |sibling: &Sibling| {
        let mut told: Vec<(String, Vec<u8>)> = Vec::new();
        for (name, value) in sibling.headers.iter().filter(|(name, _)| **name != LINK) {
            // Terms of one name may come in one header or in several.
            let terms = value.as_bytes().split(|&byte| byte == b',');
            told.extend(terms.map(|term| (name.as_str().to_owned(), term.trim_ascii().to_vec())));
        }
        told.sort();
        told
    };
    one.value == other.value && told(one) == told(other)
}
