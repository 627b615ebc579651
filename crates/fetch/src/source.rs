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
                let found = self.within(value, &path).filter(|value| !is_empty(value));
                out.extend(found.map(|value| (name.clone(), value)));
            }
        }
        out
    }

    fn within(&self, value: &Value, path: &str) -> Option<Value> {
        match value {
            Value::Object(inner) => Some(Value::Object(self.part(inner, path))),
            Value::Array(list) => {
                let parts = list.iter().filter_map(|value| self.within(value, path));
                // Of what is in a list, nothing stays of which nothing is left.
                Some(Value::Array(parts.filter(|value| !is_empty(value)).collect()))
            }
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

fn is_empty(value: &Value) -> bool {
    value.as_object().is_some_and(Map::is_empty) || value.as_array().is_some_and(Vec::is_empty)
}

/// Whether a pattern may name something within a path.
fn leads_to(pattern: &str, path: &str) -> bool {
    // Where the pattern can stand before each of its characters.
    let pattern: Vec<char> = pattern.chars().collect();
    let mut places = vec![0];
    for c in path.chars().chain(['.']) {
        let mut next = Vec::with_capacity(places.len());
        for place in places {
            let stars = pattern[place..].iter().take_while(|sign| **sign == '*').count();
            if stars > 0 {
                next.push(place + stars - 1);
            }
            if pattern.get(place + stars) == Some(&c) {
                next.push(place + stars + 1);
            }
        }
        next.sort_unstable();
        next.dedup();
        places = next;
    }
    !places.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// What is shown of a document.
    fn shown(filter: Value, document: Value) -> Value {
        let filter = SourceFilter::parse(&filter).expect("a filter");
        Value::Object(filter.part(document.as_object().expect("an object"), ""))
    }

    #[test]
    fn excluding_an_object_leaves_nothing_of_it_in_lists() {
        let document = || json!({"a": [{"b": 1}, {"c": 2}, 3, [{"b": 4}, {"c": 5}]], "d": {"b": 6}});
        for (filter, wanted) in [
            (json!(["a.b"]), json!({"a": [{"b": 1}, [{"b": 4}]]})),
            (
                json!({"excludes": "*.b"}),
                json!({"a": [{"c": 2}, 3, [{"c": 5}]], "d": {}}),
            ),
            (
                json!({"includes": "a", "excludes": ["a.b", "a.c"]}),
                json!({"a": [3]}),
            ),
            (json!(["a.x", "d"]), json!({"d": {"b": 6}})),
        ] {
            assert_eq!(shown(filter.clone(), document()), wanted, "{filter}");
        }
        // Fields that a pattern cannot reach stay as they are.
        let empty = json!({"c": [{}, []], "ab": 1});
        assert_eq!(shown(json!({"excludes": "ab*"}), empty), json!({"c": [{}, []]}));
    }

    #[test]
    fn patterns_lead_to_what_is_within_paths() {
        for (pattern, path, leads) in [
            ("a.b", "a", true),
            ("a.b", "a.b", false),
            ("a.b", "ab", false),
            ("a*", "a", true),
            ("a*", "b", false),
            ("*.b", "a", true),
            ("a*c.d", "abc", true),
            ("a*c.d", "abd", true),
            ("a*c", "b", false),
            ("**", "a.b.c", true),
            ("", "a", false),
        ] {
            assert_eq!(leads_to(pattern, path), leads, "{pattern} {path}");
        }
    }
}
