//! Documents made out of index keys.

use crate::plan::facts::IndexFacts;
use value::key;
use value::raw::{DocumentWriter, encode_value_into};
use value::{Document, Value, ValueRef};

/// Appends the needed fields of an index as a document, dotted paths nested. Returns false, and appends nothing, if a field is null
/// in the key: the field may be missing from the document, which then has to be read.
pub fn write(facts: &IndexFacts, needed: &[String], key: &[u8], bits: &[u8], out: &mut Vec<u8>) -> bool {
    let start = out.len();
    let is_nested = needed.iter().any(|name| name.contains('.'));
    let written = match is_nested {
        true => write_nested(facts, needed, key, bits, out),
        false => write_flat(facts, needed, key, bits, out),
    };
    if written.is_none() {
        out.truncate(start);
    }
    written.is_some()
}

fn write_flat(
    facts: &IndexFacts,
    needed: &[String],
    mut key: &[u8],
    mut bits: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut writer = DocumentWriter::new(out);
    for field in &facts.fields {
        let direction = field.kind.direction();
        let is_needed = needed.contains(&field.name);
        if !is_needed && bits.is_empty() {
            key = key.get(key::skip(key, direction)?..)?;
        } else if let Some(text) = key::borrow_text(&mut key, bits, direction) {
            writer.put(&field.name, ValueRef::String(text));
        } else {
            let value = key::decode(&mut key, &mut bits, direction)?;
            if is_needed {
                writer.put(&field.name, present(&value)?.as_ref());
            }
        }
    }
    writer.finish();
    Some(())
}

fn write_nested(
    facts: &IndexFacts,
    needed: &[String],
    mut key: &[u8],
    mut bits: &[u8],
    out: &mut Vec<u8>,
) -> Option<()> {
    let mut whole = Document::new();
    for field in &facts.fields {
        let value = key::decode(&mut key, &mut bits, field.kind.direction())?;
        if needed.contains(&field.name) {
            present(&value)?;
            put(&mut whole, &field.name, value);
        }
    }
    encode_value_into(out, ValueRef::Document((&whole).into()));
    Some(())
}

/// A value that the document certainly has; `None` for null, which also stands for a missing field.
fn present(value: &Value) -> Option<&Value> {
    (!matches!(value, Value::Null | Value::Undefined)).then_some(value)
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
