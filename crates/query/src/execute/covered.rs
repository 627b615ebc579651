//! Documents made out of index keys.

use crate::plan::facts::IndexFacts;
use value::key::{self, Direction};
use value::{Document, DocumentBuf, Value};

/// The needed fields of an index as a document, dotted paths nested. `None` if a field is null in the key: it may be
/// missing from the document, which has to be read then.
pub fn document(facts: &IndexFacts, needed: &[String], key: &[u8], bits: &[u8]) -> Option<DocumentBuf> {
    let (mut key, mut bits) = (key, bits);
    let mut whole = Document::new();
    for field in &facts.fields {
        let direction: Direction = field.kind.direction();
        let value = key::decode(&mut key, &mut bits, direction)?;
        if !needed.contains(&field.name) {
            continue;
        }
        if matches!(value, Value::Null | Value::Undefined) {
            return None;
        }
        put(&mut whole, &field.name, value);
    }
    Some(DocumentBuf::from(&whole))
}

/// The names of an index's fields with the values in a key, as `returnKey` shows them.
pub fn key_document(facts: &IndexFacts, key: &[u8], bits: &[u8]) -> Document {
    let (mut key, mut bits) = (key, bits);
    let mut shown = Document::new();
    for field in &facts.fields {
        match key::decode(&mut key, &mut bits, field.kind.direction()) {
            Some(value) => shown.push(field.name.clone(), value),
            None => break,
        }
    }
    shown
}

fn put(document: &mut Document, path: &str, value: Value) {
    match path.split_once('.') {
        None => document.set(path, value),
        Some((first, rest)) => {
            if !matches!(document.get(first), Some(Value::Document(_))) {
                document.set(first, Document::new());
            }
            if let Some(Value::Document(inner)) = document.get_mut(first) {
                put(inner, rest, value);
            }
        }
    }
}
