//! The argument of `$text`.

use crate::error::TextError;
use crate::languages::Language;
use crate::terms::Sensitivity;
use code::Code;
use value::{Document, Value};

/// What `$text` asks, before it is known of which index.
#[derive(Clone, Debug)]
pub struct Search {
    pub(crate) text: String,
    /// `None` for that of the index.
    pub(crate) language: Option<Language>,
    pub(crate) sensitivity: Sensitivity,
    source: Document,
}

impl Search {
    /// Reads `{$search, $language, $caseSensitive, $diacriticSensitive}`.
    pub fn parse(argument: &Value) -> Result<Search, TextError> {
        const KNOWN: [&str; 4] = ["$search", "$language", "$caseSensitive", "$diacriticSensitive"];
        let Value::Document(argument) = argument else {
            return Err(TextError::new(Code::BAD_VALUE, "$text expects an object"));
        };
        // In MongoDB's order, whatever the client's is.
        let Some(text) = argument.get("$search") else {
            let message = "Missing expected field \"$search\"";
            return Err(TextError::new(Code::NO_SUCH_KEY, message));
        };
        let text = string("$search", text)?.to_owned();
        let named = argument.get("$language");
        let named = named.map(|value| string("$language", value)).transpose()?;
        let sensitivity = Sensitivity {
            case: flag(argument, "$caseSensitive")?,
            marks: flag(argument, "$diacriticSensitive")?,
        };
        if let Some((unknown, _)) = argument.iter().find(|(name, _)| !KNOWN.contains(name)) {
            let message = format!("extra fields in $text: {unknown}");
            return Err(TextError::new(Code::BAD_VALUE, message));
        }
        Ok(Search {
            text,
            language: named.map(language).transpose()?.flatten(),
            sensitivity,
            source: argument.clone(),
        })
    }

    /// The argument as a client gave it.
    pub fn source(&self) -> &Document {
        &self.source
    }
}

fn language(name: &str) -> Result<Option<Language>, TextError> {
    if name.is_empty() {
        return Ok(None);
    }
    Language::parse(name).map(Some).ok_or_else(|| {
        let message = format!("unsupported language: \"{name}\"");
        TextError::new(Code::BAD_VALUE, message)
    })
}

fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, TextError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong_type(name, "string", other)),
    }
}

/// An option that is off unless it is given.
fn flag(argument: &Document, name: &str) -> Result<bool, TextError> {
    match argument.get(name) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(other) => Err(wrong_type(name, "bool", other)),
    }
}

fn wrong_type(name: &str, wanted: &str, found: &Value) -> TextError {
    let found = found.type_of().alias();
    let message = format!("\"{name}\" had the wrong type. Expected {wanted}, found {found}");
    TextError::new(Code::TYPE_MISMATCH, message)
}
