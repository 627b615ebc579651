//! Which parts of a document a client wants to see.

use mapping::Mapping;
use mapping::error::{Result, SearchError};
use mapping::fields::simple_match;
use mapping::json::token_of;
use serde_json::{Map, Value};
use value::DocumentBuf;

/// What is kept with a document and is no part of it as clients see it.
const BESIDE: [&str; 2] = ["_id", "_routing"];

/// What is shown of a document.
#[derive(Clone, Debug, Default)]
pub struct SourceFilter {
    /// Whether nothing is shown.
    pub hidden: bool,
    /// Patterns of paths, one of which a part must match; all parts where there are none.
    pub includes: Vec<String>,
    /// Patterns of paths that are left out.
    pub excludes: Vec<String>,
}

impl SourceFilter {
    /// Reads `_source` of a body.
    pub fn parse(value: &Value) -> Result<SourceFilter> {
        let one = |value: &Value| match value {
            Value::String(name) => Ok(name.clone()),
            Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
            other => Err(SearchError::parsing(format!(
                "[_source] has names, but not [{other}]"
            ))),
        };
        let names = |name: &str, value: &Value| match value {
            Value::String(name) => Ok(vec![name.clone()]),
            Value::Array(names) => names.iter().map(one).collect(),
            other => Err(SearchError::parsing(format!(
                "Unknown key for a {} in [{name}].",
                token_of(other)
            ))),
        };
        match value {
            Value::Bool(shown) => Ok(SourceFilter {
                hidden: !shown,
                ..SourceFilter::default()
            }),
            Value::Object(object) => {
                let mut filter = SourceFilter::default();
                for (name, value) in object {
                    match name.as_str() {
                        "includes" | "include" => filter.includes = names(name, value)?,
                        "excludes" | "exclude" => filter.excludes = names(name, value)?,
                        other => {
                            return Err(SearchError::parsing(format!(
                                "Unknown key for a {} in [{other}].",
                                token_of(value)
                            )));
                        }
                    }
                }
                Ok(filter)
            }
            other => Ok(SourceFilter {
                includes: names("_source", other)?,
                ..SourceFilter::default()
            }),
        }
    }

    /// Whether it shows everything.
    pub fn is_all(&self) -> bool {
        !self.hidden && self.includes.is_empty() && self.excludes.is_empty()
    }

    /// This one, for documents of which a mapping shows a part.
    pub fn of_mapping(&self, mapping: &Mapping) -> SourceFilter {
        let mut filter = self.clone();
        let Some(rule) = mapping.source_rule() else {
            return filter;
        };
        filter.hidden |= !mapping.shows_source();
        let names = |name: &str| -> Vec<String> {
            let list = rule.get(name).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        filter.excludes.extend(names("excludes"));
        if filter.includes.is_empty() {
            filter.includes = names("includes");
        }
        filter
    }

    /// A document as it is shown, its `_id` and its routing left out.
    pub fn shown(&self, document: &DocumentBuf) -> Value {
        self.shown_at(document, "")
    }

    /// The same of an object at a path of a document, from which its fields are named.
    pub fn shown_at(&self, document: &DocumentBuf, path: &str) -> Value {
        let mut object = json::exact_object(document);
        for name in BESIDE {
            object.shift_remove(name);
        }
        if self.includes.is_empty() && self.excludes.is_empty() {
            return Value::Object(object);
        }
        Value::Object(self.part(&object, path))
    }

    fn part(&self, object: &Map<String, Value>, prefix: &str) -> Map<String, Value> {
        let mut out = Map::new();
        for (name, value) in object {
            let path = if prefix.is_empty() {
                name.clone()
            } else {
                format!("{prefix}.{name}")
            };
            if self.excludes.iter().any(|pattern| covers(pattern, &path)) {
                continue;
            }
            let is_wanted =
                self.includes.is_empty() || self.includes.iter().any(|pattern| covers(pattern, &path));
            let excludes_within = self.excludes.iter().any(|pattern| leads_to(pattern, &path));
            if is_wanted && !excludes_within {
                out.insert(name.clone(), value.clone());
            } else if is_wanted {
                let inner = SourceFilter {
                    includes: Vec::new(),
                    ..self.clone()
                };
                out.extend(inner.within(value, &path).map(|value| (name.clone(), value)));
            } else if self.includes.iter().any(|pattern| leads_to(pattern, &path)) {
                let empty = |value: &Value| {
                    value.as_object().is_some_and(Map::is_empty)
                        || value.as_array().is_some_and(Vec::is_empty)
                };
                let found = self.within(value, &path).filter(|value| !empty(value));
                out.extend(found.map(|value| (name.clone(), value)));
            }
        }
        out
    }

    fn within(&self, value: &Value, path: &str) -> Option<Value> {
        match value {
            Value::Object(inner) => Some(Value::Object(self.part(inner, path))),
            Value::Array(list) => Some(Value::Array(
                list.iter().filter_map(|value| self.within(value, path)).collect(),
            )),
            other => self.includes.is_empty().then(|| other.clone()),
        }
    }
}

/// Whether a pattern names a path or something around it.
fn covers(pattern: &str, path: &str) -> bool {
    let whole = simple_match(pattern, path);
    whole
        || path
            .match_indices('.')
            .any(|(at, _)| simple_match(pattern, &path[..at]))
}

/// Whether a pattern may name something within a path.
fn leads_to(pattern: &str, path: &str) -> bool {
    let mut parts = path.split('.');
    for piece in pattern.split('.') {
        if piece.contains('*') {
            return true;
        }
        match parts.next() {
            None => return true,
            Some(part) if part == piece => {}
            Some(_) => return false,
        }
    }
    false
}
