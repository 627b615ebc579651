//! How hits are shown.

use crate::documents::put_routing;
use crate::error::{ElasticError, Result};
use crate::index::Index;
use crate::settings;
use crate::source::SourceFilter;
use search::{Highlight, Hit, Mapping, Query, ValuesOf, WantedField};
use serde_json::{Map, Value, json};

/// How hits are shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    pub(crate) source: SourceFilter,
    pub(crate) version: bool,
    pub(crate) sequence: bool,
    pub(crate) total_as_number: bool,
    fields: Vec<WantedField>,
    columns: Vec<WantedField>,
    stored: Vec<WantedField>,
    /// Without ids.
    is_bare: bool,
    /// Why a hit has its score.
    explain: bool,
    has_source: bool,
    highlight: Option<Highlight>,
}

impl Shown {
    /// Takes what a body says of how hits are shown; gives what it says besides.
    pub(crate) fn take(body: &Map<String, Value>) -> Result<(Shown, Map<String, Value>)> {
        let mut shown = Shown::default();
        let mut rest = Map::new();
        for (name, value) in body {
            match name.as_str() {
                "_source" => {
                    shown.source = SourceFilter::parse(value)?;
                    shown.has_source = true;
                }
                "version" => shown.version = value.as_bool() == Some(true),
                "seq_no_primary_term" => shown.sequence = value.as_bool() == Some(true),
                "fields" => shown.fields = WantedField::parse(value)?,
                "docvalue_fields" => shown.columns = WantedField::parse(value)?,
                "stored_fields" => shown.store(value)?,
                "highlight" => shown.highlight = Some(Highlight::parse(value)?),
                "explain" => shown.explain = value.as_bool() == Some(true),
                _ => drop(rest.insert(name.clone(), value.clone())),
            }
        }
        if !shown.has_source && body.contains_key("stored_fields") {
            shown.source.hidden = !names(&body["stored_fields"]).iter().any(|name| name == "_source");
        }
        Ok((shown, rest))
    }

    /// `_none_`, or names; whoever asks for fields does not see the document unless it asks for that, too.
    fn store(&mut self, value: &Value) -> Result<()> {
        let mut wanted = names(value);
        if wanted == ["_none_"] {
            self.is_bare = true;
            return Ok(());
        }
        wanted.retain(|name| name != "_source" && name != "_routing");
        self.stored = WantedField::parse(&json!(wanted))?;
        Ok(())
    }

    /// Takes the same from the parameters of a request, in whose place the body's are not.
    pub(crate) fn source_given(&mut self, filter: Option<SourceFilter>) {
        if let Some(filter) = filter {
            self.source = filter;
        }
    }

    /// A hit as a client sees it.
    pub(crate) fn hit(
        &self,
        index: &Index,
        mapping: &Mapping,
        hit: &Hit,
        query: Option<&Query>,
        score: Option<f32>,
        is_sorted: bool,
    ) -> Result<Value> {
        let mut body = Map::new();
        body.insert("_index".to_owned(), json!(index.name));
        if !self.is_bare {
            body.insert("_type".to_owned(), json!("_doc"));
            body.insert("_id".to_owned(), json!(hit.id));
            if hit.nested.is_none() {
                put_routing(&mut body, &hit.document);
            }
        }
        if let Some((path, offset)) = &hit.nested {
            body.insert("_nested".to_owned(), json!({"field": path, "offset": offset}));
        }
        if self.version {
            body.insert("_version".to_owned(), json!(hit.version));
        }
        if self.sequence {
            body.insert("_seq_no".to_owned(), json!(hit.sequence));
            body.insert("_primary_term".to_owned(), json!(1));
        }
        body.insert("_score".to_owned(), score.map_or(Value::Null, number));
        if !hit.ignored.is_empty() {
            body.insert("_ignored".to_owned(), json!(hit.ignored));
        }
        let source = self.source.of_mapping(mapping);
        if !source.hidden && !self.is_bare {
            body.insert("_source".to_owned(), source.shown(&hit.document));
        }
        search::check_source(mapping, &index.name, &self.fields)?;
        let mut fields = search::fetched(mapping, hit, &self.fields, ValuesOf::Source)?;
        fields.extend(search::fetched(mapping, hit, &self.columns, ValuesOf::Columns)?);
        fields.extend(search::fetched_stored(mapping, hit, &self.stored)?);
        if !fields.is_empty() {
            body.insert("fields".to_owned(), Value::Object(fields));
        }
        if let Some(highlight) = &self.highlight {
            let chars_max = settings::highlighted_chars_max(&index.given_settings());
            let found = highlight.of(mapping, hit, query, value::date::now_ms(), chars_max)?;
            if !found.is_empty() {
                body.insert("highlight".to_owned(), Value::Object(found));
            }
        }
        if is_sorted {
            body.insert("sort".to_owned(), Value::Array(hit.sort_values()));
        }
        if self.explain {
            let value = number(hit.score.unwrap_or(0.0));
            body.insert(
                "_explanation".to_owned(),
                json!({"value": value, "description": "the score of the whole query, by BM25", "details": []}),
            );
        }
        Ok(Value::Object(body))
    }

    /// Whether scores are shown whatever the order is.
    pub(crate) fn wants_scores(&self) -> bool {
        self.explain
    }
}

fn names(value: &Value) -> Vec<String> {
    let list = match value {
        Value::Array(list) => list.clone(),
        one => vec![one.clone()],
    };
    list.iter()
        .filter_map(Value::as_str)
        .flat_map(|names| names.split(','))
        .map(str::to_owned)
        .collect()
}

/// A score with the digits that it has, not those of the double next to it.
pub(crate) fn number(score: f32) -> Value {
    serde_json::from_str(&format!("{score:?}")).unwrap_or_else(|_| json!(score))
}

/// What a body says that is neither asked nor shown.
pub(crate) fn refuse(body: &Map<String, Value>) -> Result<()> {
    for (name, value) in body {
        let kind = match value {
            Value::Object(_) => "START_OBJECT",
            Value::Array(_) => "START_ARRAY",
            Value::String(_) => "VALUE_STRING",
            Value::Number(_) => "VALUE_NUMBER",
            Value::Bool(_) => "VALUE_BOOLEAN",
            Value::Null => "VALUE_NULL",
        };
        match name.as_str() {
            "profile" if value.as_bool() != Some(true) => {}
            // Grafana says that it wants none.
            "script_fields" if value.as_object().is_some_and(Map::is_empty) => {}
            "script_fields" | "knn" | "runtime_mappings" | "slice" | "profile" | "ext" | "rank"
            | "retriever" => {
                return Err(ElasticError::unsupported(format!("[{name}] of a search")));
            }
            other => {
                return Err(ElasticError::parsing(format!(
                    "Unknown key for a {kind} in [{other}]."
                )));
            }
        }
    }
    Ok(())
}
