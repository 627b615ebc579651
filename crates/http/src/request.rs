//! A request as a handler sees it.

use crate::RequestBody;
use hyper::{HeaderMap, Method, Uri};
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

/// A request: its head has arrived, its body is still to be read.
#[derive(Debug)]
pub struct Request {
    /// GET, PUT, or any other word.
    pub method: Method,
    /// Path and query, still percent-encoded.
    pub uri: Uri,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, which need not be read.
    pub body: RequestBody,
    /// The client's address.
    pub peer: SocketAddr,
    /// Who waits for the answer.
    pub asker: Asker,
    /// The subject of the certificate that the client has shown, which was verified (RFC 2253).
    pub certified: Option<Arc<str>>,
}

impl Request {
    /// The path, still percent-encoded.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The part after the question mark, still percent-encoded; empty if there is none.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or_default()
    }

    /// A header as text; `None` if it is missing or not visible ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Who waits for the answer to a request: for code that works on an answer for long without awaiting anything, since nothing else
/// tells it that the client has gone.
#[derive(Clone, Debug, Default)]
pub struct Asker(Option<Weak<net::Stream>>);

impl Asker {
    pub(crate) fn of(stream: &Arc<net::Stream>) -> Asker {
        Asker(Some(Arc::downgrade(stream)))
    }

    /// Whether nobody waits any more. What did not come over a connection is always waited for.
    pub fn is_gone(&self) -> bool {
        let Some(stream) = &self.0 else { return false };
        stream.upgrade().is_none_or(|stream| stream.is_gone())
    }

    /// Whether the request came through TLS.
    pub fn is_secure(&self) -> bool {
        let stream = self.0.as_ref().and_then(Weak::upgrade);
        stream.is_some_and(|stream| stream.is_secure())
    }
}
