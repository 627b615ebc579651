//! The mark of a request, by which a client finds it in logs: its own, or one that is made (`src/chttpd/src/chttpd.erl`, `nonce`).

use http::{HeaderMap, HeaderName, HeaderValue};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, Ordering};

/// The header that holds it.
pub(crate) const REQUEST_ID: HeaderName = HeaderName::from_static("x-couch-request-id");
/// The header that tells how long the body took to arrive.
pub(crate) const BODY_TIME: HeaderName = HeaderName::from_static("x-couchdb-body-time");
/// The bytes that a client's own mark may have.
const LENGTH_MAX: usize = 36;

/// Makes marks.
#[derive(Debug, Default)]
pub(crate) struct RequestIds {
    count: AtomicU64,
    hasher: RandomState,
}

impl RequestIds {
    /// The mark that a request came with, or ten hexadecimal digits.
    pub(crate) fn of(&self, headers: &HeaderMap) -> HeaderValue {
        let is_legal = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let own = headers.get(REQUEST_ID);
        let own = own.filter(|own| own.len() <= LENGTH_MAX && own.as_bytes().iter().all(is_legal));
        match own {
            Some(own) => own.clone(),
            None => self.next(),
        }
    }

    fn next(&self) -> HeaderValue {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let digits = format!("{:010x}", self.hasher.hash_one(count) >> 24);
        HeaderValue::try_from(digits).unwrap_or(HeaderValue::from_static("0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_legal_mark_of_the_client_is_kept() {
        let ids = RequestIds::default();
        let mut headers = HeaderMap::new();
        headers.insert(
            REQUEST_ID,
            HeaderValue::from_static("E7498DE1-B661-42FA-943D-17F890143068"),
        );
        assert_eq!(ids.of(&headers), "E7498DE1-B661-42FA-943D-17F890143068");
        headers.insert(REQUEST_ID, HeaderValue::from_static("a b"));
        assert_eq!(ids.of(&headers).len(), 10);
    }

    #[test]
    fn two_requests_have_two_marks() {
        let ids = RequestIds::default();
        assert_ne!(ids.of(&HeaderMap::new()), ids.of(&HeaderMap::new()));
    }
}
