//! Answers with few headers, for clients that count bytes: `Prefer: return=minimal` (`src/chttpd/src/chttpd_prefer_header.erl`).

use access::config::Config;
use http::{HeaderMap, HeaderName, Response};

/// The headers that stay where the setting `[chttpd] prefer_minimal` names none.
const KEPT: &str =
    "Cache-Control, Content-Length, Content-Range, Content-Type, ETag, Server, Transfer-Encoding, Vary";

/// Whether a request asks for a minimal answer.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let preferred = headers.get("prefer").and_then(|value| value.to_str().ok());
    preferred.is_some_and(|value| value.eq_ignore_ascii_case("return=minimal"))
}

/// Removes the headers of an answer that the settings do not keep.
pub(crate) fn reduce(config: &Config, response: &mut Response) {
    let kept = config.get("chttpd", "prefer_minimal");
    let kept = kept.as_deref().unwrap_or(KEPT);
    let is_kept = |name: &HeaderName| {
        kept.split(',')
            .any(|kept| kept.trim().eq_ignore_ascii_case(name.as_str()))
    };
    let headers = response.headers_mut();
    let dropped: Vec<HeaderName> = headers.keys().filter(|name| !is_kept(name)).cloned().collect();
    for name in dropped {
        headers.remove(name);
    }
}
