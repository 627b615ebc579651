//! Requests of web pages from elsewhere (`src/chttpd/src/chttpd_cors.erl`), configured in the sections `chttpd` and `cors`.

use crate::respond;
use access::config::Config;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

const METHODS: &str = "GET, HEAD, POST, PUT, DELETE, TRACE, CONNECT, COPY, OPTIONS";
const HEADERS: &str = "accept, accept-language, authorization, content-length, content-range, content-type, destination, expires, if-match, \
                       last-modified, origin, pragma, x-couch-full-commit, x-couch-id, x-couch-persist, x-couchdb-www-authenticate, \
                       x-http-method-override, x-requested-with, x-couchdb-vhost-path";
const EXPOSED: &str = "content-type, accept-ranges, etag, server, x-couch-request-id, x-couch-update-newrev, x-couchdb-body-time";
const MAX_AGE_SECONDS: &str = "600";

/// The origin of a request, if pages from there may ask.
fn allowed_origin<'h>(config: &Config, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
    let is_on = |section| config.get(section, "enable_cors").as_deref() == Some("true");
    if !is_on("chttpd") && !is_on("httpd") {
        return None;
    }
    let origin = headers.get(header::ORIGIN)?;
    let allowed = config.get("cors", "origins")?;
    let mut allowed = allowed.split(',').map(str::trim);
    let is_allowed = allowed.any(|one| one == "*" || origin.to_str().is_ok_and(|origin| origin == one));
    is_allowed.then_some(origin)
}

/// Whether the page that asks comes from where pages may ask.
pub(crate) fn is_allowed(config: &Config, headers: &HeaderMap) -> bool {
    allowed_origin(config, headers).is_some()
}

/// The answer to a browser that asks first whether it may ask.
pub(crate) fn preflight(config: &Config, headers: &HeaderMap) -> Option<Response> {
    let origin = allowed_origin(config, headers)?;
    let method = headers.get("access-control-request-method")?.to_str().ok()?;
    let methods = config
        .get("cors", "methods")
        .unwrap_or_else(|| METHODS.to_owned());
    if !methods.split(',').any(|allowed| allowed.trim() == method) {
        return None;
    }
    let wanted = headers
        .get("access-control-request-headers")
        .and_then(|wanted| wanted.to_str().ok());
    let allowed = config
        .get("cors", "headers")
        .unwrap_or_else(|| HEADERS.to_owned())
        .to_ascii_lowercase();
    let is_allowed = |name: &str| {
        allowed
            .split(',')
            .any(|one| one.trim() == name.trim().to_ascii_lowercase())
    };
    if wanted.is_some_and(|wanted| !wanted.split(',').all(is_allowed)) {
        return None;
    }
    let mut response = respond::empty(StatusCode::NO_CONTENT);
    add_origin(config, origin, response.headers_mut());
    let max_age = config
        .get("cors", "max_age")
        .unwrap_or_else(|| MAX_AGE_SECONDS.to_owned());
    set(response.headers_mut(), header::ACCESS_CONTROL_MAX_AGE, &max_age);
    set(
        response.headers_mut(),
        header::ACCESS_CONTROL_ALLOW_METHODS,
        &methods,
    );
    if let Some(wanted) = wanted {
        set(
            response.headers_mut(),
            header::ACCESS_CONTROL_ALLOW_HEADERS,
            wanted,
        );
    }
    Some(response)
}

/// Adds what lets the page that asked read the answer.
pub(crate) fn add(config: &Config, asked: &HeaderMap, response: &mut Response) {
    let Some(origin) = allowed_origin(config, asked) else {
        return;
    };
    add_origin(config, origin, response.headers_mut());
    let exposed = config
        .get("cors", "exposed_headers")
        .unwrap_or_else(|| EXPOSED.to_owned());
    set(
        response.headers_mut(),
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        &exposed,
    );
}

fn add_origin(config: &Config, origin: &HeaderValue, headers: &mut HeaderMap) {
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if config.get("cors", "credentials").as_deref() == Some("true") {
        set(headers, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
    }
}

fn set(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    // What was configured with line ends cannot be a header.
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}
