//! Putting JSON into a mapping.

use super::{Mapping, check_depth};
use crate::error::{Result, SearchError};
use crate::json::scalar;
use crate::vectors;
use serde_json::{Map, Value, json};

/// What a mapping has besides its properties.
const ROOT: [&str; 9] = [
    "dynamic",
    "_meta",
    "dynamic_templates",
    "date_detection",
    "numeric_detection",
    "dynamic_date_formats",
    "_source",
    "_size",
    "_field_names",
];

/// What of a field cannot be changed once it is there.
const FIXED: [&str; 13] = [
    "analyzer",
    "index",
    "doc_values",
    "store",
    "format",
    "normalizer",
    "path",
    "scaling_factor",
    "value",
    "max_shingle_size",
    "dims",
    "element_type",
    "similarity",
];

impl Mapping {
    /// Adds what is new; what is there stays, or may be changed where Elasticsearch lets it. All or nothing.
    pub fn put(&mut self, source: &Value) -> Result<()> {
        let Value::Object(source) = source else {
            return Err(SearchError::mapper(
                "Failed to parse mapping: it must be an object",
            ));
        };
        let mut changed = self.clone();
        for (name, value) in source {
            match name.as_str() {
                "properties" => {
                    let present = changed.source.entry("properties").or_insert_with(|| json!({}));
                    merge(present, value, "")?;
                }
                "_source" => {
                    check_source(value)?;
                    changed.source.insert(name.clone(), value.clone());
                }
                "_routing" => {
                    let mut members = crate::json::Members::of(name, value)?;
                    members.flag("required")?;
                    members.end()?;
                    changed.source.insert(name.clone(), value.clone());
                }
                "runtime" => return Err(SearchError::unsupported("[runtime] in a mapping")),
                "dynamic" => {
                    let dynamic = scalar(value).unwrap_or_default();
                    if !matches!(dynamic.as_str(), "true" | "false" | "strict") {
                        return Err(SearchError::mapper(format!(
                            "[dynamic] must be true, false or strict, not [{dynamic}]"
                        )));
                    }
                    changed.source.insert(name.clone(), json!(dynamic));
                }
                known if ROOT.contains(&known) => {
                    changed.source.insert(name.clone(), value.clone());
                }
                other => {
                    let value = scalar(value).unwrap_or_else(|| shown(value));
                    return Err(SearchError::mapper(format!(
                        "Root mapping definition has unsupported parameters:  [{other} : {value}]"
                    )));
                }
            }
        }
        super::dynamic::check_templates(&changed.source)?;
        changed.compile()?;
        *self = changed;
        Ok(())
    }
}

/// Documents are kept whole; what is shown of them is a rule of the mapping.
fn check_source(rule: &Value) -> Result<()> {
    let mut members = crate::json::Members::of("_source", rule)?;
    members.flag("enabled")?;
    members.flag("compress")?;
    members.take("includes");
    members.take("excludes");
    members.end()
}

/// An object as Java writes it.
fn shown(value: &Value) -> String {
    match value {
        Value::Object(object) => super::given::shown(object),
        other => scalar(other).unwrap_or_else(|| other.to_string()),
    }
}

/// What a parameter that cannot be changed is where nothing was said of it.
fn default_of(parameter: &str) -> Option<Value> {
    match parameter {
        "index" | "doc_values" => Some(json!(true)),
        "store" => Some(json!(false)),
        "analyzer" | "normalizer" => Some(json!("default")),
        _ => None,
    }
}

fn merge(present: &mut Value, new: &Value, prefix: &str) -> Result<()> {
    let Value::Object(new) = new else {
        return Err(SearchError::mapper("Expected map for property [properties]"));
    };
    for (name, definition) in new {
        if name.is_empty() || name.split('.').any(str::is_empty) {
            return Err(SearchError::illegal("name cannot be empty string"));
        }
        check_depth(name)?;
        // `a.b` is the property b of the object a.
        if let Some((outer, inner)) = name.split_once('.') {
            let mut inside = Map::new();
            inside.insert(inner.to_owned(), definition.clone());
            let mut nested = Map::new();
            nested.insert(outer.to_owned(), json!({"properties": inside}));
            merge(present, &Value::Object(nested), prefix)?;
            continue;
        }
        let full = if prefix.is_empty() {
            name.clone()
        } else {
            format!("{prefix}.{name}")
        };
        let Value::Object(properties) = &mut *present else {
            continue;
        };
        let entry = properties.entry(name.clone()).or_insert(Value::Null);
        merge_field(entry, definition, &full)?;
    }
    Ok(())
}

fn merge_field(present: &mut Value, new: &Value, name: &str) -> Result<()> {
    let Value::Object(new) = new else {
        return Err(SearchError::mapper(format!(
            "Expected map for property [fields] on field [{name}] but got a [{new}]"
        )));
    };
    let kind = |definition: &Map<String, Value>| match definition.get("type") {
        Some(kind) => scalar(kind).unwrap_or_default(),
        None => "object".to_owned(),
    };
    let is_new = present.is_null();
    if is_new {
        *present = json!({});
    }
    let Value::Object(old) = present else {
        return Ok(());
    };
    if !is_new && kind(old) != kind(new) {
        let (from, to) = (kind(old), kind(new));
        return Err(SearchError::illegal(match (from.as_str(), to.as_str()) {
            ("object", "nested") | ("nested", "object") => {
                format!("object mapping [{name}] can't be changed from nested to non-nested")
            }
            ("object" | "nested", _) => {
                format!("can't merge a non object mapping [{name}] with an object mapping")
            }
            (_, "object" | "nested") => {
                format!("can't merge a non object mapping [{name}] with an object mapping")
            }
            _ => format!("mapper [{name}] cannot be changed from type [{from}] to [{to}]"),
        }));
    }
    for (parameter, value) in new {
        match parameter.as_str() {
            // An object is known by its properties.
            "type"
                if value == "object"
                    && (new.contains_key("properties") || old.contains_key("properties")) => {}
            "properties" => merge(old.entry("properties").or_insert_with(|| json!({})), value, name)?,
            "fields" => merge(old.entry("fields").or_insert_with(|| json!({})), value, name)?,
            fixed if FIXED.contains(&fixed) && !is_new => {
                let default = || vectors::default_of(&kind(old), fixed).or_else(|| default_of(fixed));
                let present = old.get(fixed).cloned().or_else(default);
                let text = |value: &Value| scalar(value).unwrap_or_else(|| "default".to_owned());
                if let Some(present) = present.filter(|present| text(present) != text(value)) {
                    return Err(SearchError::illegal(format!(
                        "Mapper for [{name}] conflicts with existing mapper:\n\tCannot update parameter [{fixed}] from [{}] to [{}]",
                        text(&present),
                        text(value)
                    )));
                }
                old.insert(parameter.clone(), value.clone());
            }
            _ => drop(old.insert(parameter.clone(), value.clone())),
        }
    }
    Ok(())
}
