//! Reading a command's arguments as strictly as MongoDB does.
//!
//! [`Arguments`] hands out fields by name and type; [`Arguments::finish`] refuses what nobody asked for.
//! [`Generic`] are the arguments that every command takes.

mod concern;
mod generic;
mod number;

pub use concern::{ReadConcern, ReadLevel, WriteConcern};
pub use generic::{Generic, uuid_of};
pub use number::{exact_i64, is_nonzero, number_as_f64, truncated_i64};

use crate::error::{CommandError, Result};
use crate::wire::Request;
use bytes::Bytes;
use code::Code;
use std::cell::RefCell;
use value::{ArrayRef, Document, DocumentBuf, DocumentRef, Type, Value, ValueRef};

const NUMBERS: &str = "'[long, int, decimal, double]'";
const FLAGS: &str = "'[bool, long, int, decimal, double]'";

/// The fields of a command, or of a document within one.
#[derive(Debug)]
pub struct Arguments<'a> {
    /// Where this is, as errors say it: `find`, `update.updates`.
    path: String,
    document: DocumentRef<'a>,
    request: Option<&'a Request>,
    taken: RefCell<Vec<&'static str>>,
    allows_generic: bool,
}

impl<'a> Arguments<'a> {
    /// The arguments of a command; those that every command takes are known already.
    pub fn of_command(command: &'static str, request: &'a Request) -> Arguments<'a> {
        let body = request.body.as_raw();
        Arguments {
            path: command.to_owned(),
            document: DocumentRef::Raw(body),
            request: Some(request),
            taken: RefCell::new(vec![command]),
            allows_generic: true,
        }
    }

    /// The fields of a document within a command.
    pub fn of_document(path: impl Into<String>, document: DocumentRef<'a>) -> Arguments<'a> {
        Arguments {
            path: path.into(),
            document,
            request: None,
            taken: RefCell::default(),
            allows_generic: false,
        }
    }

    /// The document that these are the fields of.
    pub fn document_ref(&self) -> DocumentRef<'a> {
        self.document
    }

    /// The value of a field, whatever its type; null counts as a value.
    pub fn any(&self, name: &'static str) -> Option<ValueRef<'a>> {
        self.taken.borrow_mut().push(name);
        self.document.get(name)
    }

    /// The value of a field, where it is neither missing nor null.
    pub fn present(&self, name: &'static str) -> Option<ValueRef<'a>> {
        self.any(name).filter(|value| !is_null(*value))
    }

    /// A boolean and nothing else.
    pub fn bool(&self, name: &'static str) -> Result<Option<bool>> {
        match self.present(name) {
            None => Ok(None),
            Some(ValueRef::Bool(value)) => Ok(Some(value)),
            Some(other) => Err(self.wrong_type(name, other, "'bool'")),
        }
    }

    /// A boolean, or a number that stands for one.
    pub fn flag(&self, name: &'static str) -> Result<Option<bool>> {
        match self.present(name) {
            None => Ok(None),
            Some(ValueRef::Bool(value)) => Ok(Some(value)),
            Some(number) if number.is_number() => Ok(Some(is_nonzero(number))),
            Some(other) => Err(self.wrong_type(name, other, FLAGS)),
        }
    }

    /// A number, cut to a whole one.
    pub fn integer(&self, name: &'static str) -> Result<Option<i64>> {
        match self.present(name) {
            None => Ok(None),
            Some(value) => match truncated_i64(value) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong_type(name, value, NUMBERS)),
            },
        }
    }

    /// A number that is not negative.
    pub fn count(&self, name: &'static str) -> Result<Option<u64>> {
        match self.integer(name)? {
            None => Ok(None),
            Some(number) => u64::try_from(number).map(Some).map_err(|_| {
                CommandError::bad_value(format!(
                    "BSON field '{name}' value must be >= 0, actual value '{number}'"
                ))
            }),
        }
    }

    /// A UUID.
    pub fn uuid(&self, name: &'static str) -> Result<Option<[u8; 16]>> {
        self.present(name)
            .map(|value| uuid_of(self, name, value))
            .transpose()
    }

    /// Text.
    pub fn string(&self, name: &'static str) -> Result<Option<&'a str>> {
        match self.present(name) {
            None => Ok(None),
            Some(ValueRef::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(name, other, "'string'")),
        }
    }

    /// Text that must be there.
    pub fn required_string(&self, name: &'static str) -> Result<&'a str> {
        self.string(name)?.ok_or_else(|| self.missing(name))
    }

    /// A document.
    pub fn document(&self, name: &'static str) -> Result<Option<DocumentRef<'a>>> {
        match self.present(name) {
            None => Ok(None),
            Some(ValueRef::Document(document)) => Ok(Some(document)),
            Some(other) => Err(self.wrong_type(name, other, "'object'")),
        }
    }

    /// A document for which null does not stand for "none".
    pub fn strict_document(&self, name: &'static str) -> Result<Option<DocumentRef<'a>>> {
        match self.any(name) {
            None => Ok(None),
            Some(ValueRef::Document(document)) => Ok(Some(document)),
            Some(other) => Err(self.wrong_type(name, other, "'object'")),
        }
    }

    /// A document, decoded; an empty one where it is missing.
    pub fn decoded(&self, name: &'static str) -> Result<Document> {
        Ok(self
            .document(name)?
            .map(DocumentRef::to_document)
            .unwrap_or_default())
    }

    /// An array.
    pub fn array(&self, name: &'static str) -> Result<Option<ArrayRef<'a>>> {
        match self.present(name) {
            None => Ok(None),
            Some(ValueRef::Array(array)) => Ok(Some(array)),
            Some(other) => Err(self.wrong_type(name, other, "'array'")),
        }
    }

    /// An array that must be there.
    pub fn required_array(&self, name: &'static str) -> Result<ArrayRef<'a>> {
        self.array(name)?.ok_or_else(|| self.missing(name))
    }

    /// An array of documents, from the body or from beside it; their bytes are shared with the message.
    pub fn documents(&self, name: &'static str) -> Result<Option<Vec<DocumentBuf>>> {
        self.taken.borrow_mut().push(name);
        if let Some(request) = self.request
            && let Some(sequence) = request.sequences.iter().find(|sequence| sequence.name == name)
        {
            return Ok(Some(sequence.documents.clone()));
        }
        let Some(array) = self.array(name)? else {
            return Ok(None);
        };
        let whole = self.request.map(|request| request.body.bytes());
        array
            .iter()
            .enumerate()
            .map(|(at, element)| match element {
                ValueRef::Document(document) => Ok(shared(document, whole)),
                other => Err(wrong_type(
                    &format!("{}.{name}.{at}", self.path),
                    other,
                    "'object'",
                )),
            })
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    /// A list of strings.
    pub fn strings(&self, name: &'static str) -> Result<Option<Vec<&'a str>>> {
        let Some(array) = self.array(name)? else {
            return Ok(None);
        };
        array
            .iter()
            .enumerate()
            .map(|(at, element)| match element {
                ValueRef::String(text) => Ok(text),
                other => Err(wrong_type(
                    &format!("{}.{name}.{at}", self.path),
                    other,
                    "'string'",
                )),
            })
            .collect::<Result<Vec<_>>>()
            .map(Some)
    }

    /// Takes fields that mean nothing here without looking at them.
    pub fn ignore(&self, names: &[&'static str]) {
        self.taken.borrow_mut().extend_from_slice(names);
    }

    /// Refuses fields that nobody took, and fields given twice.
    pub fn finish(&self) -> Result<()> {
        let taken = self.taken.borrow();
        let mut seen: Vec<&str> = Vec::new();
        for (name, _) in self.document.iter() {
            if seen.contains(&name) {
                let message = format!("BSON field '{}.{name}' is a duplicate field", self.path);
                return Err(CommandError::new(Code::DUPLICATE_FIELD, message));
            }
            seen.push(name);
            let is_known = taken.contains(&name) || (self.allows_generic && generic::is_generic(name));
            if !is_known {
                return Err(self.unknown(name));
            }
        }
        let sequences = self
            .request
            .map(|request| request.sequences.as_slice())
            .unwrap_or_default();
        match sequences
            .iter()
            .find(|sequence| !taken.contains(&sequence.name.as_str()))
        {
            Some(sequence) => Err(self.unknown(&sequence.name)),
            None => Ok(()),
        }
    }

    /// The error that a field must be there.
    pub fn missing(&self, name: &str) -> CommandError {
        let message = format!(
            "BSON field '{}.{name}' is missing but a required field",
            self.path
        );
        CommandError::new(Code::MISSING_FIELD, message)
    }

    /// The error that a field is of a wrong type.
    pub fn wrong_type(&self, name: &str, value: ValueRef<'_>, wanted: &str) -> CommandError {
        wrong_type(&format!("{}.{name}", self.path), value, wanted)
    }

    /// The error that a field's value is none of those that it may have.
    pub fn bad_enumeration(&self, name: &str, value: &str) -> CommandError {
        let message = format!(
            "Enumeration value '{value}' for field '{}.{name}' is not a valid value.",
            self.path
        );
        CommandError::bad_value(message)
    }

    fn unknown(&self, name: &str) -> CommandError {
        let message = format!("BSON field '{}.{name}' is an unknown field.", self.path);
        CommandError::new(Code::UNKNOWN_FIELD, message)
    }
}

/// The error that the field at a path is of a wrong type; `wanted` comes quoted.
pub fn wrong_type(path: &str, value: ValueRef<'_>, wanted: &str) -> CommandError {
    let found = value.type_of().alias();
    let types = if wanted.starts_with("'[") { "types" } else { "type" };
    CommandError::type_mismatch(format!(
        "BSON field '{path}' is the wrong type '{found}', expected {types} {wanted}"
    ))
}

/// Null and undefined stand for "not given" in most places.
pub fn is_null(value: ValueRef<'_>) -> bool {
    matches!(value.type_of(), Type::Null | Type::Undefined)
}

/// A document that owns its bytes: shared with the message where it is a part of it.
pub fn shared(document: DocumentRef<'_>, whole: Option<&Bytes>) -> DocumentBuf {
    match (document, whole) {
        (DocumentRef::Raw(raw), Some(whole)) if is_within(raw.as_bytes(), whole) => {
            DocumentBuf::from_validated(whole.slice_ref(raw.as_bytes()))
        }
        (DocumentRef::Raw(raw), _) => raw.to_buf(),
        (DocumentRef::Tree(document), _) => DocumentBuf::from(document),
    }
}

fn is_within(part: &[u8], whole: &[u8]) -> bool {
    let (part, whole) = (part.as_ptr_range(), whole.as_ptr_range());
    whole.start <= part.start && part.end <= whole.end
}

/// An array's elements, decoded.
pub fn decoded_array(array: ArrayRef<'_>) -> Vec<Value> {
    array.iter().map(ValueRef::to_value).collect()
}
