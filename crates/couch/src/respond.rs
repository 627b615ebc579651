//! Making answers.

use access::error::CouchError;
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, LOCATION, SERVER, SET_COOKIE};
use http::{Body, BodySender, HeaderMap, HeaderValue, Response, StatusCode, if_none_match};
use md5::{Digest, Md5};
use value::hex;

/// What the server calls itself; clients that look for CouchDB find it.
const SERVER_NAME: HeaderValue = HeaderValue::from_static("CouchDB/3.5.0 (Larder)");
/// The same without versions.
pub(crate) const SERVER_NAME_ALONE: HeaderValue = HeaderValue::from_static("CouchDB");
const JSON: HeaderValue = HeaderValue::from_static("application/json");
const MUST_REVALIDATE: HeaderValue = HeaderValue::from_static("must-revalidate");

/// Marks an answer whose body is JSON that an endpoint made, and nothing that a client stored.
#[derive(Clone, Copy, Debug)]
pub struct IsJson;

/// An answer of JSON text.
pub fn json(status: StatusCode, mut text: String) -> Response {
    text.push('\n');
    with_body(status, Body::from(text.into_bytes()))
}

/// An answer of JSON text with status 200.
pub fn ok(text: String) -> Response {
    json(StatusCode::OK, text)
}

/// `{"ok":true}`.
pub fn ok_true(status: StatusCode) -> Response {
    json(status, r#"{"ok":true}"#.to_owned())
}

/// An answer of JSON text that comes in pieces, of this length where it is known.
pub fn streamed(length: Option<u64>) -> (BodySender, Response) {
    let (sender, body) = Body::channel(length);
    (sender, with_body(StatusCode::OK, body))
}

/// An answer of JSON text that goes on for as long as its client listens.
pub fn feed() -> (BodySender, Response) {
    let (sender, body) = Body::feed();
    (sender, with_body(StatusCode::OK, body))
}

/// An answer of this media type with status 200.
pub fn with_type(body: Body, content_type: &str) -> Response {
    let mut response = with_body(StatusCode::OK, body);
    response.extensions_mut().remove::<IsJson>();
    if let Ok(value) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(CONTENT_TYPE, value);
    }
    response
}

/// An answer without a body.
pub fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response.headers_mut().insert(SERVER, SERVER_NAME);
    response
}

/// The answer to a request for what its client has already; the entity tag with its quotes.
pub fn not_modified(entity_tag: &str) -> Response {
    let mut response = empty(StatusCode::NOT_MODIFIED);
    tag(&mut response, entity_tag);
    response
}

/// An answer of JSON text that its client may have already: where nothing counts what it is made of, its text tells.
pub fn by_content(headers: &HeaderMap, text: String) -> Response {
    let entity_tag = format!("\"{}\"", hex(&Md5::digest(&text)));
    if if_none_match(headers, &entity_tag) {
        return not_modified(&entity_tag);
    }
    let mut response = ok(text);
    tag(&mut response, &entity_tag);
    response
}

fn with_body(status: StatusCode, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, MUST_REVALIDATE);
    headers.insert(CONTENT_TYPE, JSON);
    headers.insert(SERVER, SERVER_NAME);
    response.extensions_mut().insert(IsJson);
    response
}

/// Adds an entity tag, quotes included.
pub fn tag(response: &mut Response, tag: &str) {
    if let Ok(value) = HeaderValue::from_str(tag) {
        response.headers_mut().insert(ETAG, value);
    }
}

/// Adds where the thing that was made is found.
pub fn location(response: &mut Response, url: &str) {
    if let Ok(value) = HeaderValue::from_str(url) {
        response.headers_mut().insert(LOCATION, value);
    }
}

/// Adds a cookie. Names with characters that no header can have cannot log in by cookie.
pub fn cookie(response: &mut Response, cookie: &str) {
    if let Ok(value) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(SET_COOKIE, value);
    }
}

/// The answer to what went wrong.
pub fn error(error: &CouchError) -> Response {
    let mut text = String::from(r#"{"error":"#);
    json::write_string(&error.error, &mut text);
    text.push_str(r#","reason":"#);
    json::write_string(&error.reason, &mut text);
    text.push('}');
    let mut response = json(error.status, text);
    if let Some(methods) = error.allow {
        response
            .headers_mut()
            .insert(ALLOW, HeaderValue::from_static(methods));
    }
    response
}
