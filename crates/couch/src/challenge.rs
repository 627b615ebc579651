//! What tells clients that they may log in by a password (`src/chttpd/src/chttpd.erl`, `error_headers`).
//!
//! Browsers ask their user for one where a refusal has this header, and some clients send theirs only then. So it is there for whoever
//! wants it, and where the settings say so.

use access::config::Config;
use access::error::CouchError;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};

/// The header by which a client says which challenge it wants.
const WANTED: HeaderName = HeaderName::from_static("x-couchdb-www-authenticate");

/// The challenge where everybody has to log in.
const BASIC: HeaderValue = HeaderValue::from_static("Basic realm=\"server\"");

/// The challenge that a request wants.
pub(crate) fn wanted(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(WANTED).cloned()
}

/// Adds the challenge to the answer that tells an error, if it is one of rights: what the client wants, or what the settings say.
pub(crate) fn add(config: &Config, wanted: Option<HeaderValue>, error: &CouchError, response: &mut Response) {
    if error.status != StatusCode::UNAUTHORIZED {
        return;
    }
    let configured = || config.get("chttpd", "WWW-Authenticate");
    let challenge = match wanted {
        Some(wanted) => Some(wanted),
        None => match configured() {
            // What was configured with line ends cannot be a header.
            Some(text) => HeaderValue::from_str(&text).ok(),
            None => config.is_on("chttpd", "require_valid_user").then_some(BASIC),
        },
    };
    if let Some(challenge) = challenge {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
}
