//! The results of a lookup, by the values under which they were found.

use super::JoinFields;
use crate::join_key::{append_key, keys_at};
use foldhash::fast::RandomState;
use smallvec::SmallVec;
use std::collections::HashMap;
use value::collation::Collation;
use value::path::{self, Reached};
use value::{DocumentRef, RawDocument, ValueRef};

/// A key where the table has it: most keys are numbers, ids or short names and need no memory of their own, so that a look-up
/// waits for one line of the processor's cache, not for two.
type SlotKey = SmallVec<[u8; 24]>;

/// Where the results for one value begin, in the order in which they were found. Most values have one.
type Places = SmallVec<[usize; 2]>;

/// The results for some documents, by the value under which they were found.
#[derive(Default)]
pub(super) struct LookupResults {
    by_key: HashMap<SlotKey, Places, RandomState>,
    /// All results as BSON, one after the other: each begins with its length.
    results: Vec<u8>,
}

impl LookupResults {
    /// For results of about this many bytes.
    pub(super) fn with_capacity(bytes: usize) -> LookupResults {
        LookupResults {
            by_key: HashMap::default(),
            results: Vec::with_capacity(bytes),
        }
    }

    /// Expects results under a key: only those that are expected are noted by [`LookupResults::add_expected`]. Returns whether it was not expected
    /// before.
    pub(super) fn expect(&mut self, key: &[u8]) -> bool {
        if self.by_key.contains_key(key) {
            return false;
        }
        self.by_key.insert(SlotKey::from_slice(key), Places::new());
        true
    }

    /// Adds a result under those of its keys that are expected.
    pub(super) fn add_expected(
        &mut self,
        document: RawDocument<'_>,
        fields: &JoinFields,
        collation: Option<&Collation>,
    ) {
        let at = self.append(document);
        for key in keys_at(DocumentRef::Raw(document), &fields.foreign, collation) {
            if let Some(places) = self.by_key.get_mut(&*key) {
                places.push(at);
            }
        }
    }

    /// Adds a result under all its keys; `key` is room for one.
    pub(super) fn add(
        &mut self,
        document: RawDocument<'_>,
        fields: &JoinFields,
        collation: Option<&Collation>,
        key: &mut Vec<u8>,
    ) {
        let at = self.append(document);
        path::visit_expanded(
            DocumentRef::Raw(document),
            &fields.foreign,
            &mut |reached: Reached<'_>| {
                key.clear();
                append_key(reached.value.unwrap_or(ValueRef::Null), collation, key);
                match self.by_key.get_mut(key.as_slice()) {
                    Some(places) if places.last() == Some(&at) => {}
                    Some(places) => places.push(at),
                    None => drop(
                        self.by_key
                            .insert(SlotKey::from_slice(key), Places::from_slice(&[at])),
                    ),
                }
                false
            },
        );
    }

    fn append(&mut self, document: RawDocument<'_>) -> usize {
        let at = self.results.len();
        self.results.extend_from_slice(document.as_bytes());
        at
    }

    /// Where the results under a key are.
    pub(super) fn places(&self, key: &[u8]) -> &[usize] {
        self.by_key.get(key).map_or(&[], |places| places)
    }

    /// The result at one of the places that [`LookupResults::places`] returns.
    pub(super) fn result(&self, at: usize) -> RawDocument<'_> {
        let rest = &self.results[at..];
        let length = rest
            .first_chunk()
            .map_or(0, |length| u32::from_le_bytes(*length) as usize);
        RawDocument::from_validated(&rest[..length.min(rest.len())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use value::path::FieldPath;
    use value::{Document, DocumentBuf, doc};

    fn fields() -> JoinFields {
        JoinFields {
            local: FieldPath::parse("a"),
            foreign: FieldPath::parse("b"),
            foreign_name: "b".to_owned(),
        }
    }

    fn key(value: ValueRef<'_>) -> Vec<u8> {
        let mut key = Vec::new();
        append_key(value, None, &mut key);
        key
    }

    fn results(found: &LookupResults, value: ValueRef<'_>) -> Vec<Document> {
        let places = found.places(&key(value)).iter();
        places
            .map(|at| DocumentRef::Raw(found.result(*at)).to_document())
            .collect()
    }

    #[test]
    fn results_are_found_under_each_of_their_values_in_their_order() {
        let long = "a name that has no room in its slot of the table";
        let one = doc! {"b": 1};
        let both = doc! {"b": [1, long, 1]};
        let mut found = LookupResults::default();
        for document in [&one, &both] {
            let document = DocumentBuf::from(document);
            found.add(document.as_raw(), &fields(), None, &mut Vec::new());
        }
        assert_eq!(
            results(&found, ValueRef::Int64(1)),
            [one.clone(), both.clone()],
            "numbers are equal by their value"
        );
        assert_eq!(
            results(&found, ValueRef::String(long)),
            std::slice::from_ref(&both)
        );
        assert!(results(&found, ValueRef::Int32(2)).is_empty());

        let mut found = LookupResults::default();
        assert!(found.expect(&key(ValueRef::String(long))));
        assert!(!found.expect(&key(ValueRef::String(long))));
        for document in [&one, &both] {
            found.add_expected(DocumentBuf::from(document).as_raw(), &fields(), None);
        }
        assert_eq!(results(&found, ValueRef::String(long)), [both]);
        assert!(
            results(&found, ValueRef::Int32(1)).is_empty(),
            "it was not expected"
        );
    }
}
