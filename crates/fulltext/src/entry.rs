//! What there is to find in one document.

use crate::schema::{Fields, Name, length_path, path};
use crate::tokens;
use crate::waiting::WaitingPlace;
use tantivy::schema::document::{ReferenceValue, ReferenceValueLeaf};
use tantivy::schema::{Document, Field, Value};

/// The number of a collection's field in its index.
pub type Key = u32;

/// The bytes of a term at most; the engine leaves longer ones out.
pub const TERM_BYTES_MAX: usize = 32_000;

/// The bytes from which on the room that a text's terms do not need is given back.
const LONG_TEXT_BYTES: usize = 256 << 10;

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
pub struct DocumentEntry {
    id: Vec<u8>,
    number: u64,
    sequence: u64,
    time: Option<i64>,
    texts: Vec<(Name, String)>,
    words: Vec<(Name, String)>,
    present: Vec<Name>,
    columns: Vec<(Name, Column)>,
}

/// The terms of a text.
#[derive(Debug)]
pub struct TextTerms {
    written: String,
    count: u64,
    fits: bool,
}

impl TextTerms {
    /// Makes an empty list, with room for the terms of a text of this many bytes.
    pub fn new(bytes: usize) -> TextTerms {
        TextTerms {
            // Beside most terms of one letter or more stand their length and place.
            written: String::with_capacity(bytes * 2),
            count: 0,
            fits: true,
        }
    }

    /// Adds a term. Places must rise.
    pub fn push(&mut self, text: &str, place: u32) {
        self.fits &= text.len() <= TERM_BYTES_MAX;
        tokens::put(text, place, &mut self.written);
        self.count += 1;
    }
}

/// The values of a column.
#[derive(Debug)]
pub(crate) enum Column {
    Length(u64),
    Strings(Vec<String>),
    Numbers(Vec<Number>),
}

impl DocumentEntry {
    /// An entry for the document with this key, record number and number of its last change.
    pub fn new(id: Vec<u8>, number: u64, sequence: u64) -> DocumentEntry {
        DocumentEntry {
            id,
            number,
            sequence,
            ..DocumentEntry::default()
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
        self.present.push(path(key));
    }

    /// The terms of a text; false where one is too long to be found.
    pub fn add_text(&mut self, key: Key, mut terms: TextTerms) -> bool {
        if terms.count > 0 {
            if terms.written.capacity() > LONG_TEXT_BYTES {
                terms.written.shrink_to_fit();
            }
            self.texts.push((path(key), terms.written));
            self.columns.push((length_path(key), Column::Length(terms.count)));
        }
        terms.fits
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

    /// How many words of a key there are, where no column has them.
    pub fn add_count(&mut self, key: Key, count: u64) {
        if count > 0 {
            self.columns.push((length_path(key), Column::Length(count)));
        }
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

    /// About the bytes that it takes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let texts = self.texts.iter().chain(&self.words);
        let columns = self.columns.iter().map(|(_, column)| match column {
            Column::Length(_) => 0,
            Column::Strings(texts) => texts.iter().map(|text| size_of::<String>() + text.len()).sum(),
            Column::Numbers(numbers) => size_of_val(numbers.as_slice()),
        });
        size_of::<DocumentEntry>()
            + texts.map(|(_, text)| text.capacity()).sum::<usize>()
            + columns.sum::<usize>()
    }

    /// The entry in the form that an index with these fields takes.
    pub(crate) fn document(self, fields: Fields, place: WaitingPlace) -> EntryDocument {
        EntryDocument {
            entry: self,
            fields,
            _place: place,
        }
    }
}

/// An entry as the engine reads it: where it lies, without a copy.
#[derive(Debug)]
pub(crate) struct EntryDocument {
    entry: DocumentEntry,
    fields: Fields,
    /// Among those that wait to be written.
    _place: WaitingPlace,
}

impl Document for EntryDocument {
    type Value<'e> = Part<'e>;
    type FieldsValuesIter<'e> = FieldParts<'e>;

    fn iter_fields_and_values(&self) -> FieldParts<'_> {
        FieldParts { of: self, at: 0 }
    }
}

/// The parts of an entry by field, from the one with this number on.
#[derive(Debug)]
pub(crate) struct FieldParts<'e> {
    of: &'e EntryDocument,
    at: usize,
}

impl<'e> Iterator for FieldParts<'e> {
    type Item = (Field, Part<'e>);

    fn next(&mut self) -> Option<Self::Item> {
        let EntryDocument { entry, fields, .. } = self.of;
        let at = self.at;
        self.at += 1;
        Some(match at {
            0 => (fields.id, Part::Bytes(&entry.id)),
            1 => (fields.number, Part::Count(entry.number)),
            2 => (fields.sequence, Part::Count(entry.sequence)),
            3 => {
                let time = Number::Integer(entry.time.unwrap_or(i64::MIN));
                (fields.time, Part::Number(time))
            }
            // Empty ones give nothing.
            4 => (fields.text, Part::Texts(&entry.texts)),
            5 => (fields.word, Part::Texts(&entry.words)),
            6 => (fields.columns, Part::Columns(&entry.columns)),
            at => (fields.present, Part::Text(entry.present.get(at - 7)?)),
        })
    }
}

/// A part of an entry, as the engine reads it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'e> {
    Bytes(&'e [u8]),
    Count(u64),
    Texts(&'e [(Name, String)]),
    Columns(&'e [(Name, Column)]),
    Strings(&'e [String]),
    Numbers(&'e [Number]),
    Text(&'e str),
    Number(Number),
}

/// The parts of a part, from the one with this number on.
#[derive(Debug)]
pub(crate) struct Parts<'e>(Part<'e>, usize);

impl<'e> Iterator for Parts<'e> {
    type Item = (&'e str, Part<'e>);

    fn next(&mut self) -> Option<Self::Item> {
        let Parts(part, at) = self;
        let found = match *part {
            Part::Texts(texts) => {
                let (name, text) = texts.get(*at)?;
                (&**name, Part::Text(text))
            }
            Part::Columns(columns) => {
                let (name, column) = columns.get(*at)?;
                let values = match column {
                    Column::Length(length) => Part::Count(*length),
                    Column::Strings(texts) => Part::Strings(texts),
                    Column::Numbers(numbers) => Part::Numbers(numbers),
                };
                (&**name, values)
            }
            Part::Strings(texts) => ("", Part::Text(texts.get(*at)?)),
            Part::Numbers(numbers) => ("", Part::Number(*numbers.get(*at)?)),
            Part::Bytes(_) | Part::Count(_) | Part::Text(_) | Part::Number(_) => return None,
        };
        *at += 1;
        Some(found)
    }
}

/// The same without names.
#[derive(Debug)]
pub(crate) struct Unnamed<'e>(Parts<'e>);

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
            Part::Bytes(bytes) => ReferenceValueLeaf::Bytes(bytes).into(),
            Part::Count(count) => ReferenceValueLeaf::U64(count).into(),
            Part::Number(Number::Integer(number)) => ReferenceValueLeaf::I64(number).into(),
            Part::Number(Number::Float(number)) => ReferenceValueLeaf::F64(number).into(),
        }
    }
}
