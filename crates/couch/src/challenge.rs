//! The header `WWW-Authenticate` of refusals (`src/chttpd/src/chttpd.erl`, `error_headers`).
//!
//! Browsers ask their user for a password where a refusal has this header, and some clients send theirs only then. So it is sent to
//! clients that ask for it, and to all where the settings say so.

use access::config::Config;
use access::error::CouchError;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

/// The header in which a client names the challenge that it wants.
const WANTED: HeaderName = HeaderName::from_static("x-couchdb-www-authenticate");

/// The challenge where everybody has to log in.
const BASIC: HeaderValue = HeaderValue::from_static("Basic realm=\"server\"");

/// The challenge that a request wants.
pub(crate) fn wanted(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(WANTED).cloned()
}

/// Adds the challenge that the client or the settings want to an answer, if it is an error of rights.
pub(crate) fn add(config: &Config, wanted: Option<HeaderValue>, error: &CouchError, response: &mut Response) {
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
    }
}
