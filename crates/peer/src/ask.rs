//! What is asked of a database, and what it answers.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, ResponseBody, StatusCode, header, percent_encode};
use std::time::Duration;

/// A request below a database.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The method.
    pub method: Method,
    /// What stands after the database, percent-encoded: `/_changes?limit=1`.
    pub path: String,
    /// Its own headers.
    pub headers: HeaderMap,
    /// Its body, which may be empty.
    pub body: Bytes,
    /// How much longer than usual the answer may take.
    pub wait: Duration,
}

impl Ask {
    /// A request without a body.
    pub fn new(method: Method, path: impl Into<String>) -> Ask {
        Ask {
            method,
            path: path.into(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
            wait: Duration::ZERO,
        }
    }

    /// A request with JSON.
    pub fn json(method: Method, path: impl Into<String>, body: impl Into<Bytes>) -> Ask {
        let mut ask = Ask::new(method, path);
        ask.body = body.into();
        ask.with(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))
    }

    /// The same request with this header.
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Ask {
        self.headers.insert(name, value);
        self
    }
}

/// The path of a document below its database, percent-encoded. The slash of a design document's id stays as it is: CouchDB answers a GET
/// for an encoded one with another path instead of the document.
pub(crate) fn document_path(id: &str) -> String {
    const DESIGN: &str = "_design/";
    match id.strip_prefix(DESIGN) {
        Some(name) => format!("/{DESIGN}{}", percent_encode(name)),
        None => format!("/{}", percent_encode(id)),
    }
}

/// An answer whose body is still to be read.
#[derive(Debug)]
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, to be read piece by piece.
    pub body: ResponseBody,
}

/// What a peer says about an error.
#[derive(Debug, Default, serde::Deserialize)]
pub(crate) struct PeerErrorBody {
    #[serde(default)]
    pub(crate) error: String,
    #[serde(default)]
    pub(crate) reason: String,
}

impl PeerErrorBody {
    /// Reads an answer; one of another form tells nothing.
    pub(crate) fn read(body: &[u8]) -> PeerErrorBody {
        serde_json::from_slice(body).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_design_document_has_the_slash_of_its_id() {
        for (id, path) in [
            ("_design/a/b c", "/_design/a%2Fb%20c"),
            ("a/b", "/a%2Fb"),
            ("_designs", "/_designs"),
        ] {
            assert_eq!(document_path(id), path);
        }
    }
}
