//! The options of a processor or a pipeline, read strictly.

use crate::error::PipelineError;
use crate::template::Template;
use mapping::java::class_of_json;
use serde_json::{Map, Value as Json};
use value::Value;

pub(crate) type Result<T> = std::result::Result<T, PipelineError>;

/// What a processor is told; what it has not asked for in the end is refused.
#[derive(Debug)]
pub(crate) struct Options {
    /// Whose they are, as errors call it.
    owner: String,
    given: Map<String, Json>,
}

impl Options {
    pub(crate) fn of_processor(kind: &str, given: Map<String, Json>) -> Options {
        let owner = format!("processor [{kind}]");
        Options { owner, given }
    }

    pub(crate) fn of_pipeline(name: &str, given: Map<String, Json>) -> Options {
        let owner = format!("pipeline [{name}]");
        Options { owner, given }
    }

    pub(crate) fn take(&mut self, name: &str) -> Option<Json> {
        self.given.shift_remove(name).filter(|value| !value.is_null())
    }

    pub(crate) fn required(&mut self, name: &str) -> Result<Json> {
        self.take(name)
            .ok_or_else(|| PipelineError::of(name, "required property is missing"))
    }

    pub(crate) fn optional_text(&mut self, name: &str) -> Result<Option<String>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Err(not_of(name, "a string", &other)),
        }
    }

    pub(crate) fn text(&mut self, name: &str) -> Result<String> {
        let found = self.optional_text(name)?;
        found.ok_or_else(|| PipelineError::of(name, "required property is missing"))
    }

    pub(crate) fn template(&mut self, name: &str) -> Result<Template> {
        Template::parse(&self.text(name)?)
    }

    pub(crate) fn optional_template(&mut self, name: &str) -> Result<Option<Template>> {
        self.optional_text(name)?
            .map(|text| Template::parse(&text))
            .transpose()
    }

    pub(crate) fn flag(&mut self, name: &str, default: bool) -> Result<bool> {
        match self.take(name) {
            None => Ok(default),
            Some(Json::Bool(flag)) => Ok(flag),
            Some(other) => Err(not_of(name, "a boolean", &other)),
        }
    }

    /// A whole number, which may be written as a text.
    pub(crate) fn optional_int(&mut self, name: &str) -> Result<Option<i32>> {
        let text = match self.take(name) {
            None => return Ok(None),
            Some(Json::String(text)) => text,
            Some(other) => other.to_string(),
        };
        let wrong = || PipelineError::of(name, format!("property cannot be converted to an int [{text}]"));
        text.parse::<i32>().map(Some).map_err(|_| wrong())
    }

    /// One text, or several.
    pub(crate) fn one_or_more(&mut self, name: &str) -> Result<Option<Vec<String>>> {
        match self.given.get(name) {
            Some(Json::String(_)) => Ok(self.optional_text(name)?.map(|text| vec![text])),
            _ => self.optional_texts(name),
        }
    }

    /// A list of texts.
    pub(crate) fn optional_texts(&mut self, name: &str) -> Result<Option<Vec<String>>> {
        let one = |one: Json| match one {
            Json::String(text) => Ok(text),
            _ => Err(PipelineError::of(name, "property isn't a list of strings")),
        };
        let list = self.list(name)?;
        list.map(|list| list.into_iter().map(one).collect()).transpose()
    }

    pub(crate) fn texts(&mut self, name: &str) -> Result<Vec<String>> {
        let found = self.optional_texts(name)?;
        found.ok_or_else(|| PipelineError::of(name, "required property is missing"))
    }

    pub(crate) fn object(&mut self, name: &str) -> Result<Option<Map<String, Json>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Object(object)) => Ok(Some(object)),
            Some(other) => Err(not_of(name, "a map", &other)),
        }
    }

    pub(crate) fn list(&mut self, name: &str) -> Result<Option<Vec<Json>>> {
        match self.take(name) {
            None => Ok(None),
            Some(Json::Array(list)) => Ok(Some(list)),
            Some(other) => Err(not_of(name, "a list", &other)),
        }
    }

    /// Refuses what was not asked for.
    pub(crate) fn end(self) -> Result<()> {
        match self.given.is_empty() {
            true => Ok(()),
            false => {
                let names: Vec<&str> = self.given.keys().map(String::as_str).collect();
                Err(PipelineError::new(format!(
                    "{} doesn't support one or more provided configuration parameters [{}]",
                    self.owner,
                    names.join(", ")
                )))
            }
        }
    }
}

/// An option is not of the type that it must have.
fn not_of(name: &str, wanted: &str, found: &Json) -> PipelineError {
    let class = class_of_json(found);
    PipelineError::of(name, format!("property isn't {wanted}, but of type [{class}]"))
}

/// A value as a definition has it.
pub(crate) fn value_of(json: &Json) -> Value {
    json::Reader::exact_whole(json.to_string().as_bytes()).unwrap_or(Value::Null)
}
