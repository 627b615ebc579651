//! What there is to find in one document.

use crate::schema::{Fields, length_path, path};
use crate::tokens;
use std::collections::BTreeMap;
use tantivy::TantivyDocument;
use tantivy::schema::OwnedValue;

/// The number of a collection's field in its index.
pub type Key = u32;

/// The bytes of a term at most; the engine leaves longer ones out.
pub const TERM_BYTES_MAX: usize = 32_000;

/// A value of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Integer(i64),
    /// A fraction.
    Float(f64),
}

/// What there is to find in one document.
#[derive(Debug, Default)]
pub struct Entry {
    id: Vec<u8>,
    number: u64,
    sequence: u64,
    time: Option<i64>,
    texts: BTreeMap<String, OwnedValue>,
    words: BTreeMap<String, OwnedValue>,
    present: Vec<Key>,
    columns: BTreeMap<String, OwnedValue>,
}

impl Entry {
    /// An entry for the document with this key, record number and number of its last change.
    pub fn new(id: Vec<u8>, number: u64, sequence: u64) -> Entry {
        Entry {
            id,
            number,
            sequence,
            ..Entry::default()
        }
    }

    /// The key of its document.
    pub(crate) fn id(&self) -> &[u8] {
        &self.id
    }

    /// The time by which entries are sorted, the greatest first.
    pub fn set_time(&mut self, time: i64) {
        self.time = Some(time);
    }

    /// Says that the document has a value of this field.
    pub fn add_present(&mut self, key: Key) {
        self.present.push(key);
    }

    /// The terms of a text with their places, which rise; false where one is too long to be found.
    pub fn add_text<'t>(&mut self, key: Key, terms: impl Iterator<Item = (&'t str, u32)>) -> bool {
        let (mut written, mut count, mut fits) = (String::new(), 0_u64, true);
        for (text, place) in terms {
            fits &= text.len() <= TERM_BYTES_MAX;
            tokens::put(text, place, &mut written);
            count += 1;
        }
        if count > 0 {
            self.texts.insert(path(key), OwnedValue::Str(written));
            self.columns.insert(length_path(key), OwnedValue::U64(count));
        }
        fits
    }

    /// Terms without places; false where one is too long to be found.
    pub fn add_words<'t>(&mut self, key: Key, terms: impl Iterator<Item = &'t str>) -> bool {
        let (mut written, mut fits) = (String::new(), true);
        for text in terms {
            fits &= text.len() <= TERM_BYTES_MAX;
            tokens::put(text, 0, &mut written);
        }
        if !written.is_empty() {
            self.words.insert(path(key), OwnedValue::Str(written));
        }
        fits
    }

    /// Texts of a column.
    pub fn add_strings<'t>(&mut self, key: Key, texts: impl Iterator<Item = &'t str>) {
        self.add_column(key, texts.map(|text| OwnedValue::Str(text.to_owned())).collect());
    }

    /// Numbers of a column.
    pub fn add_numbers(&mut self, key: Key, numbers: &[Number]) {
        let value = |number: &Number| match *number {
            Number::Integer(number) => OwnedValue::I64(number),
            Number::Float(number) => OwnedValue::F64(number),
        };
        self.add_column(key, numbers.iter().map(value).collect());
    }

    fn add_column(&mut self, key: Key, values: Vec<OwnedValue>) {
        if !values.is_empty() {
            self.columns.insert(path(key), OwnedValue::Array(values));
        }
    }

    pub(crate) fn document(self, fields: &Fields) -> TantivyDocument {
        let mut document = TantivyDocument::default();
        document.add_bytes(fields.id, &self.id);
        document.add_u64(fields.number, self.number);
        document.add_u64(fields.sequence, self.sequence);
        document.add_i64(fields.time, self.time.unwrap_or(i64::MIN));
        for key in self.present {
            document.add_text(fields.present, path(key));
        }
        for (field, object) in [
            (fields.text, self.texts),
            (fields.word, self.words),
            (fields.columns, self.columns),
        ] {
            if !object.is_empty() {
                document.add_object(field, object);
            }
        }
        document
    }
}
