//! The header `WWW-Authenticate` of refusals (`src/chttpd/src/chttpd.erl`, `error_headers`).
//!
//! Browsers ask their user for a password where a refusal has this header, and some clients send theirs only then. So it is sent to
//! clients that ask for it, and to all where the settings say so. Where nobody wants it, the settings may name a page to which
//! browsers are sent.

use crate::call::Call;
use crate::respond;
use crate::vhosts::ASKED_PATH;
use access::config::Config;
use access::error::CouchError;
use http::{
    HeaderMap, HeaderName, HeaderValue, Response, StatusCode, accepts_type, header, percent_decode,
    percent_encode,
};

/// The header in which a client names the challenge that it wants.
const WANTED: HeaderName = HeaderName::from_static("x-couchdb-www-authenticate");

/// The challenge where everybody has to log in.
const BASIC: HeaderValue = HeaderValue::from_static("Basic realm=\"server\"");

/// The challenge that a request wants.
pub(crate) fn wanted(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(WANTED).cloned()
}

/// Where a browser without a login is sent, but for the reason: to the page that `authentication_redirect` names, which is told where
/// the browser came from. A client that accepts JSON is no browser.
pub(crate) fn page(call: &Call) -> Option<String> {
    let page = call.server.config.get("chttpd_auth", "authentication_redirect")?;
    if accepts_type(&call.headers, "application/json") || !accepts_type(&call.headers, "text/html") {
        return None;
    }
    // Under the name of a virtual host the browser knows another path.
    let asked = call.headers.get(ASKED_PATH).and_then(|asked| asked.to_str().ok());
    let asked = percent_decode(asked.unwrap_or(call.uri.path()))?;
    let asked = percent_encode(&asked);
    Some(format!("{}{page}?return={asked}", call.url(&[])))
}

/// Adds the challenge that the client or the settings want to an answer, if it is an error of rights; else leads to this page.
pub(crate) fn add(
    config: &Config,
    wanted: Option<HeaderValue>,
    page: Option<String>,
    error: &CouchError,
    response: &mut Response,
) {
    if error.status != StatusCode::UNAUTHORIZED {
        return;
    }
    let configured = || config.get("chttpd", "WWW-Authenticate");
    let challenge = match wanted {
        Some(wanted) => Some(wanted),
        None => match configured() {
            // A setting with line ends cannot be a header.
            Some(text) => HeaderValue::from_str(&text).ok(),
            None => config.is_on("chttpd", "require_valid_user").then_some(BASIC),
        },
    };
    if let Some(challenge) = challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    } else if let Some(page) = page {
        *response.status_mut() = StatusCode::FOUND;
        let reason = percent_encode(&error.reason);
        respond::location(response, &format!("{page}&reason={reason}"));
    }
}
