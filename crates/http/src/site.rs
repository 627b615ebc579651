//! Requests that a page of another site made a browser send.
//!
//! Such a page can send forms and simple requests with what the browser keeps for a user here, but it cannot choose what the browser
//! says of it: its `Origin`, and `Sec-Fetch-Site` (Fetch Metadata). Programs that are no browsers say neither.

use crate::Request;
use hyper::header::{HOST, HeaderValue, ORIGIN};
use hyper::{HeaderMap, Method};

/// A page of another site would change something. The text says from where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a page of {0} cannot change anything here")]
pub struct OtherSite(String);

/// Refuses a request that may change something and that a page of another site has sent. If nobody has to log in, the origin is
/// left to [`Hosts::check`](crate::Hosts::check), which lets pages of some other hosts in.
pub fn refuse_other_sites(request: &Request, needs_login: bool) -> Result<(), OtherSite> {
    if [Method::GET, Method::HEAD, Method::OPTIONS].contains(&request.method) {
        return Ok(());
    }
    let site = match needs_login {
        true => other_site(&request.headers),
        false => other_fetch(&request.headers),
    };
    site.map_or(Ok(()), |site| Err(OtherSite(site)))
}

/// Where the page is from that has sent a request, unless it is one of this server's own: of the host and the port that the request
/// names. A page on another port of the same machine is of another site.
pub fn other_site(headers: &HeaderMap) -> Option<String> {
    other_origin(headers).or_else(|| other_fetch(headers))
}

fn other_origin(headers: &HeaderMap) -> Option<String> {
    let origin = headers.get(ORIGIN)?;
    let asks = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    let asks = asks.map(|(_, host)| host.as_bytes()).unwrap_or_default();
    let host = headers.get(HOST).map(HeaderValue::as_bytes).unwrap_or_default();
    let is_own = !host.is_empty() && asks.eq_ignore_ascii_case(host);
    (!is_own).then(|| String::from_utf8_lossy(origin.as_bytes()).into_owned())
}

fn other_fetch(headers: &HeaderMap) -> Option<String> {
    let site = headers.get("sec-fetch-site")?;
    match site.as_bytes() {
        b"same-origin" | b"none" => None,
        _ => Some("another site".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Asker, Body};

    #[test]
    fn pages_of_the_server_itself_and_programs_may_ask() {
        for (origin, site, other) in [
            (None, None, None),
            (Some("http://127.0.0.1:7070"), None, None),
            (Some("https://127.0.0.1:7070"), Some("same-origin"), None),
            (None, Some("none"), None),
            (Some("http://127.0.0.1:3000"), None, Some("http://127.0.0.1:3000")),
            (Some("http://127.0.0.1"), None, Some("http://127.0.0.1")),
            (Some("http://evil.example"), None, Some("http://evil.example")),
            (
                Some("http://evil.example"),
                Some("same-origin"),
                Some("http://evil.example"),
            ),
            (Some("127.0.0.1:7070"), None, Some("127.0.0.1:7070")),
            (Some("null"), None, Some("null")),
            (Some(""), None, Some("")),
            (
                Some("http://127.0.0.1:7070"),
                Some("same-site"),
                Some("another site"),
            ),
            (None, Some("cross-site"), Some("another site")),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "127.0.0.1:7070".parse().expect("a header"));
            for (name, value) in [("origin", origin), ("sec-fetch-site", site)] {
                if let Some(value) = value {
                    headers.insert(name, value.parse().expect("a header"));
                }
            }
            assert_eq!(other_site(&headers).as_deref(), other, "{origin:?} {site:?}");
        }
        let mut headers = HeaderMap::new();
        headers.insert(ORIGIN, "http://".parse().expect("a header"));
        assert!(
            other_site(&headers).is_some(),
            "a request without a host is of no site"
        );
    }

    #[test]
    fn requests_that_only_read_may_come_from_any_site() {
        let refused = |method: Method, header: (&'static str, &'static str), needs_login| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, "localhost".parse().expect("a header"));
            headers.insert(header.0, header.1.parse().expect("a header"));
            let request = Request {
                method,
                uri: "/".parse().expect("a path"),
                headers,
                body: Body::empty().into(),
                peer: ([127, 0, 0, 1], 1).into(),
                asker: Asker::default(),
                certified: None,
            };
            refuse_other_sites(&request, needs_login).is_err()
        };
        let (origin, fetch) = (
            ("origin", "http://localhost:3000"),
            ("sec-fetch-site", "cross-site"),
        );
        for method in [Method::GET, Method::HEAD, Method::OPTIONS] {
            assert!(!refused(method.clone(), origin, true) && !refused(method, fetch, true));
        }
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            assert!(refused(method.clone(), origin, true) && refused(method.clone(), fetch, true));
            assert!(!refused(method.clone(), origin, false) && refused(method, fetch, false));
        }
    }
}
