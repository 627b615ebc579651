//! Bytes by which documents are sorted.

use crate::plan::{IndexScan, SortPattern};
use value::collation::has_text;
use value::key::{self, Direction};
use value::path::{self, Reached};
use value::{DocumentRef, ValueRef};

/// Appends the document's sort key: comparing the bytes of two keys is comparing the documents by the pattern.
pub fn sort_key(document: DocumentRef<'_>, pattern: &SortPattern, key: &mut Vec<u8>) {
    let mut candidate = Vec::new();
    for field in pattern.fields() {
        let begin = key.len();
        let mut offer = |value: ValueRef<'_>| {
            candidate.clear();
            match pattern.collation().filter(|_| has_text(value)) {
                None => key::encode(value, field.direction, &mut candidate),
                Some(collation) => {
                    let value = collation.key_value(value);
                    key::encode(value.as_ref(), field.direction, &mut candidate);
                }
            }
            if key.len() == begin || candidate.as_slice() < &key[begin..] {
                key.truncate(begin);
                key.extend_from_slice(&candidate);
            }
        };
        path::visit(document, &field.path, &mut |reached: Reached<'_>| {
            match reached.value {
                // An array counts as its least element in the sort's direction.
                Some(ValueRef::Array(array)) if array.is_empty() => offer(ValueRef::Undefined),
                Some(ValueRef::Array(array)) => array.iter().for_each(&mut offer),
                Some(value) => offer(value),
                None => offer(ValueRef::Null),
            }
            false
        });
        if key.len() == begin {
            key::encode(ValueRef::Null, field.direction, key);
        }
    }
}

/// How to make sort keys out of an index's keys.
#[derive(Clone, Debug)]
pub struct KeySorter {
    /// For each field of the sort: its place in the index, and whether its bytes run the other way there.
    parts: Vec<(usize, bool)>,
    directions: Vec<Direction>,
}

impl KeySorter {
    /// For a scan whose index has all fields of the pattern.
    pub fn new(scan: &IndexScan, pattern: &SortPattern) -> KeySorter {
        let fields = &scan.facts.fields;
        let parts = pattern.fields().iter().filter_map(|wanted| {
            let at = fields.iter().position(|field| field.name == wanted.name)?;
            Some((at, fields[at].kind.direction() != wanted.direction))
        });
        KeySorter {
            parts: parts.collect(),
            directions: fields.iter().map(|field| field.kind.direction()).collect(),
        }
    }

    /// The sort key of an index key.
    pub fn sort_key(&self, index_key: &[u8]) -> Vec<u8> {
        let mut ends = Vec::with_capacity(self.directions.len() + 1);
        ends.push(0);
        for direction in &self.directions {
            let begin = ends[ends.len() - 1];
            match key::skip(&index_key[begin..], *direction) {
                Some(length) => ends.push(begin + length),
                None => break,
            }
        }
        let mut bytes = Vec::with_capacity(index_key.len());
        for (at, reversed) in &self.parts {
            let (Some(begin), Some(end)) = (ends.get(*at), ends.get(at + 1)) else {
                continue;
            };
            let part = &index_key[*begin..*end];
            if *reversed {
                bytes.extend(part.iter().map(|byte| !byte));
            } else {
                bytes.extend_from_slice(part);
            }
        }
        bytes
    }
}
