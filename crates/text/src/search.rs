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
        let Value::Document(argument) = argument else {
            return Err(TextError::new(Code::BAD_VALUE, "$text expects an object"));
        };
        let mut search = Search {
            text: String::new(),
            language: None,
            sensitivity: Sensitivity::default(),
            source: argument.clone(),
        };
        for (name, value) in argument.iter() {
            match name {
                "$search" => string(name, value)?.clone_into(&mut search.text),
                "$language" => search.language = language(string(name, value)?)?,
                "$caseSensitive" => search.sensitivity.case = flag(name, value)?,
                "$diacriticSensitive" => search.sensitivity.marks = flag(name, value)?,
                unknown => {
                    let message = format!("extra fields in $text: {unknown}");
                    return Err(TextError::new(Code::BAD_VALUE, message));
                }
            }
        }
        if !argument.contains("$search") {
            let message = "Missing expected field \"$search\"";
            return Err(TextError::new(Code::NO_SUCH_KEY, message));
        }
        Ok(search)
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

fn flag(name: &str, value: &Value) -> Result<bool, TextError> {
    match value {
        Value::Bool(flag) => Ok(*flag),
        other => Err(wrong_type(name, "bool", other)),
    }
}

fn wrong_type(name: &str, wanted: &str, found: &Value) -> TextError {
    let found = found.type_of().alias();
    let message = format!("\"{name}\" had the wrong type. Expected {wanted}, found {found}");
    TextError::new(Code::TYPE_MISMATCH, message)
}
