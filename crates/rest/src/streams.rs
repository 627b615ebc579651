//! Creates data streams from the templates that match their names, and finds them.

use crate::call::Call;
use crate::definition::Definition;
use crate::names;
use http::StatusCode;
use indices::Index;
use indices::error::{ElasticError, Result, kinds};
use indices::streams::{MARK, TIME_FIELD, stream_of};
use serde_json::{Value, json};

impl Call {
    /// The names of all data streams that the user may read, each with its indices, the oldest first.
    pub fn streams(&self) -> Vec<(String, Vec<Index>)> {
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
    pub async fn is_stream_by_template(&self, name: &str) -> Result<bool> {
        let template = self.index_template_of(name).await?;
        Ok(template.is_some_and(|(_, template)| template.get("data_stream").is_some()))
    }

    /// Makes a data stream with its first index.
    pub async fn create_stream(&self, name: &str) -> Result<Index> {
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
    pub async fn create_backing(
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
