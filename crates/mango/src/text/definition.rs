//! A text index as clients define it and design documents keep it.

use super::{DEFAULT_FIELD, Service};
use crate::Selector;
use crate::error::{Error, Result, shown};
use crate::options::{flag, invalid_key};
use value::{Document, Value, doc};

/// How texts are cut by default.
const ANALYZER: &str = "keyword";
const DEFAULT_FIELD_ANALYZER: &str = "standard";

/// What stands for all fields in design documents.
const ALL_FIELDS: &str = "all_fields";

/// The definition of a text index.
#[derive(Clone, Debug, PartialEq)]
pub struct TextDefinition {
    /// Who searches it.
    pub service: Service,
    /// As design documents keep it: every option, in CouchDB's order.
    kept: Document,
    /// The fields with their types; `None` for all.
    columns: Option<Vec<String>>,
    /// Which documents are in it; empty for all.
    pub(crate) partial: Document,
}

impl TextDefinition {
    /// Reads what a client or a design document says.
    pub fn parse(given: &Value, service: Service) -> Result<TextDefinition> {
        let Value::Document(given) = given else {
            let reason = format!("Text indexes must be an object, not: {}", shown(given));
            return Err(Error::refused("invalid_index", reason));
        };
        let mut kept = doc! {
            "default_analyzer": ANALYZER,
            "default_field": {},
            "partial_filter_selector": {},
            "selector": {},
            "fields": ALL_FIELDS,
            "index_array_lengths": true,
        };
        let mut columns = None;
        for (option, value) in given.iter() {
            let value = match option {
                "default_analyzer" | "default_field" => value.clone(),
                "partial_filter_selector" | "selector" => normal(value)?,
                "index_array_lengths" => Value::Bool(flag(value)?),
                "fields" => {
                    columns = fields(value, service)?;
                    match columns {
                        None => Value::from(ALL_FIELDS),
                        Some(_) => value.clone(),
                    }
                }
                unknown => return Err(invalid_key(unknown)),
            };
            kept.set(option, value);
        }
        let selector = |name: &str| match kept.get(name) {
            Some(Value::Document(selector)) if !selector.is_empty() => Some(selector.clone()),
            _ => None,
        };
        // Earlier versions called it otherwise.
        let partial = selector("partial_filter_selector").or_else(|| selector("selector"));
        let mut definition = TextDefinition {
            service,
            partial: partial.unwrap_or_default(),
            kept,
            columns: None,
        };
        let default = definition.default_analyzer().map(|_| DEFAULT_FIELD.to_owned());
        definition.columns = columns.map(|columns| default.into_iter().chain(columns).collect());
        Ok(definition)
    }

    /// Whether all fields of documents are searched.
    pub(crate) fn is_of_all_fields(&self) -> bool {
        self.columns.is_none()
    }

    /// The analyzer of the field of all texts; `None` where there is no such field.
    fn default_analyzer(&self) -> Option<Value> {
        match self.kept.get("default_field") {
            Some(Value::Bool(false)) => None,
            Some(Value::Document(options)) if options.get("enabled") == Some(&Value::Bool(false)) => None,
            Some(Value::Document(options)) if options.contains("analyzer") => {
                options.get("analyzer").cloned()
            }
            _ => Some(Value::from(DEFAULT_FIELD_ANALYZER)),
        }
    }

    /// What stands in the design document.
    pub fn to_index(&self) -> Document {
        let default = self.kept.get("default_analyzer").cloned();
        let analyzer = match self.default_analyzer() {
            None => Value::from(ANALYZER),
            Some(analyzer) => Value::from(doc! {
                "name": "perfield",
                "default": default.unwrap_or(Value::Null),
                "fields": Document::new().with(DEFAULT_FIELD, analyzer),
            }),
        };
        doc! {"index": self.kept.clone(), "analyzer": analyzer}
    }

    /// The definition as `_index` lists it.
    pub(crate) fn shown(&self) -> Document {
        let mut shown = self.kept.clone();
        if matches!(shown.get("partial_filter_selector"), Some(Value::Document(selector)) if selector.is_empty())
        {
            shown.remove("partial_filter_selector");
        }
        let fields = match self.kept.get("fields") {
            Some(Value::Array(fields)) => fields.iter().filter_map(listed).collect(),
            _ => Value::Array(Vec::new()),
        };
        shown.set("fields", fields);
        shown
    }

    /// Why it cannot answer; `None` if it can.
    pub(crate) fn reason(&self, selector: &Selector) -> Result<Option<&'static str>> {
        if selector.is_empty() {
            return Ok(Some("empty_selector"));
        }
        let Some(columns) = &self.columns else {
            return Ok(None);
        };
        let fields = selector.text_fields()?;
        let has_all = fields.iter().all(|field| columns.contains(field));
        Ok((!has_all).then_some("field_mismatch"))
    }
}

fn normal(value: &Value) -> Result<Value> {
    match value {
        Value::Document(selector) => Ok(Selector::parse(selector)?.to_document().into()),
        other => {
            let reason = format!("Selector must be a JSON object, not: {}", shown(other));
            Err(Error::refused("invalid_selector_json", reason))
        }
    }
}

/// The fields with their types; `None` for all.
fn fields(value: &Value, service: Service) -> Result<Option<Vec<String>>> {
    let invalid = || {
        let reason = format!(
            "Text Index field definitions must be of the form\n            {{\"name\": \"non-empty fieldname\", \"type\":\n                \
             \"{}\"}}. Def: {}",
            service.field_types_shown(),
            shown(value)
        );
        Error::refused("invalid_index_fields_definition", reason)
    };
    match value {
        Value::String(all) if all == ALL_FIELDS => Ok(None),
        Value::Array(fields) if fields.is_empty() => Ok(None),
        Value::Array(fields) => {
            let column = |field: &Value| match name_and_type(field) {
                Some((name, kind)) if service.field_types().contains(&kind) => Some(format!("{name}:{kind}")),
                _ => None,
            };
            let columns: Option<Vec<String>> = fields.iter().map(column).collect();
            columns.map(Some).ok_or_else(invalid)
        }
        _ => Err(invalid()),
    }
}

fn name_and_type(field: &Value) -> Option<(&str, &str)> {
    let Value::Document(field) = field else {
        return None;
    };
    match (field.len(), field.get("name"), field.get("type")) {
        (2, Some(Value::String(name)), Some(Value::String(kind))) if !name.is_empty() => {
            Some((name.as_str(), kind.as_str()))
        }
        _ => None,
    }
}

fn listed(field: &Value) -> Option<Value> {
    let (name, kind) = name_and_type(field)?;
    Some(Document::new().with(name, kind).into())
}
