//! The entries that indexes have for documents.

use super::kinds::Refused;
use super::single_key::put_single_key;
use super::spec::TEXT_ORDER;
use super::{ID_INDEX, Index, IndexSet};
use crate::keys::{self, RECORD_ID_BYTES};
use crate::{FieldKind, Namespace, Record, RecordId, StoreError};
use code::Code;
use std::ops::Range;
use value::key::{self, Direction, TypeBits};
use value::path::extract::{self, ExtractError, IndexKey};
use value::{Document, RawDocument, Value, ValueRef, varint};

/// Entries of documents, one after the other in one buffer.
#[derive(Debug, Default)]
pub(crate) struct EntrySet {
    bytes: Vec<u8>,
    spans: Vec<Span>,
    /// A buffer that is written anew for each entry.
    bits: TypeBits,
}

/// Where one entry is in its set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// The place of its index in the collection's set.
    pub(crate) index: usize,
    start: usize,
    middle: usize,
    end: usize,
}

impl EntrySet {
    /// Appends the entries that these indexes have for a document.
    pub(crate) fn extend(&mut self, set: &IndexSet, document: RawDocument<'_>) -> Result<(), StoreError> {
        let mut indexes = set.indexes.iter().enumerate();
        indexes.try_for_each(|(place, index)| self.push(place, index, document))
    }

    /// Appends the entries of the index at a place of the set; none if it cannot hold the document.
    pub(crate) fn push(
        &mut self,
        place: usize,
        index: &Index,
        document: RawDocument<'_>,
    ) -> Result<(), StoreError> {
        if index.id == ID_INDEX {
            self.push_id(place, document.get("_id").unwrap_or(ValueRef::Null));
            return Ok(());
        }
        self.push_index(place, index, document)
    }

    /// The entries that these indexes would have for a stored document.
    pub(crate) fn of_record(
        set: &IndexSet,
        record: &Record,
        document: RawDocument<'_>,
    ) -> Result<EntrySet, StoreError> {
        let mut entries = EntrySet::of(set, document)?;
        if record.repeats_id() {
            entries.leave_id(set);
        }
        Ok(entries)
    }

    /// As [`EntrySet::of_record`], without the entries of indexes that cannot hold the document; `refused` is called with the places of
    /// these.
    pub(crate) fn of_saved(
        set: &IndexSet,
        record: &Record,
        mut refused: impl FnMut(usize, StoreError),
    ) -> EntrySet {
        let mut entries = EntrySet::default();
        for (place, index) in set.indexes.iter().enumerate() {
            if let Err(error) = entries.push(place, index, record.document.as_raw()) {
                refused(place, error);
            }
        }
        if record.repeats_id() {
            entries.leave_id(set);
        }
        entries
    }

    /// Appends an entry as it is stored, without its type bits. Entries must be appended in their order.
    pub(crate) fn push_stored(&mut self, place: usize, key: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(key);
        self.finish(place, start, &TypeBits::default());
    }

    /// Removes the entry of the index on `_id`.
    pub(crate) fn leave_id(&mut self, set: &IndexSet) {
        self.spans.retain(|span| set.indexes[span.index].id != ID_INDEX);
    }

    /// The number of entries.
    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    /// The entries of a range of places.
    pub(crate) fn spans(&self, range: Range<usize>) -> &[Span] {
        self.spans.get(range).unwrap_or_default()
    }

    /// All entries.
    pub(crate) fn all(&self) -> &[Span] {
        &self.spans
    }

    /// The entries of this set that another does not have. Both belong to one document, so they are in order.
    pub(crate) fn not_in(&self, other: &EntrySet) -> Vec<Span> {
        let has = |span: &Span| {
            let wanted = (span.index, self.key(*span));
            other
                .spans
                .binary_search_by(|span| (span.index, other.key(*span)).cmp(&wanted))
                .is_ok()
        };
        self.spans.iter().filter(|span| !has(span)).copied().collect()
    }

    /// The entries that these indexes have for one document.
    pub(crate) fn of(set: &IndexSet, document: RawDocument<'_>) -> Result<EntrySet, StoreError> {
        let mut entries = EntrySet::default();
        entries.extend(set, document)?;
        Ok(entries)
    }

    /// The whole key of an entry, without the record id.
    pub(crate) fn key(&self, span: Span) -> &[u8] {
        &self.bytes[span.start..span.middle]
    }

    /// The type bits: what the key does not keep of the values' types.
    pub(crate) fn bits(&self, span: Span) -> &[u8] {
        &self.bytes[span.middle..span.end]
    }

    fn push_id(&mut self, place: usize, id: ValueRef<'_>) {
        let start = self.bytes.len();
        keys::put_index_prefix(ID_INDEX, &mut self.bytes);
        let mut bits = TypeBits::default();
        key::encode_with_bits(id, Direction::Ascending, &mut self.bytes, &mut bits);
        bits.trim();
        self.finish(place, start, &bits);
    }

    fn finish(&mut self, index: usize, start: usize, bits: &TypeBits) {
        let middle = self.bytes.len();
        self.bytes.extend_from_slice(&bits.0);
        self.spans.push(Span {
            index,
            start,
            middle,
            end: self.bytes.len(),
        });
    }

    /// Writes the only entry of a document in an index of plain values, in place. Returns false if this is not such a case.
    fn push_single(&mut self, place: usize, index: &Index, document: RawDocument<'_>) -> bool {
        if index.hashed || index.kinds.is_some() {
            return false;
        }
        let start = self.bytes.len();
        keys::put_index_prefix(index.id, &mut self.bytes);
        let mut bits = std::mem::take(&mut self.bits);
        bits.0.clear();
        let collation = index.collation.as_ref();
        let is_single = put_single_key(
            document,
            &index.paths,
            index.spec.sparse,
            collation,
            &mut self.bytes,
            &mut bits,
        );
        match is_single {
            true => self.finish(place, start, &bits),
            false => self.bytes.truncate(start),
        }
        self.bits = bits;
        is_single
    }

    /// Appends the entries that the index at a place of the set has for a document.
    pub(crate) fn push_index(
        &mut self,
        place: usize,
        index: &Index,
        document: RawDocument<'_>,
    ) -> Result<(), StoreError> {
        if index
            .filter
            .as_ref()
            .is_some_and(|filter| !filter.matches(document.into()))
        {
            return Ok(());
        }
        if self.push_single(place, index, document) {
            return Ok(());
        }
        let found = match &index.kinds {
            Some(kinds) => kinds
                .keys(index, document.into())
                .map_err(|why| refused_kind(index, why))?,
            None => {
                let collation = index.collation.as_ref();
                extract::keys_collated(document.into(), &index.paths, index.spec.sparse, collation)
                    .map_err(|error| refused(&error))?
            }
        };
        let arrays = found
            .array_parts
            .iter()
            .enumerate()
            .filter(|(_, parts)| !parts.is_empty());
        for (field, parts) in arrays {
            if index.hashed {
                let message = "hashed indexes do not currently support array values".to_owned();
                return Err(StoreError::CannotIndex {
                    code: Code::location(16_766),
                    message,
                });
            }
            index.note_multikey(field, parts);
        }
        for found in found.keys {
            let start = self.bytes.len();
            keys::put_index_prefix(index.id, &mut self.bytes);
            let found = if index.hashed && index.kinds.is_none() {
                hash_fields(index, &found)
            } else {
                found
            };
            self.bytes.extend_from_slice(&found.key);
            self.finish(place, start, &found.bits);
        }
        Ok(())
    }
}

fn refused(error: &ExtractError) -> StoreError {
    let code = match error {
        ExtractError::ParallelArrays { .. } => Code::CANNOT_INDEX_PARALLEL_ARRAYS,
        ExtractError::AmbiguousName(_) => Code::location(16_746),
        ExtractError::TooManyKeys => Code::CANNOT_BUILD_INDEX_KEYS,
    };
    StoreError::CannotIndex {
        code,
        message: error.to_string(),
    }
}

fn refused_kind(index: &Index, why: Refused) -> StoreError {
    match why {
        Refused::Extract(error) => refused(&error),
        Refused::Value(code, message) => StoreError::CannotIndex {
            code,
            message: format!("{message} (index {})", index.spec.name),
        },
    }
}

/// The key with the value of each hashed field replaced by its hash.
fn hash_fields(index: &Index, found: &IndexKey) -> IndexKey {
    let mut out = IndexKey {
        key: Vec::with_capacity(found.key.len()),
        bits: TypeBits::default(),
    };
    let (mut rest, mut bits) = (found.key.as_slice(), found.bits.0.as_slice());
    for (field, path) in index.fields.iter().zip(index.paths.iter()) {
        let Some(value) = key::decode(&mut rest, &mut bits, path.direction) else {
            break;
        };
        let hash = ValueRef::Int64(key::hash_of_value(value.as_ref()));
        let value = if field.kind == FieldKind::Hashed {
            hash
        } else {
            value.as_ref()
        };
        key::encode_with_bits(value, path.direction, &mut out.key, &mut out.bits);
    }
    out.bits.trim();
    out
}

/// Appends the value of an entry: the record id in a unique index, then the type bits.
pub(crate) fn put_entry_value(unique: bool, record: RecordId, bits: &[u8], out: &mut Vec<u8>) {
    if unique {
        varint::put(record.0, out);
    }
    out.extend_from_slice(bits);
}

/// The record that a unique entry's value names.
pub(crate) fn entry_record(mut value: &[u8]) -> Option<RecordId> {
    varint::take(&mut value).map(RecordId)
}

/// One entry of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexEntry<'a> {
    /// The encoded values, field by field.
    pub key: &'a [u8],
    /// What the key does not keep of the values' types.
    pub bits: &'a [u8],
    /// The record that has these values.
    pub record: RecordId,
}

/// The parts of an entry; `key` is given without the index's prefix.
pub(crate) fn split_entry<'a>(unique: bool, key: &'a [u8], mut value: &'a [u8]) -> Option<IndexEntry<'a>> {
    if unique {
        let record = RecordId(varint::take(&mut value)?);
        return Some(IndexEntry {
            key,
            bits: value,
            record,
        });
    }
    let (key, record) = key.split_at_checked(key.len().checked_sub(RECORD_ID_BYTES)?)?;
    Some(IndexEntry {
        key,
        bits: value,
        record: RecordId(u64::from_be_bytes(record.try_into().ok()?)),
    })
}

/// What stands around the digits of a collated string's key.
const SHOWN_KEY: (&str, &str) = ("CollationKey(0x", ")");

/// A collated string as MongoDB shows it; only its key is known.
fn shown_key(key: &str) -> String {
    let digits: String = key
        .chars()
        .map(|byte| format!("{:02x}", u32::from(byte)))
        .collect();
    let (before, after) = SHOWN_KEY;
    format!("{before}{digits}{after}")
}

/// The hexadecimal digits of a collated string's key that is shown in a [`StoreError::DuplicateKey`].
pub fn digits_of_key(shown: &str) -> Option<&str> {
    let (before, after) = SHOWN_KEY;
    shown.strip_prefix(before)?.strip_suffix(after)
}

/// The error that a key of an index is taken; `key` is given with the index's prefix.
pub(crate) fn duplicate_key(namespace: &Namespace, index: &Index, key: &[u8], mut bits: &[u8]) -> StoreError {
    let mut rest = key.get(keys::index_prefix(index.id).len()..).unwrap_or_default();
    let mut taken = Document::new();
    // The field `_ftsx` of a text index is not a field of documents: it stands for the weight of the term before it.
    let names = index.spec.key.iter().map(|(name, _)| name);
    let names = names.filter(|name| !(index.is_text() && *name == TEXT_ORDER));
    for ((name, path), field) in names.zip(index.paths.iter()).zip(index.fields.iter()) {
        let Some(value) = key::decode(&mut rest, &mut bits, path.direction) else {
            break;
        };
        let value = match value {
            Value::String(text) if field.kind == FieldKind::Text => {
                let (term, weight) = text::of_weighed(&text).unwrap_or((&text, 0.0));
                taken.push(name, term);
                taken.push(TEXT_ORDER, weight);
                continue;
            }
            Value::String(key) if index.collation.is_some() => Value::String(shown_key(&key)),
            value => value,
        };
        taken.push(name, value);
    }
    StoreError::DuplicateKey {
        namespace: namespace.to_string(),
        index: index.spec.shown_name().to_owned(),
        pattern: index.spec.key.clone(),
        key: taken,
        collation: index
            .collation
            .as_ref()
            .map(|collation| Box::new(collation.description().clone())),
    }
}
