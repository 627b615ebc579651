//! Values that scripts make of documents that were found: `script_fields`.

use jiff::tz::TimeZone;
use mapping::Mapping;
use mapping::dates::DateFormats;
use mapping::decimals::double_text;
use mapping::error::{ErrorKind, Result, SearchError};
use mapping::json::{as_bool, token_of};
use search::{DocumentScript, Hit};
use serde_json::{Map, Number, Value as Json};
use value::{Document, DocumentBuf, Value};

/// A script, and the name that its values are shown by.
#[derive(Clone, Debug)]
pub struct ScriptField {
    name: String,
    script: DocumentScript,
    /// Whether documents of which the script can make nothing are shown without its values.
    ignores_failure: bool,
}

impl ScriptField {
    /// Reads scripts by their names.
    pub fn parse(value: &Json) -> Result<Vec<ScriptField>> {
        let Json::Object(named) = value else {
            return Err(unknown("script_fields", value));
        };
        let parsed = named.iter().map(|(name, definition)| one(name, definition));
        parsed.collect()
    }
}

fn one(name: &str, definition: &Json) -> Result<ScriptField> {
    let Json::Object(members) = definition else {
        return Err(SearchError::parsing(format!(
            "Expected [START_OBJECT] in [{name}] but found [{}]",
            token_of(definition)
        )));
    };
    let (mut script, mut ignores_failure) = (None, false);
    for (member, value) in members {
        match (member.as_str(), value) {
            ("script", Json::String(_) | Json::Object(_)) => script = Some(DocumentScript::parse(value)?),
            ("ignore_failure", Json::Bool(_) | Json::String(_)) => {
                ignores_failure = as_bool(value).ok_or_else(|| {
                    SearchError::illegal(format!(
                        "Failed to parse value [{}] as only [true] or [false] are allowed.",
                        value.as_str().unwrap_or_default()
                    ))
                })?;
            }
            (other, value) => return Err(unknown(other, value)),
        }
    }
    let missing = || SearchError::parsing(format!("Required [script] of the script field [{name}]"));
    Ok(ScriptField {
        name: name.to_owned(),
        script: script.ok_or_else(missing)?,
        ignores_failure,
    })
}

fn unknown(name: &str, value: &Json) -> SearchError {
    SearchError::parsing(format!("Unknown key for a {} in [{name}].", token_of(value)))
}

/// Adds what scripts make of a hit to its fields; a field that is there already stays as it is.
pub fn put_scripted(
    mapping: &Mapping,
    hit: &Hit,
    wanted: &[ScriptField],
    fields: &mut Map<String, Json>,
) -> Result<()> {
    if wanted.is_empty() {
        return Ok(());
    }
    let view = hit.view(mapping);
    for one in wanted {
        if fields.contains_key(&one.name) {
            continue;
        }
        let values = match one.script.value(&view, None) {
            Ok(Value::Null) => Vec::new(),
            Ok(Value::Array(list)) => list.iter().map(shown).collect(),
            Ok(value) => vec![shown(&value)],
            Err(error) if one.ignores_failure && error.kind == ErrorKind::Script => continue,
            Err(error) => return Err(error),
        };
        if !values.is_empty() {
            fields.insert(one.name.clone(), Json::Array(values));
        }
    }
    Ok(())
}

/// A value as Elasticsearch writes what a script gives.
fn shown(value: &Value) -> Json {
    match value {
        Value::DateTime(ms) => DateFormats::default().write(*ms, &TimeZone::UTC).into(),
        Value::Double(number) => {
            // What is no number of JSON is a text.
            Number::from_f64(*number).map_or_else(|| double_text(*number).into(), Json::Number)
        }
        Value::Array(list) => list.iter().map(shown).collect(),
        Value::Document(document) => {
            let members = document.iter();
            let members = members.map(|(name, value)| (name.to_owned(), shown(value)));
            Json::Object(members.collect())
        }
        other => {
            let alone = DocumentBuf::from(&Document::new().with("value", other.clone()));
            json::exact_object(&alone)
                .shift_remove("value")
                .unwrap_or_default()
        }
    }
}
