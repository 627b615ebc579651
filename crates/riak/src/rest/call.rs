//! One request, taken apart.

use crate::access::Access;
use crate::deadline::Deadline;
use crate::error::{Result, RiakError};
use crate::limits::VALUE_BYTES_MAX;
use crate::names::{Bucket, unescaped};
use crate::operation::Operation;
use crate::server::Server;
use bytes::Bytes;
use http::{Beginning, HeaderMap, Method, Request, RequestBody, query_pairs};
use parking_lot::Mutex;
use std::sync::Arc;

/// One request.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) server: Arc<Server>,
    pub(crate) access: Access,
    /// What it runs as.
    pub(crate) operation: Operation,
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    /// The parts of the path, decoded.
    pub(crate) path: Vec<Vec<u8>>,
    /// The same as they came.
    encoded: Vec<String>,
    parameters: Vec<(String, String)>,
    /// Empty where it is too large to be read whole.
    pub(crate) body: Bytes,
    large: Mutex<Option<(Bytes, RequestBody)>>,
}

impl Call {
    /// Takes apart a request of somebody who is known.
    pub(crate) async fn new(
        server: Arc<Server>,
        request: Request,
        access: Access,
        operation: Operation,
    ) -> Result<Call> {
        let encoded = request.path().split('/').filter(|part| !part.is_empty());
        let encoded: Vec<String> = encoded.map(str::to_owned).collect();
        let path = encoded.iter().map(|part| unescaped(part)).collect();
        let invalid = || RiakError::bad("the query has an escape that is not %HH in UTF-8");
        let mut parameters = Vec::new();
        for pair in query_pairs(request.query()) {
            let (name, value) = pair.ok_or_else(invalid)?;
            parameters.push((name.into_owned(), value.into_owned()));
        }
        let mut rest = request.body;
        let (body, large) = match rest.begin(VALUE_BYTES_MAX).await? {
            Beginning::Whole(body) => (body, None),
            Beginning::Part(first) | Beginning::Crowded(first, _) => (Bytes::new(), Some((first, rest))),
        };
        Ok(Call {
            server,
            access,
            operation,
            method: request.method,
            headers: request.headers,
            path,
            encoded,
            parameters,
            body,
            large: Mutex::new(large),
        })
    }

    /// The last parts of the path as they came, not decoded.
    pub(crate) fn encoded_end(&self, parts: usize) -> Vec<&str> {
        let first = self.encoded.len().saturating_sub(parts);
        self.encoded.iter().skip(first).map(String::as_str).collect()
    }

    /// Takes a body that is too large to be read whole: how it begins, and the rest.
    pub(crate) fn take_large(&self) -> Option<(Bytes, RequestBody)> {
        self.large.lock().take()
    }

    /// Whether the body is too large to be read whole.
    pub(crate) fn has_large(&self) -> bool {
        self.large.lock().is_some()
    }

    /// A parameter of the query. Riak ignores those that it does not know.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        let mut named = self.parameters.iter().filter(|(known, _)| known == name);
        named.next().map(|(_, value)| value.as_str())
    }

    /// `name=true`; whatever else it says is false.
    pub(crate) fn is_true(&self, name: &str) -> bool {
        self.parameter(name) == Some("true")
    }

    /// `name=true` or `name=false`; `None` where it says neither because it is missing.
    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.parameter(name).map(str::to_ascii_lowercase).as_deref() {
            None | Some("default") => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(RiakError::bad(format!(
                "{name} query parameter must be true or false"
            ))),
        }
    }

    /// The time that the client waits for an answer.
    pub(crate) fn deadline(&self) -> Result<Deadline> {
        Ok(Deadline::of(self.timeout_ms()?))
    }

    /// The same for what reads much.
    pub(crate) fn read_deadline(&self) -> Result<Deadline> {
        Ok(self.server.read_deadline(self.timeout_ms()?))
    }

    fn timeout_ms(&self) -> Result<Option<u32>> {
        let Some(text) = self.parameter("timeout") else {
            return Ok(None);
        };
        let bad = |_| RiakError::bad(format!("Bad timeout value \"{text}\""));
        text.parse().map(Some).map_err(bad)
    }

    /// Whether the path is one of the first interface, `/riak/B/K`.
    pub(crate) fn is_old(&self) -> bool {
        self.path.first().is_some_and(|first| first == b"riak")
    }

    /// Whether the path names a bucket type, `/types/T/…`.
    pub(crate) fn names_type(&self) -> bool {
        self.path.first().is_some_and(|first| first == b"types")
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn is(&self, methods: &[Method]) -> bool {
        methods.contains(&self.method)
    }

    /// The bucket of these parts of the path.
    pub(crate) fn bucket(&self, kind: Option<&[u8]>, name: &[u8]) -> Result<Bucket> {
        Bucket::new(kind, name)
    }
}
