//! What index functions say of documents, and how a search sees it.

use crate::error::{Error, Result};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;
use value::{Document, DocumentBuf, Value};

/// Stands before the names of fields that hold texts as a whole: what is sorted by.
const WHOLE: char = '\u{1}';
/// The same of those that are counted and drilled into.
const FACET: char = '\u{2}';
/// The member that holds what is shown of a hit, as JSON text.
const STORED: &str = "\u{3}";

/// What a field is, which its first value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldType {
    /// Text that is cut into terms.
    Text,
    /// Text that is one term.
    Whole,
    /// Numbers.
    Number,
}

/// The fields of an index.
#[derive(Debug, Default)]
pub(crate) struct Fields {
    pub(crate) types: BTreeMap<String, FieldType>,
    /// Those with values that can be counted.
    pub(crate) facets: BTreeMap<String, FieldType>,
}

/// One call of `index`.
type Said = (String, String, Json, bool, bool);

impl Fields {
    /// The fields of one document as a search sees them; `row` is what its index function said.
    pub(crate) fn document(&mut self, row: &[u8]) -> Result<Document> {
        let said: Vec<Said> = serde_json::from_slice(row).unwrap_or_default();
        let mut document = Document::new();
        let mut stored = Map::new();
        for (kind, name, value, is_stored, is_facet) in said {
            if is_stored {
                store(&mut stored, &name, &value);
            }
            let Some((kind, term)) = term(&kind, &value) else {
                continue;
            };
            self.note(&name, kind, is_facet)?;
            if kind != FieldType::Number {
                put(&mut document, &whole(&name), term.clone());
            }
            if is_facet {
                put(&mut document, &facet(&name), term.clone());
            }
            put(&mut document, &name, term);
        }
        document.push(STORED, Json::Object(stored).to_string());
        Ok(document)
    }

    fn note(&mut self, name: &str, kind: FieldType, is_facet: bool) -> Result<()> {
        let known = *self.types.entry(name.to_owned()).or_insert(kind);
        if known != kind {
            return Err(Error::bad_request(format!(
                "cannot change field \"{name}\" from {} to {}: a field is of one type in all documents",
                known.name(),
                kind.name()
            )));
        }
        if is_facet {
            self.facets.insert(name.to_owned(), kind);
        }
        Ok(())
    }
}

impl FieldType {
    fn name(self) -> &'static str {
        match self {
            FieldType::Text => "text",
            FieldType::Whole => "string",
            FieldType::Number => "double",
        }
    }
}

/// The field with the texts of this one as a whole.
pub(crate) fn whole(name: &str) -> String {
    format!("{WHOLE}{name}")
}

/// The field with those values of this one that are counted.
pub(crate) fn facet(name: &str) -> String {
    format!("{FACET}{name}")
}

/// What is shown of a hit.
pub fn stored(document: &DocumentBuf) -> Map<String, Json> {
    let text = document.as_raw().get(STORED);
    let text = text.and_then(value::ValueRef::as_str).unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

/// A field with one value shows that, one with several their list.
fn store(stored: &mut Map<String, Json>, name: &str, value: &Json) {
    match stored.get_mut(name) {
        None => {
            stored.insert(name.to_owned(), value.clone());
        }
        Some(Json::Array(values)) => values.push(value.clone()),
        Some(first) => *first = Json::Array(vec![first.take(), value.clone()]),
    }
}

fn term(kind: &str, value: &Json) -> Option<(FieldType, Value)> {
    match (kind, value) {
        ("text", Json::String(text)) => Some((FieldType::Text, text.as_str().into())),
        ("string", Json::String(text)) => Some((FieldType::Whole, text.as_str().into())),
        ("double", Json::Number(number)) => Some((FieldType::Number, number.as_f64()?.into())),
        _ => None,
    }
}

/// The first value where the path leads.
pub(crate) fn first<'d>(document: &'d Document, path: &str) -> Option<&'d Value> {
    let (name, rest) = match path.split_once('.') {
        None => (path, None),
        Some((name, rest)) => (name, Some(rest)),
    };
    let Some(Value::Array(values)) = document.get(name) else {
        return None;
    };
    values.iter().find_map(|value| match (value, rest) {
        (value, None) => Some(value),
        (Value::Document(inner), Some(rest)) => first(inner, rest),
        _ => None,
    })
}

/// Adds a value where the path leads. Each member is an array, since a field may have several values.
fn put(document: &mut Document, path: &str, value: Value) {
    let (name, value) = match path.split_once('.') {
        None => (path, value),
        Some((name, rest)) => {
            let mut inner = Document::new();
            put(&mut inner, rest, value);
            (name, Value::Document(inner))
        }
    };
    match document.get_mut(name) {
        Some(Value::Array(values)) => values.push(value),
        _ => document.push(name, Value::Array(vec![value])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_may_have_values_and_fields_below_it() {
        let mut fields = Fields::default();
        let row =
            br#"[["text","a","x",false,false],["double","a.b",1,true,false],["double","a.b",2,true,false]]"#;
        let document = fields.document(row).expect("types agree");
        assert_eq!(fields.types["a"], FieldType::Text);
        assert_eq!(fields.types["a.b"], FieldType::Number);
        assert_eq!(first(&document, "a.b"), Some(&Value::Double(1.0)));
        let document = DocumentBuf::from(&document);
        assert_eq!(Json::Object(stored(&document)).to_string(), r#"{"a.b":[1,2]}"#);
    }

    #[test]
    fn a_field_of_two_types_is_refused() {
        let row = br#"[["string","a","x",false,true],["double","a",1,false,false]]"#;
        let refused = Fields::default().document(row).map(drop);
        assert!(matches!(refused, Err(Error::BadRequest(_))));
    }
}
