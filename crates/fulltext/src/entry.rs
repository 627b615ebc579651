//! What there is to find in one document.

use crate::schema::{Fields, length_path, path};
use crate::tokens;
use tantivy::TantivyDocument;
use tantivy::schema::Value;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};

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
    texts: Vec<(String, String)>,
    words: Vec<(String, String)>,
    present: Vec<Key>,
    columns: Vec<(String, Column)>,
}

/// The values of a column.
#[derive(Debug)]
enum Column {
    Length(u64),
    Strings(Vec<String>),
    Numbers(Vec<Number>),
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
            self.texts.push((path(key), written));
            self.columns.push((length_path(key), Column::Length(count)));
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
            self.words.push((path(key), written));
        }
        fits
    }

    /// Texts of a column.
    pub fn add_strings(&mut self, key: Key, texts: Vec<String>) {
        if !texts.is_empty() {
            self.columns.push((path(key), Column::Strings(texts)));
        }
    }

    /// Numbers of a column.
    pub fn add_numbers(&mut self, key: Key, numbers: Vec<Number>) {
        if !numbers.is_empty() {
            self.columns.push((path(key), Column::Numbers(numbers)));
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
        for (field, texts) in [(fields.text, &self.texts), (fields.word, &self.words)] {
            if !texts.is_empty() {
                document.add_field_value(field, Part::Texts(texts));
            }
        }
        if !self.columns.is_empty() {
            document.add_field_value(fields.columns, Part::Columns(&self.columns));
        }
        document
    }
}

/// A part of an entry, as the engine reads it.
#[derive(Clone, Copy, Debug)]
enum Part<'e> {
    Texts(&'e [(String, String)]),
    Columns(&'e [(String, Column)]),
    Strings(&'e [String]),
    Numbers(&'e [Number]),
    Text(&'e str),
    Length(u64),
    Number(Number),
}

/// The parts of a part, from the one with this number on.
#[derive(Debug)]
struct Parts<'e>(Part<'e>, usize);

impl<'e> Iterator for Parts<'e> {
    type Item = (&'e str, Part<'e>);

    fn next(&mut self) -> Option<Self::Item> {
        let Parts(part, at) = self;
        let found = match *part {
            Part::Texts(texts) => {
                let (name, text) = texts.get(*at)?;
                (name.as_str(), Part::Text(text))
            }
            Part::Columns(columns) => {
                let (name, column) = columns.get(*at)?;
                let values = match column {
                    Column::Length(length) => Part::Length(*length),
                    Column::Strings(texts) => Part::Strings(texts),
                    Column::Numbers(numbers) => Part::Numbers(numbers),
                };
                (name.as_str(), values)
            }
            Part::Strings(texts) => ("", Part::Text(texts.get(*at)?)),
            Part::Numbers(numbers) => ("", Part::Number(*numbers.get(*at)?)),
            Part::Text(_) | Part::Length(_) | Part::Number(_) => return None,
        };
        *at += 1;
        Some(found)
    }
}

/// The same without names.
#[derive(Debug)]
struct Unnamed<'e>(Parts<'e>);

impl<'e> Iterator for Unnamed<'e> {
    type Item = Part<'e>;

    fn next(&mut self) -> Option<Part<'e>> {
        self.0.next().map(|(_, part)| part)
    }
}

impl<'e> Value<'e> for Part<'e> {
    type ArrayIter = Unnamed<'e>;
    type ObjectIter = Parts<'e>;

    fn as_value(&self) -> ReferenceValue<'e, Part<'e>> {
        match *self {
            Part::Texts(_) | Part::Columns(_) => ReferenceValue::Object(Parts(*self, 0)),
            // One is no array.
            Part::Strings([text]) => ReferenceValueLeaf::Str(text).into(),
            Part::Numbers([number]) => Part::Number(*number).as_value(),
            Part::Strings(_) | Part::Numbers(_) => ReferenceValue::Array(Unnamed(Parts(*self, 0))),
            Part::Text(text) => ReferenceValueLeaf::Str(text).into(),
            Part::Length(length) => ReferenceValueLeaf::U64(length).into(),
            Part::Number(Number::Integer(number)) => ReferenceValueLeaf::I64(number).into(),
            Part::Number(Number::Float(number)) => ReferenceValueLeaf::F64(number).into(),
        }
    }
}
