//! Data streams: one name for a series of indices, the newest of which takes the writes.
//!
//! A stream is an alias of its indices that is marked as a stream, so everything that reads or writes by an alias does so by a stream,
//! too.

use crate::error::{ElasticError, Result, kinds};
use crate::index::Index;
use http::StatusCode;
use serde_json::{Map, Value};

/// The member of an alias's options that says that it is a data stream.
pub const MARK: &str = "data_stream";
/// The field that all documents of a stream have.
pub const TIME_FIELD: &str = "@timestamp";

/// Whether an alias is a data stream's name.
pub fn is_stream(options: &Value) -> bool {
    options.get(MARK).is_some()
}

/// The data stream of which an index is a part.
pub fn stream_of(aliases: &Map<String, Value>) -> Option<&str> {
    let found = aliases.iter().find(|(_, options)| is_stream(options));
    found.map(|(name, _)| name.as_str())
}

/// The aliases of an index that are no data streams.
pub fn plain_aliases(aliases: &Map<String, Value>) -> Map<String, Value> {
    let plain = aliases.iter().filter(|(_, options)| !is_stream(options));
    plain
        .map(|(name, options)| (name.clone(), options.clone()))
        .collect()
}

impl Index {
    /// Whether it is the index that its data stream writes to.
    pub fn is_written_by_stream(&self) -> bool {
        let aliases = self.aliases();
        let mut streams = aliases.values().filter(|options| is_stream(options));
        streams.any(|options| options.get("is_write_index").and_then(Value::as_bool) == Some(true))
    }

    /// Whether it was asked for by the name of a data stream.
    pub fn is_stream(&self, asked: &str) -> bool {
        asked != self.name && self.aliases().get(asked).is_some_and(is_stream)
    }

    /// Refuses any write to a data stream but adding documents with a time.
    pub fn check_stream_write(&self, asked: &str, creates: bool, has_time: bool) -> Result<()> {
        if !self.is_stream(asked) {
            return Ok(());
        }
        if !creates {
            return Err(ElasticError::illegal(
                "only write ops with an op_type of create are allowed in data streams",
            ));
        }
        match has_time {
            true => Ok(()),
            false => {
                let cause =
                    ElasticError::illegal(format!("data stream timestamp field [{TIME_FIELD}] is missing"));
                let reason = "failed to parse";
                Err(ElasticError::new(StatusCode::BAD_REQUEST, kinds::MAPPING, reason).because(cause))
            }
        }
    }
}
