//! The fields of a command, a stage or an operator's options, read as strictly as MongoDB reads them.
//!
//! [`Fields`] returns fields by name and type, so that each name stands only where the field is read. [`Fields::finish`] refuses
//! fields that were not read. Required fields are checked after that, since MongoDB first refuses unknown ones.

use crate::expression::number::Number;
use crate::{Code, Error, Result};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::RangeInclusive;
use value::{ArrayRef, Document, DocumentRef, Type, ValueRef};

const NUMBERS: &str = "'[long, int, decimal, double]'";
const FLAGS: &str = "'[bool, long, int, decimal, double]'";

/// The fields of a document, and which of them were read.
#[derive(Debug)]
pub struct Fields<'a> {
    /// The path of the document in errors: `find`, `update.updates`, `$densify.range`.
    path: Cow<'static, str>,
    document: DocumentRef<'a>,
    /// Its fields. Many names are looked up, most of which are not there.
    entries: Vec<(&'a str, ValueRef<'a>)>,
    taken: RefCell<Vec<&'static str>>,
}

/// The number of names that a command reads, about.
const TAKEN_GUESS: usize = 32;

impl<'a> Fields<'a> {
    /// The fields of the document at a path.
    pub fn new(path: impl Into<Cow<'static, str>>, document: impl Into<DocumentRef<'a>>) -> Fields<'a> {
        let document = document.into();
        Fields {
            path: path.into(),
            document,
            entries: document.iter().collect(),
            taken: RefCell::new(Vec::with_capacity(TAKEN_GUESS)),
        }
    }

    /// The document that these are the fields of.
    pub fn document_ref(&self) -> DocumentRef<'a> {
        self.document
    }

    /// The path of one of the fields.
    pub fn path_of(&self, name: &str) -> String {
        format!("{}.{name}", self.path)
    }

    /// The value of a field, whatever its type; null counts as a value.
    pub fn any(&self, name: &'static str) -> Option<ValueRef<'a>> {
        self.take(name);
        let mut entries = self.entries.iter();
        entries
            .find(|(present, _)| *present == name)
            .map(|(_, value)| *value)
    }

    /// The value of a field, where it is neither missing nor null.
    pub fn present(&self, name: &'static str) -> Option<ValueRef<'a>> {
        self.any(name).filter(|value| !is_null(*value))
    }

    /// A boolean, of no other type.
    pub fn bool(&self, name: &'static str) -> Result<Option<bool>> {
        self.read(name, "'bool'", |value| match value {
            ValueRef::Bool(value) => Some(value),
            _ => None,
        })
    }

    /// A boolean for which null does not stand for "none".
    pub fn strict_bool(&self, name: &'static str) -> Result<Option<bool>> {
        match self.any(name) {
            Some(null) if is_null(null) => Err(self.wrong_type(name, null, "'bool'")),
            _ => self.bool(name),
        }
    }

    /// A boolean, or a number that stands for one.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>> {
        self.read(name, FLAGS, |value| match value {
            ValueRef::Bool(value) => Some(value),
            other => Number::of(other).map(|number| !number.is_zero()),
        })
    }

    /// A number.
    pub fn number(&self, name: &'static str) -> Result<Option<Number>> {
        self.read(name, NUMBERS, Number::of)
    }

    /// A number, cut to a whole one.
    pub fn integer(&self, name: &'static str) -> Result<Option<i64>> {
        Ok(self.number(name)?.map(Number::to_i64_saturating))
    }

    /// A number within a range, cut to a whole one.
    pub fn integer_within(&self, name: &'static str, range: RangeInclusive<i64>) -> Result<Option<i64>> {
        match self.integer(name)? {
            Some(number) if number < *range.start() => Err(out_of_range(name, ">=", *range.start(), number)),
            Some(number) if number > *range.end() => Err(out_of_range(name, "<=", *range.end(), number)),
            number => Ok(number),
        }
    }

    /// A number that is not negative.
    pub fn count(&self, name: &'static str) -> Result<Option<u64>> {
        Ok(self.integer_within(name, 0..=i64::MAX)?.map(i64::unsigned_abs))
    }

    /// A UUID.
    pub fn uuid(&self, name: &'static str) -> Result<Option<[u8; 16]>> {
        match self.present(name) {
            None => Ok(None),
            Some(ValueRef::Binary { subtype: 4, bytes }) => bytes.try_into().map(Some).map_err(|_| {
                Error::new(
                    Code::INVALID_UUID,
                    "uuid must be a 16-byte binary field with UUID (4) subtype",
                )
            }),
            Some(other @ ValueRef::Binary { .. }) => Err(self.wrong_type(name, other, "'UUID'")),
            Some(other) => Err(self.wrong_type(name, other, "'binData'")),
        }
    }

    /// Text.
    pub fn string(&self, name: &'static str) -> Result<Option<&'a str>> {
        self.read(name, "'string'", |value| match value {
            ValueRef::String(text) => Some(text),
            _ => None,
        })
    }

    /// Text that must be there.
    pub fn required_string(&self, name: &'static str) -> Result<&'a str> {
        self.string(name)?.ok_or_else(|| self.missing(name))
    }

    /// The value of one of a few words.
    pub fn choice<T: Copy>(&self, name: &'static str, choices: &[(&str, T)]) -> Result<Option<T>> {
        let Some(text) = self.string(name)? else {
            return Ok(None);
        };
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => Ok(Some(*choice)),
            None => Err(self.bad_enumeration(name, text)),
        }
    }

    /// A document.
    pub fn document(&self, name: &'static str) -> Result<Option<DocumentRef<'a>>> {
        self.read(name, "'object'", ValueRef::as_document)
    }

    /// A document for which null does not stand for "none".
    pub fn strict_document(&self, name: &'static str) -> Result<Option<DocumentRef<'a>>> {
        match self.any(name) {
            Some(null) if is_null(null) => Err(self.wrong_type(name, null, "'object'")),
            _ => self.document(name),
        }
    }

    /// A document, decoded; an empty one if it is missing.
    pub fn decoded(&self, name: &'static str) -> Result<Document> {
        Ok(self
            .document(name)?
            .map(DocumentRef::to_document)
            .unwrap_or_default())
    }

    /// The fields of a document.
    pub fn nested(&self, name: &'static str) -> Result<Option<Fields<'a>>> {
        let document = self.document(name)?;
        Ok(document.map(|document| Fields::new(self.path_of(name), document)))
    }

    /// An array.
    pub fn array(&self, name: &'static str) -> Result<Option<ArrayRef<'a>>> {
        self.read(name, "'array'", ValueRef::as_array)
    }

    /// An array that must be there.
    pub fn required_array(&self, name: &'static str) -> Result<ArrayRef<'a>> {
        self.array(name)?.ok_or_else(|| self.missing(name))
    }

    /// A list of strings.
    pub fn strings(&self, name: &'static str) -> Result<Option<Vec<&'a str>>> {
        self.list(name, "'string'", |element| match element {
            ValueRef::String(text) => Some(text),
            _ => None,
        })
    }

    /// A list of documents.
    pub fn document_list(&self, name: &'static str) -> Result<Option<Vec<DocumentRef<'a>>>> {
        self.list(name, "'object'", ValueRef::as_document)
    }

    /// Marks fields that have no meaning here as read.
    pub fn ignore(&self, names: &[&'static str]) {
        self.taken.borrow_mut().extend_from_slice(names);
    }

    /// Marks a field as read.
    pub fn take(&self, name: &'static str) {
        self.taken.borrow_mut().push(name);
    }

    /// Whether a field of this name was read.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.borrow().contains(&name)
    }

    /// Fails if a field was not read, or is given twice.
    pub fn finish(&self) -> Result<()> {
        self.finish_but(|_| false)
    }

    /// As [`Fields::finish`], but ignores names that are read elsewhere.
    pub fn finish_but(&self, is_known: impl Fn(&str) -> bool) -> Result<()> {
        let mut seen: Vec<&str> = Vec::with_capacity(self.entries.len());
        for &(name, _) in &self.entries {
            if seen.contains(&name) {
                let message = format!("BSON field '{}' is a duplicate field", self.path_of(name));
                return Err(Error::new(Code::DUPLICATE_FIELD, message));
            }
            seen.push(name);
            if !self.is_taken(name) && !is_known(name) {
                return Err(self.unknown(name));
            }
        }
        Ok(())
    }

    /// The error that a required field is missing.
    pub fn missing(&self, name: &str) -> Error {
        missing(&self.path_of(name))
    }

    /// The error that a field is of a wrong type; `wanted` comes quoted.
    pub fn wrong_type(&self, name: &str, value: ValueRef<'_>, wanted: &str) -> Error {
        wrong_type(&self.path_of(name), value.type_of(), wanted)
    }

    /// The error that a field's value is none of those that it may have.
    pub fn bad_enumeration(&self, name: &str, value: &str) -> Error {
        bad_enumeration(&self.path_of(name), value)
    }

    /// The error that a field is unknown.
    pub fn unknown(&self, name: &str) -> Error {
        unknown(&self.path_of(name))
    }

    fn list<T>(
        &self,
        name: &'static str,
        wanted: &str,
        read: impl Fn(ValueRef<'a>) -> Option<T>,
    ) -> Result<Option<Vec<T>>> {
        let Some(array) = self.array(name)? else {
            return Ok(None);
        };
        // MongoDB passes over nulls in lists, as it does in documents.
        let elements = array.iter().enumerate().filter(|(_, element)| !is_null(*element));
        let elements = elements.map(|(at, element)| {
            read(element).ok_or_else(|| self.wrong_type(&format!("{name}.{at}"), element, wanted))
        });
        elements.collect::<Result<_>>().map(Some)
    }

    fn read<T>(
        &self,
        name: &'static str,
        wanted: &str,
        read: impl FnOnce(ValueRef<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        match self.present(name) {
            None => Ok(None),
            Some(value) => match read(value) {
                Some(read) => Ok(Some(read)),
                None => Err(self.wrong_type(name, value, wanted)),
            },
        }
    }
}

/// The error that the field at a path is unknown.
pub fn unknown(path: &str) -> Error {
    let message = format!("BSON field '{path}' is an unknown field.");
    Error::new(Code::UNKNOWN_FIELD, message)
}

/// The error that the required field at a path is missing.
pub fn missing(path: &str) -> Error {
    let message = format!("BSON field '{path}' is missing but a required field");
    Error::new(Code::MISSING_FIELD, message)
}

/// The error that the value of the field at a path is none of the words that it may be.
pub fn bad_enumeration(path: &str, word: &str) -> Error {
    Error::bad_value(format!(
        "Enumeration value '{word}' for field '{path}' is not a valid value."
    ))
}

/// The error that the field at a path is of a wrong type; `wanted` comes quoted.
pub fn wrong_type(path: &str, found: Type, wanted: &str) -> Error {
    let found = found.alias();
    let types = if wanted.starts_with("'[") { "types" } else { "type" };
    Error::type_mismatch(format!(
        "BSON field '{path}' is the wrong type '{found}', expected {types} {wanted}"
    ))
}

/// Null and undefined stand for "not given" in most places.
pub fn is_null(value: ValueRef<'_>) -> bool {
    matches!(value.type_of(), Type::Null | Type::Undefined)
}

fn out_of_range(name: &str, relation: &str, bound: i64, number: i64) -> Error {
    Error::bad_value(format!(
        "BSON field '{name}' value must be {relation} {bound}, actual value '{number}'"
    ))
}
