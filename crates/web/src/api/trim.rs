//! Large values cut, for people who only look at them.

use value::{ArrayRef, Document, DocumentRef, Value, ValueRef, doc};

/// Bytes that are left of what is cut.
const HEAD_BYTES: usize = 256;

/// The document with texts and binaries of more than `bytes_max` bytes as `{"$cut": {type, bytes, head}}`.
pub(super) fn trimmed(document: DocumentRef<'_>, bytes_max: usize) -> Document {
    let fields = document.iter();
    fields
        .map(|(name, value)| (name.to_owned(), one(value, bytes_max)))
        .collect()
}

fn one(value: ValueRef<'_>, bytes_max: usize) -> Value {
    match value {
        ValueRef::Document(document) => Value::Document(trimmed(document, bytes_max)),
        ValueRef::Array(array) => elements(array, bytes_max),
        ValueRef::String(text) if text.len() > bytes_max => {
            let end = text.floor_char_boundary(HEAD_BYTES.min(bytes_max));
            cut("string", text.len(), &text[..end])
        }
        ValueRef::Binary { bytes, .. } if bytes.len() > bytes_max => {
            let head = bytes.get(..HEAD_BYTES.min(bytes_max)).unwrap_or_default();
            cut("binData", bytes.len(), &value::hex(head))
        }
        other => other.to_value(),
    }
}

fn elements(array: ArrayRef<'_>, bytes_max: usize) -> Value {
    Value::Array(array.iter().map(|value| one(value, bytes_max)).collect())
}

fn cut(kind: &str, bytes: usize, head: &str) -> Value {
    Value::Document(doc! {"$cut": {"type": kind, "bytes": bytes as i64, "head": head}})
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::array;

    #[test]
    fn long_texts_are_cut_between_characters_at_any_depth() {
        let document = doc! {"a": "äää", "b": array!["äääx", {"c": 7}]};
        let wanted = doc! {
            "a": "äää",
            "b": array![{"$cut": {"type": "string", "bytes": 7_i64, "head": "äää"}}, {"c": 7}],
        };
        assert_eq!(trimmed((&document).into(), 6), wanted);
    }
}
