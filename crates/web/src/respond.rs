//! Answers.

use crate::error::WebError;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{Body, HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// An answer without body.
pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// An answer of JSON.
pub(crate) fn json(status: StatusCode, body: &Value) -> Response {
    let mut text = body.to_string();
    text.push('\n');
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, JSON);
    response
}

/// The answer that tells an error.
pub(crate) fn error(error: &WebError) -> Response {
    let body = json!({"error": error.error, "reason": error.reason});
    let mut response = json(error.status, &body);
    if let Some((name, value)) = &error.header {
        response.headers_mut().insert(name, value.clone());
    }
    response
}

/// Says that an answer is for nobody else and never the same twice, and is what its type says.
pub(crate) fn never_kept(response: &mut Response) {
    let headers = response.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// The same answer as HEAD gets it: with the length that its body would have, and no body.
pub(crate) fn without_body(response: Response) -> Response {
    let (mut head, body) = response.into_parts();
    if let Some(length) = body
        .length()
        .filter(|_| !head.headers.contains_key(CONTENT_LENGTH))
    {
        head.headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    Response::from_parts(head, Body::empty())
}
