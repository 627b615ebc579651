//! The order of strings that people expect, by the Unicode Collation Algorithm.
//!
//! [`Collation`] is one that a MongoDB client describes: a language and how strictly strings are compared.
//! [`compare`] and [`sort_key`] are of the root collation, which is no language's own.

mod options;
mod root;

pub use options::CollationError;
pub use root::{VERSION, compare, sort_key};

use crate::key::{self, Direction};
use crate::order::compare_by;
use crate::{Document, DocumentRef, Value, ValueRef};
use icu_collator::CollatorBorrowed;
use std::cmp::Ordering;
use std::sync::Arc;

/// An order of strings. Cheap to clone; two are equal if their descriptions are.
#[derive(Clone)]
pub struct Collation(Arc<Inner>);

struct Inner {
    collator: CollatorBorrowed<'static>,
    description: Document,
}

impl Collation {
    /// The collation that MongoDB's options describe; `None` for `{locale: "simple"}`, the order of bytes.
    pub fn parse(options: &Document) -> Result<Option<Collation>, CollationError> {
        let Some((collator, description)) = options::parse(options)? else {
            return Ok(None);
        };
        Ok(Some(Collation(Arc::new(Inner {
            collator,
            description,
        }))))
    }

    /// As [`Collation::parse`], but without what MongoDB refuses though it can be followed. What is stored may have been asked for
    /// before it was refused.
    pub fn parse_asked(options: &Document) -> Result<Option<Collation>, CollationError> {
        let collation = Collation::parse(options)?;
        if let Some(collation) = &collation {
            options::check_asked(collation.description())?;
        }
        Ok(collation)
    }

    /// All of its options, as MongoDB lists them.
    pub fn description(&self) -> &Document {
        &self.0.description
    }

    /// Compares two strings.
    pub fn compare(&self, a: &str, b: &str) -> Ordering {
        self.0.collator.compare(a, b)
    }

    /// Compares two values: their strings, however deep, by the collation, all else as [`crate::compare`] does.
    pub fn compare_values(&self, a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
        compare_by(a, b, &|a, b| self.compare(a, b))
    }

    /// Bytes whose order is the order of [`Collation::compare`]. They belong to one version of the collation data.
    pub fn sort_key(&self, text: &str) -> Vec<u8> {
        let mut key = Vec::with_capacity(text.len() * 2);
        // Writing to a vector cannot fail.
        let Ok(()) = self.0.collator.write_sort_key_to(text, &mut key);
        key
    }

    /// The sort key as a string whose order by code points is that of the key's bytes, each byte one character: what
    /// stands for the text in an index.
    pub fn key_text(&self, text: &str) -> String {
        self.sort_key(text).into_iter().map(char::from).collect()
    }

    /// The value with the [`Collation::key_text`] of each of its strings in the string's place: values so made
    /// compare by [`crate::compare`] as the originals do by the collation. Names of fields stay.
    pub fn key_value(&self, value: ValueRef<'_>) -> Value {
        match value {
            ValueRef::String(text) | ValueRef::Symbol(text) => Value::String(self.key_text(text)),
            ValueRef::Document(document) => Value::Document(self.key_document(document)),
            ValueRef::Array(array) => {
                Value::Array(array.iter().map(|element| self.key_value(element)).collect())
            }
            other => other.to_value(),
        }
    }

    fn key_document(&self, document: DocumentRef<'_>) -> Document {
        document
            .iter()
            .map(|(name, value)| (name.to_owned(), self.key_value(value)))
            .collect()
    }
}

impl PartialEq for Collation {
    fn eq(&self, other: &Collation) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.description == other.0.description
    }
}

impl Eq for Collation {}

impl std::fmt::Debug for Collation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Collation").field(&self.0.description).finish()
    }
}

/// Compares two values by a collation, or as [`crate::compare`] does without one.
pub fn compare_in(collation: Option<&Collation>, a: ValueRef<'_>, b: ValueRef<'_>) -> Ordering {
    match collation {
        None => crate::compare(a, b),
        Some(collation) => collation.compare_values(a, b),
    }
}

/// Appends a value's key by a collation, or that of [`key::encode`] without one: comparing the bytes of two is
/// [`compare_in`].
pub fn encode_in(
    collation: Option<&Collation>,
    value: ValueRef<'_>,
    direction: Direction,
    key: &mut Vec<u8>,
) {
    match collation.filter(|_| has_text(value)) {
        None => key::encode(value, direction, key),
        Some(collation) => key::encode(collation.key_value(value).as_ref(), direction, key),
    }
}

/// Whether the order of a value may depend on a collation: whether there is a string in it.
pub fn has_text(value: ValueRef<'_>) -> bool {
    match value {
        ValueRef::String(_) | ValueRef::Symbol(_) => true,
        ValueRef::Document(document) => document.iter().any(|(_, value)| has_text(value)),
        ValueRef::Array(array) => array.iter().any(has_text),
        _ => false,
    }
}
