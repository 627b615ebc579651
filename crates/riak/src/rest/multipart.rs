//! Several siblings in one answer: `multipart/mixed`, a part each.

use super::call::Call;
use super::headers;
use super::respond::add;
use crate::error::Result;
use crate::names::Bucket;
use crate::object::large::{Piece, body_of};
use crate::object::{Object, Sibling};
use crate::random::random;
use http::{Body, HeaderMap, HeaderValue, Response, StatusCode, percent_encode_bytes, title_case};

/// The answer with all siblings.
pub(crate) async fn siblings(call: &Call, bucket: &Bucket, object: &Object) -> Result<Response> {
    let boundary = boundary()?;
    let mut pieces: Vec<Piece> = Vec::new();
    for sibling in &object.siblings {
        let mut part = Response::new(Body::empty());
        headers::write(call, &mut part, bucket, &sibling.content, &sibling.vtag());
        pieces.push(head(&boundary, part.headers()));
        pieces.push(Piece::of(&call.server, &bucket.namespace(), &sibling.content).await?);
    }
    pieces.push(Piece::Bytes(format!("\r\n--{boundary}--\r\n").into()));
    let mut response = Response::new(body_of(pieces));
    *response.status_mut() = StatusCode::MULTIPLE_CHOICES;
    if let Ok(kind) = HeaderValue::try_from(format!("multipart/mixed; boundary={boundary}")) {
        response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

/// The answer of a link walk: a part for each step that is kept, in which each object found is a part.
pub(crate) async fn walked(call: &Call, steps: &[Vec<(Bucket, Vec<u8>, Object)>]) -> Result<Response> {
    let outer = boundary()?;
    let mut pieces: Vec<Piece> = Vec::new();
    for objects in steps {
        let inner = boundary()?;
        let begun = format!("\r\n--{outer}\r\nContent-Type: multipart/mixed; boundary={inner}\r\n\r\n");
        pieces.push(Piece::Bytes(begun.into()));
        for found in objects {
            pieces.extend(walked_to(call, &inner, found).await?);
        }
        pieces.push(Piece::Bytes(format!("\r\n--{inner}--\r\n").into()));
    }
    pieces.push(Piece::Bytes(format!("\r\n--{outer}--\r\n").into()));
    let mut response = Response::new(body_of(pieces));
    if let Ok(kind) = HeaderValue::try_from(format!("multipart/mixed; boundary={outer}")) {
        response.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    }
    Ok(response)
}

/// The part of an object that a link leads to; of siblings one, with the names of the others.
async fn walked_to(
    call: &Call,
    boundary: &str,
    (bucket, key, object): &(Bucket, Vec<u8>, Object),
) -> Result<Vec<Piece>> {
    let Some((sibling, others)) = object.siblings.split_first() else {
        return Ok(Vec::new());
    };
    let (name, key) = (percent_encode_bytes(&bucket.name), percent_encode_bytes(key));
    let mut place = match call.is_old() {
        true => format!("/riak/{name}/{key}"),
        false => format!("/buckets/{name}/keys/{key}"),
    };
    let mut part = Response::new(Body::empty());
    add(&mut part, "x-riak-vclock", object.clock().to_text().as_bytes());
    if !others.is_empty() {
        place = format!("{place}?vtag={}", sibling.vtag());
        let others: Vec<String> = others.iter().map(Sibling::vtag).collect();
        add(&mut part, "x-riak-sibling-vtags", others.join(",").as_bytes());
    }
    add(&mut part, "location", place.as_bytes());
    headers::write(call, &mut part, bucket, &sibling.content, &sibling.vtag());
    let value = Piece::of(&call.server, &bucket.namespace(), &sibling.content).await?;
    Ok(vec![head(boundary, part.headers()), value])
}

/// The beginning of a part: its boundary and its headers.
fn head(boundary: &str, headers: &HeaderMap) -> Piece {
    let mut head = format!("\r\n--{boundary}\r\n").into_bytes();
    for (name, value) in headers {
        head.extend_from_slice(shown(name.as_str()).as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    Piece::Bytes(head.into())
}

/// A name as Riak writes it: that of an index stays as it is.
fn shown(name: &str) -> String {
    match name.strip_prefix("x-riak-index-") {
        Some(index) => format!("X-Riak-Index-{index}"),
        None => title_case(name),
    }
}

/// What separates the parts of an answer.
pub(crate) fn boundary() -> Result<String> {
    Ok(value::hex(&random()?))
}
