//! The values by which documents are joined, with MongoDB's semantics of equality: an array counts as its elements, and
//! a missing value as null.

use std::collections::BTreeSet;
use value::collation::{Collation, encode_in};
use value::key::Direction;
use value::path::{self, FieldPath, Reached};
use value::{Document, DocumentRef, Value, ValueRef};

/// A value as bytes, equal for values that are equal.
pub(super) type JoinKey = Box<[u8]>;

/// Most keys are shorter.
const KEY_BYTES: usize = 64;

/// Up to this many values are compared with each other one by one.
const FEW: usize = 8;

/// The values that a document looks up.
#[derive(Debug, Default)]
pub(super) struct JoinValues {
    values: Vec<(JoinKey, Value)>,
    /// The keys, once there are more than a [`FEW`].
    known: BTreeSet<JoinKey>,
}

impl JoinValues {
    /// The values at a path: the elements of arrays, and null if there is no value.
    pub(super) fn of(
        document: DocumentRef<'_>,
        path: &FieldPath,
        collation: Option<&Collation>,
    ) -> JoinValues {
        let mut values = JoinValues::at(document, path, collation);
        if values.values.is_empty() {
            values.add(ValueRef::Null, collation);
        }
        values
    }

    /// As [`JoinValues::of`], but empty if there is no value.
    pub(super) fn at(
        document: DocumentRef<'_>,
        path: &FieldPath,
        collation: Option<&Collation>,
    ) -> JoinValues {
        let mut values = JoinValues::default();
        path::visit(document, path, &mut |reached: Reached<'_>| {
            match reached.value {
                Some(ValueRef::Array(array)) => {
                    array.iter().for_each(|element| values.add(element, collation));
                }
                Some(value) => values.add(value, collation),
                None => {}
            }
            false
        });
        values
    }

    fn add(&mut self, value: ValueRef<'_>, collation: Option<&Collation>) {
        let key = key_of(value, collation);
        let is_new = if self.values.len() < FEW {
            self.values.iter().all(|(known, _)| *known != key)
        } else {
            if self.known.is_empty() {
                self.known = self.values.iter().map(|(known, _)| known.clone()).collect();
            }
            self.known.insert(key.clone())
        };
        if is_new {
            self.values.push((key, value.to_value()));
        }
    }

    /// The values with their keys, each once.
    pub(super) fn into_keyed(self) -> Vec<(JoinKey, Value)> {
        self.values
    }

    /// The values, each once.
    pub(super) fn into_values(self) -> Vec<Value> {
        self.values.into_iter().map(|(_, value)| value).collect()
    }
}

pub(super) fn key_of(value: ValueRef<'_>, collation: Option<&Collation>) -> JoinKey {
    let mut bytes = Vec::with_capacity(KEY_BYTES);
    append_key(value, collation, &mut bytes);
    bytes.as_slice().into()
}

/// Appends the key of one value: equal for values that are equal, strings by the collation where there is one.
pub(super) fn append_key(value: ValueRef<'_>, collation: Option<&Collation>, key: &mut Vec<u8>) {
    encode_in(collation, value, Direction::Ascending, key);
}

/// The keys of all values that a document equals at a path: arrays as a whole, and each of their elements.
pub(super) fn keys_at(
    document: DocumentRef<'_>,
    path: &FieldPath,
    collation: Option<&Collation>,
) -> BTreeSet<JoinKey> {
    let mut keys = BTreeSet::new();
    path::visit_expanded(document, path, &mut |reached: Reached<'_>| {
        keys.insert(key_of(reached.value.unwrap_or(ValueRef::Null), collation));
        false
    });
    keys
}

/// A filter for documents that have any of the values in a field. Regular expressions are values here, not patterns, and
/// documents with names that begin with `$` are not operators.
pub(super) fn any_of(field: &str, values: Vec<Value>) -> Document {
    let equals = |value: Value| Document::new().with(field, Document::new().with("$eq", value));
    let (special, mut plain): (Vec<Value>, Vec<Value>) = values.into_iter().partition(means_other_in_list);
    if special.is_empty() && plain.len() == 1 {
        return plain.pop().map(equals).unwrap_or_default();
    }
    let within = Document::new().with(field, Document::new().with("$in", plain));
    if special.is_empty() {
        return within;
    }
    let mut branches = vec![Value::Document(within)];
    branches.extend(special.into_iter().map(|value| Value::Document(equals(value))));
    Document::new().with("$or", branches)
}

/// Whether `$in` would not take the value literally.
fn means_other_in_list(value: &Value) -> bool {
    match value {
        Value::Regex(_) => true,
        Value::Document(document) => document
            .iter()
            .next()
            .is_some_and(|(name, _)| name.starts_with('$')),
        _ => false,
    }
}
