//! What a function answers, as an answer of HTTP (`src/chttpd/src/chttpd_external.erl`, `parse_external_response`).

use crate::respond;
use access::config::Config;
use access::error::{CouchError, Result};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::{Body, HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use serde_json::{Map, Value as Json};

/// Headers that say how an answer is sent, which is the server's to decide.
const OF_CONNECTION: [HeaderName; 5] = [
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::CONNECTION,
    header::UPGRADE,
    header::TRAILER,
];

/// What a function answers.
#[derive(Debug)]
pub(super) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    /// The media type where the headers name none.
    kind: &'static str,
    is_json: bool,
}

impl Answer {
    /// Reads the answer, of which `status` is the status unless it names one.
    pub(super) fn read(answer: &Json, status: StatusCode) -> Result<Answer> {
        let mut read = Answer {
            status,
            headers: HeaderMap::new(),
            body: Vec::new(),
            kind: "application/json",
            is_json: false,
        };
        for (name, value) in answer.as_object().into_iter().flatten() {
            read.take(name, value)?;
        }
        Ok(read)
    }

    fn take(&mut self, name: &str, value: &Json) -> Result<()> {
        let wrong = || invalid(name, value);
        match (name, value) {
            ("code", value) => {
                let code = value.as_u64().and_then(|code| u16::try_from(code).ok());
                let status = code.and_then(|code| StatusCode::from_u16(code).ok());
                // 1xx are no answers.
                self.status = status
                    .filter(|status| !status.is_informational())
                    .ok_or_else(wrong)?;
            }
            ("stop", Json::Bool(true)) => {}
            ("json", value) => {
                self.body = format!("{value}\n").into_bytes();
                self.is_json = true;
            }
            ("body", Json::String(text)) => {
                self.body = text.as_bytes().to_vec();
                self.kind = "text/html; charset=utf-8";
            }
            ("base64", Json::String(text)) => {
                self.body = BASE64_STANDARD.decode(text).map_err(|_| wrong())?;
                self.kind = "application/binary";
            }
            ("headers", Json::Object(headers)) => self.headers = read_headers(headers)?,
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// Sets a header, whatever the function says of it.
    pub(super) fn set(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
    }

    /// The whole answer.
    pub(super) fn respond(mut self, config: &Config) -> Response {
        let body = std::mem::take(&mut self.body);
        self.with_body(Body::from(body), config)
    }

    /// The head of the answer with a body that comes from elsewhere. What a function writes must not run scripts with the
    /// rights of those who look at it.
    pub(super) fn with_body(self, body: Body, config: &Config) -> Response {
        let mut response = respond::empty(self.status);
        *response.body_mut() = body;
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        if !self.is_json && !config.is_off("csp", "showlist_enable") {
            let given = config.get("csp", "showlist_header_value");
            let policy = given.and_then(|given| HeaderValue::from_str(&given).ok());
            let policy = policy.unwrap_or(HeaderValue::from_static("sandbox"));
            headers.insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        headers.extend(self.headers);
        response
    }
}

/// Reads the headers that a function wants.
pub(super) fn read_headers(headers: &Map<String, Json>) -> Result<HeaderMap> {
    let mut read = HeaderMap::new();
    for (name, value) in headers {
        let wrong = || invalid(name, value);
        let text = match value {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        let name = HeaderName::try_from(name).map_err(|_| wrong())?;
        let text = HeaderValue::try_from(text).map_err(|_| wrong())?;
        if !OF_CONNECTION.contains(&name) {
            read.insert(name, text);
        }
    }
    Ok(read)
}

fn invalid(name: &str, value: &Json) -> CouchError {
    CouchError::new(
        StatusCode::INTERNAL_SERVER_ERROR,
        "external_response_error",
        format!("Invalid data from external server: {{\"{name}\",{value}}}"),
    )
}
