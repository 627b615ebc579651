//! BSON bytes: reading without decoding, validation, writing.
//!
//! Wire format: BSON specification 1.1 (bsonspec.org/spec.html).
//! [`RawDocument::new`] checks everything once; after that, iteration cannot fail.

mod decode;
mod encode;
mod validate;

pub use decode::Elements;
pub use encode::{DocumentWriter, encode_document, encode_value_into};
pub use validate::{MESSAGE_DEPTH_MAX, NESTING_DEPTH_MAX, RawError};

use crate::{Document, DocumentRef, Value, ValueRef};
use bytes::Bytes;

/// Borrowed BSON bytes of one valid document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawDocument<'a> {
    bytes: &'a [u8],
}

/// Borrowed BSON bytes of one valid array: a document whose names are not looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawArray<'a> {
    bytes: &'a [u8],
}

/// Owned BSON bytes of one valid document; cheap to clone and to cut out of a larger buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentBuf {
    bytes: Bytes,
}

impl<'a> RawDocument<'a> {
    /// Validates: lengths, terminators, types, UTF-8, nesting. The bytes must be exactly one document.
    pub fn new(bytes: &'a [u8]) -> Result<RawDocument<'a>, RawError> {
        validate::document(bytes)?;
        Ok(RawDocument { bytes })
    }

    /// Takes bytes that were validated before (read back under a checksum, or just written by this crate).
    /// Bytes that are not valid give wrong values, never undefined behaviour.
    pub fn from_validated(bytes: &'a [u8]) -> RawDocument<'a> {
        RawDocument { bytes }
    }

    /// The BSON bytes, length and terminator included.
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The fields in order.
    pub fn iter(self) -> Elements<'a> {
        Elements::new(self.bytes)
    }

    /// The value of the first field of this name.
    pub fn get(self, name: &str) -> Option<ValueRef<'a>> {
        Elements::new(self.bytes).find_name(name)
    }

    /// Puts the values of the fields of these names into the places of their names, of each the first, in one pass;
    /// places of others stay as they are.
    pub fn pick(self, names: &[Box<str>], values: &mut [Option<ValueRef<'a>>]) {
        Elements::new(self.bytes).pick(names, values);
    }

    /// Whether there is no field.
    pub fn is_empty(self) -> bool {
        self.bytes.len() <= 5
    }

    /// Whether documents are nested deeper than `levels`, this one counted. What is stored must stay within
    /// [`NESTING_DEPTH_MAX`].
    pub fn is_deeper_than(self, levels: usize) -> bool {
        decode::is_deeper_than(self.bytes, levels)
    }

    /// The document decoded.
    pub fn to_document(self) -> Document {
        self.iter()
            .map(|(name, value)| (name.to_owned(), value.to_value()))
            .collect()
    }

    /// A copy that owns its bytes.
    pub fn to_buf(self) -> DocumentBuf {
        DocumentBuf {
            bytes: Bytes::copy_from_slice(self.bytes),
        }
    }
}

/// The value of the element that the bytes begin with, whatever its name, and the bytes that the element takes.
pub(crate) fn read_element(bytes: &[u8]) -> Result<(usize, Value), RawError> {
    let cut_off = RawError {
        offset: 0,
        what: "the element is cut off",
    };
    let size = decode::element_size(bytes).ok_or(cut_off.clone())?;
    let element = bytes.get(..size).ok_or(cut_off.clone())?;
    let length = (size + 5) as i32;
    let document = [&length.to_le_bytes(), element, &[0]].concat();
    let (_, value) = RawDocument::new(&document)?.iter().next().ok_or(cut_off)?;
    Ok((size, value.to_value()))
}

impl<'a> RawArray<'a> {
    pub(crate) fn from_validated(bytes: &'a [u8]) -> RawArray<'a> {
        RawArray { bytes }
    }

    /// The BSON bytes, length and terminator included.
    pub fn as_bytes(self) -> &'a [u8] {
        self.bytes
    }

    /// The elements in order.
    pub fn iter(self) -> impl Iterator<Item = ValueRef<'a>> + Clone {
        Elements::new(self.bytes).map(|(_, value)| value)
    }
}

impl DocumentBuf {
    /// Validates as [`RawDocument::new`] does.
    pub fn new(bytes: Bytes) -> Result<DocumentBuf, RawError> {
        validate::document(&bytes)?;
        Ok(DocumentBuf { bytes })
    }

    /// Takes bytes that were validated before; see [`RawDocument::from_validated`].
    pub fn from_validated(bytes: Bytes) -> DocumentBuf {
        DocumentBuf { bytes }
    }

    /// A borrowed view.
    pub fn as_raw(&self) -> RawDocument<'_> {
        RawDocument { bytes: &self.bytes }
    }

    /// A borrowed view in the form that filters and comparison take.
    pub fn as_ref(&self) -> DocumentRef<'_> {
        DocumentRef::Raw(self.as_raw())
    }

    /// The BSON bytes.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The BSON bytes, given away.
    pub fn into_bytes(self) -> Bytes {
        self.bytes
    }

    /// The document decoded.
    pub fn to_document(&self) -> Document {
        self.as_raw().to_document()
    }
}

impl From<&Document> for DocumentBuf {
    fn from(document: &Document) -> DocumentBuf {
        DocumentBuf {
            bytes: encode_document(document).into(),
        }
    }
}
