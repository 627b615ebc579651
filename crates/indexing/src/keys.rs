//! The keys by which an index knows documents.

use crate::record::id_text;
use engine::{Change, ChangeKind, Record, Sequence};
use std::hash::{DefaultHasher, Hash, Hasher};
use value::{ObjectId, ValueRef};

/// The bytes of a key at most; a longer one is cut, with a hash behind.
const KEY_BYTES_MAX: usize = 1000;

/// What a key begins with, by the type of `_id`: texts alike may stand for different ones.
const STRING: u8 = b's';
const OBJECT_ID: u8 = b'o';
const OTHER: u8 = b'x';

/// The key of an `_id`.
pub(crate) fn key(id: ValueRef<'_>) -> Vec<u8> {
    let kind = match id {
        ValueRef::String(_) => STRING,
        ValueRef::ObjectId(_) => OBJECT_ID,
        _ => OTHER,
    };
    of_kind(kind, &id_text(id))
}

/// The keys that a document may have whose `_id` is this text.
pub(crate) fn keys(text: &str) -> Vec<Vec<u8>> {
    [STRING, OBJECT_ID, OTHER]
        .map(|kind| of_kind(kind, text))
        .to_vec()
}

fn of_kind(kind: u8, text: &str) -> Vec<u8> {
    if let Some(bytes) = packed(text) {
        // The kind in capitals says so.
        return [&[kind.to_ascii_uppercase()], &bytes[..]].concat();
    }
    let mut key = vec![kind];
    key.extend_from_slice(text.as_bytes());
    if key.len() > KEY_BYTES_MAX {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        key.truncate(KEY_BYTES_MAX);
        key.extend_from_slice(&hasher.finish().to_be_bytes());
    }
    key
}

/// The bytes of an ObjectId's text. Most documents have such an `_id`, and each is a term of its own. In capitals it is another text.
fn packed(text: &str) -> Option<[u8; 12]> {
    let is_capital = |digit: u8| digit.is_ascii_uppercase();
    let id: ObjectId = text.parse().ok()?;
    (!text.bytes().any(is_capital)).then_some(*id.bytes())
}

/// The key of a document that is there.
pub(crate) fn key_of(record: &Record) -> Vec<u8> {
    let id = record.document.as_raw().get("_id");
    key(id.unwrap_or(ValueRef::Null))
}

/// The key of the document that a change was of, and whether an index may have an entry of it.
pub(crate) fn changed(change: &Change) -> (Vec<u8>, bool) {
    match &change.kind {
        ChangeKind::Put(record) => (key_of(record), !is_first(record)),
        ChangeKind::Deleted { id, .. } => (key(id.as_ref()), true),
    }
}

/// Whether there was no document of this `_id` before, and no deletion of one that is remembered.
///
/// The number of a revision does not say it alone: a replicated branch may win over one of the same number, or of a greater one that
/// is deleted.
fn is_first(record: &Record) -> bool {
    let inserted = Sequence::after_insert_of(record.id);
    record.generation() <= 1 && !record.has_tree() && record.sequence() == inserted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_ids_have_different_keys() {
        let texts = [
            "",
            "0123456789abcdef01234567",
            "0123456789ABCDEF01234567",
            "0123456789abcdef0123456",
            "0123456789abcdef012345678",
            "0123456789abcdef0123456g",
            "ob",
            "s",
        ];
        let mut all: Vec<Vec<u8>> = texts.iter().flat_map(|text| keys(text)).collect();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn the_text_of_an_object_id_takes_half_of_its_bytes() {
        assert_eq!(key(ValueRef::String("0123456789abcdef01234567")).len(), 13);
        assert!(
            keys("0123456789abcdef01234567").contains(&key(ValueRef::String("0123456789abcdef01234567")))
        );
    }
}
