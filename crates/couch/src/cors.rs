//! Requests of web pages from elsewhere (`src/chttpd/src/chttpd_cors.erl`), configured in the sections `chttpd` and `cors`, and for
//! one host in a section such as `cors:example.com`.

use crate::respond;
use crate::vhosts::asked_host;
use access::config::Config;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

const METHODS: &str = "CONNECT, COPY, DELETE, GET, HEAD, OPTIONS, POST, PUT, TRACE";
const HEADERS: &str = "accept, accept-language, authorization, content-length, content-range, content-type, destination, expires, if-match, \
                       last-modified, origin, pragma, x-couch-full-commit, x-couch-id, x-couch-persist, x-couchdb-www-authenticate, \
                       x-http-method-override, x-requested-with, x-couchdb-vhost-path";
const EXPOSED: &str =
    "accept-ranges, etag, server, x-couch-request-id, x-couch-update-newrev, x-couchdb-body-time";
/// Headers that a page may read whatever the settings expose, where an answer has them.
const SIMPLE: [&str; 5] = [
    "cache-control",
    "content-language",
    "expires",
    "last-modified",
    "pragma",
];
const MAX_AGE_SECONDS: &str = "600";

/// A setting for the host that is asked.
fn setting(config: &Config, headers: &HeaderMap, name: &str) -> Option<String> {
    // Without the port.
    let host = asked_host(config, headers).and_then(|host| host.split(':').next());
    let own = host.and_then(|host| config.get(&format!("cors:{host}"), name));
    own.or_else(|| config.get("cors", name))
}

/// The names of a list that is a setting or a header.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The origin of a request, if pages from there may ask.
fn allowed_origin<'h>(config: &Config, headers: &'h HeaderMap) -> Option<&'h HeaderValue> {
    let is_on = |section| config.get(section, "enable_cors").as_deref() == Some("true");
    if !is_on("chttpd") && !is_on("httpd") {
        return None;
    }
    let origin = headers.get(header::ORIGIN)?;
    let allowed = setting(config, headers, "origins")?;
    let is_allowed =
        listed(&allowed).any(|one| one == "*" || origin.to_str().is_ok_and(|origin| origin == one));
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
    let methods = setting(config, headers, "methods").unwrap_or_else(|| METHODS.to_owned());
    if !listed(&methods).any(|allowed| allowed == method) {
        return None;
    }
    let wanted = headers.get("access-control-request-headers");
    let wanted = wanted.and_then(|wanted| wanted.to_str().ok()).unwrap_or_default();
    let allowed = setting(config, headers, "headers").unwrap_or_else(|| HEADERS.to_owned());
    let is_allowed = |name: &str| listed(&allowed).any(|one| one.eq_ignore_ascii_case(name));
    if !listed(wanted).all(is_allowed) {
        return None;
    }
    let mut response = respond::empty(StatusCode::NO_CONTENT);
    let out = response.headers_mut();
    add_origin(config, headers, origin, out);
    let max_age = setting(config, headers, "max_age").unwrap_or_else(|| MAX_AGE_SECONDS.to_owned());
    set(out, header::ACCESS_CONTROL_MAX_AGE, &max_age);
    set(out, header::ACCESS_CONTROL_ALLOW_METHODS, &methods);
    set(out, header::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
    Some(response)
}

/// Adds what lets the page that asked read the answer.
pub(crate) fn add(config: &Config, asked: &HeaderMap, response: &mut Response) {
    let Some(origin) = allowed_origin(config, asked) else {
        return;
    };
    let out = response.headers_mut();
    let configured = setting(config, asked, "exposed_headers").unwrap_or_else(|| EXPOSED.to_owned());
    let configured = configured.to_ascii_lowercase();
    let simple = SIMPLE.into_iter().filter(|name| out.contains_key(*name));
    let exposed: Vec<&str> = ["content-type"]
        .into_iter()
        .chain(simple)
        .chain(listed(&configured))
        .collect();
    let exposed = exposed.join(", ");
    add_origin(config, asked, origin, out);
    set(out, header::ACCESS_CONTROL_EXPOSE_HEADERS, &exposed);
}

fn add_origin(config: &Config, asked: &HeaderMap, origin: &HeaderValue, out: &mut HeaderMap) {
    out.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    out.append(header::VARY, HeaderValue::from_static("Origin"));
    if setting(config, asked, "credentials").as_deref() == Some("true") {
        set(out, header::ACCESS_CONTROL_ALLOW_CREDENTIALS, "true");
    }
}

fn set(headers: &mut HeaderMap, name: HeaderName, text: &str) {
    // What was configured with line ends cannot be a header.
    if let Ok(value) = HeaderValue::from_str(text) {
        headers.insert(name, value);
    }
}
