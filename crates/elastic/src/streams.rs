//! Data streams: one name for a row of indices, of which the newest is written.
//!
//! A stream is nothing but an alias that its indices have, marked as a stream's; so everything that reads or writes by an alias does
//! so by a stream, too. It is made of the template that fits its name.

use crate::call::Call;
use crate::definition::Definition;
use crate::error::{ElasticError, Result, kinds};
use crate::index::Index;
use crate::names;
use http::StatusCode;
use serde_json::{Map, Value, json};

/// The member of an alias's options that says that it is a data stream.
const MARK: &str = "data_stream";
/// The field that all documents of a stream have.
pub(crate) const TIME_FIELD: &str = "@timestamp";

/// Whether an alias is a data stream's name.
pub(crate) fn is_stream(options: &Value) -> bool {
    options.get(MARK).is_some()
}

/// The data stream of which an index is a part.
pub(crate) fn stream_of(aliases: &Map<String, Value>) -> Option<&str> {
    let found = aliases.iter().find(|(_, options)| is_stream(options));
    found.map(|(name, _)| name.as_str())
}

/// The aliases of an index that are no data streams.
pub(crate) fn plain_aliases(aliases: &Map<String, Value>) -> Map<String, Value> {
    let plain = aliases.iter().filter(|(_, options)| !is_stream(options));
    plain
        .map(|(name, options)| (name.clone(), options.clone()))
        .collect()
}

impl Index {
    /// Whether it is the index that its data stream writes to.
    pub(crate) fn is_written_by_stream(&self) -> bool {
        let aliases = self.aliases();
        let mut streams = aliases.values().filter(|options| is_stream(options));
        streams.any(|options| options.get("is_write_index").and_then(Value::as_bool) == Some(true))
    }

    /// Whether it was asked for by the name of a data stream.
    pub(crate) fn is_stream(&self, asked: &str) -> bool {
        asked != self.name && self.aliases().get(asked).is_some_and(is_stream)
    }

    /// Refuses what a data stream does not take: documents are added to it, each with its time, and nothing else.
    pub(crate) fn check_stream_write(&self, asked: &str, creates: bool, has_time: bool) -> Result<()> {
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

impl Call {
    /// The names of all data streams that the user may read, each with its indices, the oldest first.
    pub(crate) fn streams(&self) -> Vec<(String, Vec<Index>)> {
        let mut streams: Vec<(String, Vec<Index>)> = Vec::new();
        for name in names::all(self) {
            let Ok(index) = self.index(&name, auth::Action::Find) else {
                continue;
            };
            let Some(stream) = stream_of(&index.aliases()).map(str::to_owned) else {
                continue;
            };
            match streams.iter_mut().find(|(known, _)| *known == stream) {
                Some((_, indices)) => indices.push(index),
                None => streams.push((stream, vec![index])),
            }
        }
        streams.sort_by(|(a, _), (b, _)| a.cmp(b));
        streams
    }

    /// Whether an index that is made by this name is to be a data stream.
    pub(crate) async fn is_stream_by_template(&self, name: &str) -> Result<bool> {
        let template = self.index_template_of(name).await?;
        Ok(template.is_some_and(|(_, template)| template.get("data_stream").is_some()))
    }

    /// Makes a data stream with its first index.
    pub(crate) async fn create_stream(&self, name: &str) -> Result<Index> {
        names::check(name)?;
        if !self.is_stream_by_template(name).await? {
            return Err(ElasticError::illegal(format!(
                "no matching index template found for data stream [{name}]"
            )));
        }
        let place = names::namespace(&self.server.engine, name);
        if self.server.engine.collection_entry(&place).is_some() || names::is_alias(self, name) {
            let reason = format!("data_stream [{name}] already exists");
            return Err(ElasticError::new(StatusCode::BAD_REQUEST, kinds::EXISTS, reason));
        }
        let options = json!({"is_write_index": true, MARK: true});
        self.create_backing(name, &format!("ds-{name}-000001"), options, Definition::default())
            .await
    }

    /// Makes an index of a data stream.
    pub(crate) async fn create_backing(
        &self,
        stream: &str,
        index: &str,
        options: Value,
        mut given: Definition,
    ) -> Result<Index> {
        given.aliases.insert(stream.to_owned(), options);
        let times = json!({"properties": {TIME_FIELD: {"type": "date"}}});
        let mut whole = Definition {
            mappings: times.as_object().cloned().unwrap_or_default(),
            ..Definition::default()
        };
        whole = whole.overridden(self.templated(stream).await?);
        self.create_index_of(index, whole.overridden(given), Some(stream))
            .await
    }
}
