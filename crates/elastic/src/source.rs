//! Which parts of a document a client wants to see.

use crate::error::{ElasticError, Result};
use crate::parameters::Parameters;
use crate::routing::ROUTING;
use serde_json::{Map, Value};
use value::DocumentBuf;

/// What is shown of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceFilter {
    pub(crate) hidden: bool,
    includes: Vec<String>,
    excludes: Vec<String>,
}

impl SourceFilter {
    /// Reads `_source` of a body.
    pub(crate) fn parse(value: &Value) -> Result<SourceFilter> {
        let names = |value: &Value| match value {
            Value::String(name) => Ok(vec![name.clone()]),
            Value::Array(names) => Ok(names
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect()),
            other => Err(ElasticError::parsing(format!("[_source] cannot have {other}"))),
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
                        "includes" | "include" => filter.includes = names(value)?,
                        "excludes" | "exclude" => filter.excludes = names(value)?,
                        other => {
                            return Err(ElasticError::parsing(format!(
                                "Unknown key for a START_ARRAY in [{other}]."
                            )));
                        }
                    }
                }
                Ok(filter)
            }
            other => Ok(SourceFilter {
                includes: names(other)?,
                ..SourceFilter::default()
            }),
        }
    }

    /// Reads `_source`, `_source_includes` and `_source_excludes` of a query string; `None` where it has none of them.
    pub(crate) fn take(parameters: &mut Parameters) -> Option<SourceFilter> {
        let mut filter = SourceFilter::default();
        let mut is_given = false;
        if let Some(source) = parameters.take("_source") {
            is_given = true;
            match source.as_str() {
                "true" | "" => {}
                "false" => filter.hidden = true,
                names => filter.includes = names.split(',').map(str::to_owned).collect(),
            }
        }
        let alternatives = [
            ("_source_includes", "_source_include"),
            ("_source_excludes", "_source_exclude"),
        ];
        for (at, (name, old)) in alternatives.into_iter().enumerate() {
            if let Some(names) = parameters.list(name).or_else(|| parameters.list(old)) {
                is_given = true;
                if at == 0 {
                    filter.includes = names;
                } else {
                    filter.excludes = names;
                }
            }
        }
        is_given.then_some(filter)
    }

    /// Whether it shows everything.
    pub(crate) fn is_all(&self) -> bool {
        !self.hidden && self.includes.is_empty() && self.excludes.is_empty()
    }

    /// This one, for documents of which a mapping shows a part.
    pub(crate) fn of_mapping(&self, mapping: &search::Mapping) -> SourceFilter {
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
    pub(crate) fn shown(&self, document: &DocumentBuf) -> Value {
        let mut object = json::object(document);
        object.shift_remove("_id");
        object.shift_remove(ROUTING);
        if self.includes.is_empty() && self.excludes.is_empty() {
            return Value::Object(object);
        }
        Value::Object(self.part(&object, ""))
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
    let whole = search::simple_match(pattern, path);
    whole
        || path
            .match_indices('.')
            .any(|(at, _)| search::simple_match(pattern, &path[..at]))
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
