//! The fields of a document that an answer is made of (`src/mango/src/mango_fields.erl`).

use value::path::{FieldPath, exact};
use value::{Document, DocumentRef, Value};

/// The fields of these names, in nested objects as they were.
pub fn extract(document: DocumentRef<'_>, members: &Document, fields: &[String]) -> Document {
    let mut extracted = Document::new();
    for field in fields {
        let path = FieldPath::parse_escaped(field);
        let found = match members.contains(path.first()) {
            true => exact(members.into(), &path),
            false => exact(document, &path),
        };
        if let Some(value) = found.value() {
            put(&mut extracted, path.parts(), value.to_value());
        }
    }
    extracted
}

fn put(target: &mut Document, path: &[Box<str>], value: Value) {
    let Some((name, rest)) = path.split_first() else {
        return;
    };
    if rest.is_empty() {
        target.set(&**name, value);
        return;
    }
    match target.get_mut(name) {
        Some(Value::Document(inner)) => put(inner, rest, value),
        // What was put there before is no object, and stays.
        Some(_) => {}
        None => {
            let mut inner = Document::new();
            put(&mut inner, rest, value);
            target.push(&**name, inner);
        }
    }
}
