//! Making answers.

use crate::error::RiakError;
use http::header::{ALLOW, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{Body, HeaderName, HeaderValue, Response, StatusCode};
use serde_json::Value;

const REALM: HeaderValue = HeaderValue::from_static("Basic realm=\"larder\", charset=\"UTF-8\"");

pub(crate) fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Response {
    typed(status, "text/plain", Body::from(text.into()))
}

pub(crate) fn json(body: &Value) -> Response {
    typed(StatusCode::OK, "application/json", Body::from(body.to_string()))
}

pub(crate) fn typed(status: StatusCode, kind: &'static str, body: Body) -> Response {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

pub(crate) fn not_allowed(allowed: &'static str) -> Response {
    let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

pub(crate) fn error(error: &RiakError) -> Response {
    let mut response = text(error.status, format!("{}\n", error.web_message()));
    if error.status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, REALM);
    }
    response
}

/// Adds a header, unless its name or value cannot be one.
pub(crate) fn add(response: &mut Response, name: &str, value: &[u8]) {
    if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::from_bytes(value)) {
        response.headers_mut().append(name, value);
    }
}
