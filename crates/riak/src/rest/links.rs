//! Link walking: `/buckets/B/keys/K/BUCKET,TAG,KEEP/…`, step by step to the objects to which links point.

use super::call::Call;
use super::multipart;
use super::respond::{empty, not_allowed, text};
use crate::access::Access;
use crate::buckets::existing;
use crate::content::Link;
use crate::error::{Result, RiakError};
use crate::names::{Bucket, unescaped};
use crate::object::{Object, Sibling};
use crate::server::Server;
use auth::Action;
use http::{Method, Response, StatusCode};
use memory::{Holder, Share};
use std::collections::BTreeSet;

const MALFORMED: &str = "Invalid link walk query submitted. Valid link walk query format is: \
    /riak/some_bucket/some_key/<bucket>,<riaktag>,0|1/...";

/// One step: links of which bucket and tag, and whether its objects are part of the answer.
struct Step {
    bucket: Option<Vec<u8>>,
    tag: Option<Vec<u8>>,
    keeps: bool,
}

type Named = (Bucket, Vec<u8>, Object);

/// Answers a path that ends in so many steps.
pub(crate) async fn walk(call: &Call, bucket: &Bucket, key: &[u8], steps: usize) -> Result<Response> {
    if !call.is(&[Method::GET, Method::HEAD, Method::POST]) {
        return Ok(not_allowed("GET, HEAD, POST"));
    }
    let Some(steps) = read(&call.encoded_end(steps)) else {
        return Ok(text(StatusCode::BAD_REQUEST, MALFORMED));
    };
    if !bucket.is_default_type() {
        return Err(RiakError::forbidden(
            "Link-walking is not allowed on keys stored in bucket-types.",
        ));
    }
    let Some(start) = object(&call.server, &call.access, bucket, key).await? else {
        return Ok(text(StatusCode::NOT_FOUND, "not found\n"));
    };
    if call.method == Method::POST {
        // It does nothing, and is there for clients to forget what they have kept.
        return Ok(empty(StatusCode::NO_CONTENT));
    }
    let mut share = call.server.engine.memory().share(Holder::Answers);
    let mut kept = Vec::new();
    let mut present = vec![(bucket.clone(), key.to_vec(), start)];
    for step in &steps {
        present = follow(call, &present, step, &mut share).await?;
        if step.keeps {
            kept.push(present.clone());
        }
    }
    multipart::walked(call, &kept).await
}

/// The steps of a path, still encoded: an escaped comma is part of a name. `None` if one has another form.
fn read(steps: &[&str]) -> Option<Vec<Step>> {
    let last = steps.len().checked_sub(1)?;
    let step = |(at, step): (usize, &&str)| {
        let parts: Vec<&str> = step.split(',').collect();
        let [bucket, tag, keeps] = parts.as_slice() else {
            return None;
        };
        let wanted = |name: &str| (name != "_").then(|| unescaped(name));
        Some(Step {
            bucket: wanted(bucket),
            tag: wanted(tag),
            // A walk of one step is for what it finds.
            keeps: *keeps == "1" || at == last && (*keeps != "0" || last == 0),
        })
    };
    steps.iter().enumerate().map(step).collect()
}

async fn follow(call: &Call, from: &[Named], step: &Step, share: &mut Share) -> Result<Vec<Named>> {
    let is_wanted =
        |wanted: &Option<Vec<u8>>, given: &[u8]| wanted.as_ref().is_none_or(|wanted| wanted == given);
    let links = from.iter().flat_map(|(_, _, object)| object.links());
    let links =
        links.filter(|link: &&Link| is_wanted(&step.bucket, &link.bucket) && is_wanted(&step.tag, &link.tag));
    let names: BTreeSet<(&[u8], &[u8])> = links
        .map(|link| (link.bucket.as_slice(), link.key.as_slice()))
        .collect();
    let mut found = Vec::new();
    for (bucket, key) in names {
        engine::steps(1)?;
        let bucket = Bucket::new(None, bucket)?;
        if let Some(object) = object(&call.server, &call.access, &bucket, key).await? {
            let room = share.add(bytes_of(&object, step.keeps));
            room.map_err(|full| RiakError::new(StatusCode::SERVICE_UNAVAILABLE, full.to_string()))?;
            found.push((bucket, key.to_vec(), object));
        }
    }
    Ok(found)
}

/// What a found object takes. All but its values is kept twice if it is part of the answer: there, and for the next step.
fn bytes_of(object: &Object, is_kept: bool) -> usize {
    let of = |sibling: &Sibling| {
        let (all, value) = (sibling.content.memory_bytes(), sibling.content.value.len());
        if is_kept { 2 * all - value } else { all }
    };
    object.siblings.iter().map(of).sum()
}

async fn object(server: &Server, access: &Access, bucket: &Bucket, key: &[u8]) -> Result<Option<Object>> {
    let Some(collection) = existing(server, access, bucket, Action::Find)? else {
        return Ok(None);
    };
    Ok(Some(Object::read(&collection, key).await?).filter(Object::exists))
}
