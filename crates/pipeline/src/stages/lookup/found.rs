//! The results of a lookup, by the values under which they were found.

use super::JoinFields;
use crate::join_key::{append_key, keys_at};
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use smallvec::SmallVec;
use std::hash::BuildHasher;
use value::collation::Collation;
use value::path::{self, Reached};
use value::{DocumentRef, RawDocument, ValueRef};

/// Where the results for one value begin, in the order in which they were found. Most values have one.
type Places = SmallVec<[usize; 2]>;

/// The bytes of the length before each key and at the beginning of each result, which it includes.
const LENGTH_BYTES: usize = 4;

/// What a key takes beside its bytes, and most keys' bytes.
const KEY_ROOM_BYTES: usize = 32;

/// The results for some documents, by the value under which they were found.
#[derive(Default)]
pub(super) struct LookupResults {
    slots: HashTable<Slot>,
    hasher: RandomState,
    /// Results as BSON and keys, each beginning with its length. A key stands behind the first result that has it: who compares the
    /// key has the result in the processor's cache, or nearly so, and a slot is small.
    pieces: Vec<u8>,
}

/// A key and its results.
struct Slot {
    hash: u64,
    key_at: usize,
    places: Places,
}

impl LookupResults {
    /// For about this many results and keys, and this many bytes of results.
    pub(super) fn with_capacity(count: usize, bytes: usize) -> LookupResults {
        LookupResults {
            slots: HashTable::with_capacity(count),
            hasher: RandomState::default(),
            pieces: Vec::with_capacity(bytes + count * KEY_ROOM_BYTES),
        }
    }

    /// Expects results under a key: only those that are expected are noted by [`LookupResults::add_expected`]. Returns whether it was not expected
    /// before.
    pub(super) fn expect(&mut self, key: &[u8]) -> bool {
        let before = self.slots.len();
        self.places_to_fill(key);
        self.slots.len() > before
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
            let hash = self.hasher.hash_one(&*key);
            let pieces = &self.pieces;
            if let Some(slot) = self.slots.find_mut(hash, |slot| slot.is_of(hash, &key, pieces)) {
                slot.places.push(at);
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
                let places = self.places_to_fill(key);
                if places.last() != Some(&at) {
                    places.push(at);
                }
                false
            },
        );
    }

    fn append(&mut self, document: RawDocument<'_>) -> usize {
        let at = self.pieces.len();
        self.pieces.extend_from_slice(document.as_bytes());
        at
    }

    /// The places under a key, which are none yet if the key is new.
    fn places_to_fill(&mut self, key: &[u8]) -> &mut Places {
        let LookupResults {
            slots,
            hasher,
            pieces,
        } = self;
        let hash = hasher.hash_one(key);
        let is_same = |slot: &Slot| slot.is_of(hash, key, pieces);
        let entry = slots.entry(hash, is_same, |slot| slot.hash);
        let slot = entry.or_insert_with(|| {
            let key_at = pieces.len();
            // A value of a document, which is far shorter than 4 GiB.
            let length = (LENGTH_BYTES + key.len()) as u32;
            pieces.extend_from_slice(&length.to_le_bytes());
            pieces.extend_from_slice(key);
            Slot {
                hash,
                key_at,
                places: Places::new(),
            }
        });
        &mut slot.into_mut().places
    }

    /// Where the results under a key are.
    pub(super) fn places(&self, key: &[u8]) -> &[usize] {
        let hash = self.hasher.hash_one(key);
        let slot = self.slots.find(hash, |slot| slot.is_of(hash, key, &self.pieces));
        slot.map_or(&[], |slot| &slot.places)
    }

    /// The result at one of the places that [`LookupResults::places`] returns.
    pub(super) fn result(&self, at: usize) -> RawDocument<'_> {
        RawDocument::from_validated(piece(&self.pieces, at))
    }
}

impl Slot {
    fn is_of(&self, hash: u64, key: &[u8], pieces: &[u8]) -> bool {
        self.hash == hash && piece(pieces, self.key_at).get(LENGTH_BYTES..) == Some(key)
    }
}

/// The piece that begins there, with its length.
fn piece(pieces: &[u8], at: usize) -> &[u8] {
    let rest = pieces.get(at..).unwrap_or_default();
    let length = rest
        .first_chunk()
        .map_or(0, |length| u32::from_le_bytes(*length) as usize);
    &rest[..length.min(rest.len())]
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
        let long = "a name that is longer than most";
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
