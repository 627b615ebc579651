//! One answer of the other server.

use super::server::failed;
use bytes::{Bytes, BytesMut};
use indices::error::{ElasticError, Result};
use rest::limits::BODY_BYTES_MAX;
use search::Held;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

/// One answer, of this memory.
pub(super) struct Batch {
    pub(super) bytes: Bytes,
    _held: Held,
}

#[derive(Deserialize)]
pub(super) struct Page<'a> {
    #[serde(rename = "_scroll_id")]
    pub(super) scroll: Option<String>,
    #[serde(borrow)]
    pub(super) hits: Hits<'a>,
}

#[derive(Deserialize)]
pub(super) struct Hits<'a> {
    /// A number before version 7, since then an object with it.
    #[serde(default)]
    total: Value,
    #[serde(borrow)]
    pub(super) hits: Vec<Hit<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Hit<'a> {
    #[serde(rename = "_id")]
    pub(super) id: String,
    #[serde(default, rename = "_routing")]
    pub(super) routing: Option<String>,
    #[serde(borrow, rename = "_source")]
    pub(super) source: Option<&'a RawValue>,
}

impl Batch {
    pub(super) async fn read(
        host: &str,
        body: &mut http::ResponseBody,
        wait: Duration,
        held: &Held,
    ) -> Result<Batch> {
        let held = held.another();
        let mut bytes = BytesMut::new();
        loop {
            let chunk = tokio::time::timeout(wait, body.chunk()).await;
            let chunk = chunk.map_err(|_| failed(host, "the answer did not go on in time"))?;
            let Some(chunk) = chunk? else { break };
            if bytes.len() + chunk.len() > BODY_BYTES_MAX {
                return Err(ElasticError::illegal(
                    "Remote responded with a chunk that was too large. Use a smaller batch size.",
                ));
            }
            held.add(chunk.len())?;
            bytes.extend_from_slice(&chunk);
        }
        Ok(Batch {
            bytes: bytes.freeze(),
            _held: held,
        })
    }

    pub(super) fn page(&self) -> Result<Page<'_>> {
        Ok(serde_json::from_slice(&self.bytes)?)
    }
}

impl Page<'_> {
    pub(super) fn total(&self) -> u64 {
        let total = &self.hits.total;
        total
            .as_u64()
            .or_else(|| total["value"].as_u64())
            .unwrap_or(u64::MAX)
    }
}
